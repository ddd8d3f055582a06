import { type ComponentChild, type ComponentChildren, h } from "preact";
import { useRef, useState } from "preact/hooks";
import { call, type Query } from "../shared/api.ts";
import type { LiveEvent } from "../shared/live.ts";
import { Button } from "./button.ts";
import { Await, type Load, useLoaded } from "./loaded.ts";

const PAGE = 100;

/** A page of a list, newest first. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The parameter `before` of the next page; absent at the end. */
  readonly next?: string | undefined;
}

export interface Paged<T, P extends Page<T> = Page<T>> extends Load<readonly P[]> {
  /** Loads more, unless all are there. */
  readonly more: (() => void) | undefined;
}

/** Loads the page that follows what has the cursor `before`. */
export type LoadPage<T, P extends Page<T> = Page<T>> = (
  before: string | undefined,
  signal: AbortSignal,
) => Promise<P>;

/**
 * The newest of a list, and older ones on request. The pages that are there are loaded again on a reload only.
 *
 * @param concerns Whether an event may have changed it. @default none does
 */
export function usePaged<T, P extends Page<T> = Page<T>>(
  loadPage: LoadPage<T, P>,
  concerns?: (event: LiveEvent) => boolean,
): Paged<T, P> {
  const [wanted, setWanted] = useState(1);
  const kept = useRef<P[]>([]);
  const loading = useLoaded(
    async (signal) => {
      const pages = kept.current.length < wanted ? [...kept.current] : [];
      while (pages.length < wanted) {
        const last = pages.at(-1);
        if (last !== undefined && last.next === undefined) break;
        pages.push(await loadPage(last?.next, signal));
      }
      kept.current = pages;
      return pages;
    },
    [wanted],
    concerns,
  );
  const { state } = loading;
  const hasMore = state.kind === "loaded" && state.data.at(-1)?.next !== undefined;
  return { ...loading, more: hasMore ? () => setWanted(wanted + 1) : undefined };
}

/** Pages of a route whose cursor is what `cursorOf` says of the last item. */
export function pagesOf<T>(
  path: string,
  cursorOf: (item: T) => string,
  { inTree, query = {}, cursor = "before" }: {
    readonly inTree: boolean;
    readonly query?: Query;
    /** The parameter that has the cursor. */
    readonly cursor?: string;
  },
): LoadPage<T> {
  return async (before, signal) => {
    const { items } = await call<{ items: readonly T[] }>("GET", path, {
      query: { ...query, limit: String(PAGE), ...(before !== undefined && { [cursor]: before }) },
      inTree,
      signal,
    });
    const last = items.at(-1);
    const isFull = items.length === PAGE && last !== undefined;
    return isFull ? { items, next: cursorOf(last) } : { items };
  };
}

/** Shows a list, or what it says if it is empty. */
export function PagedList<T>(
  { paged, what, empty, children }: {
    readonly paged: Paged<T>;
    readonly what: string;
    readonly empty: string;
    readonly children: (items: readonly T[]) => ComponentChildren;
  },
): ComponentChild {
  return h(Await<readonly Page<T>[]>, {
    loading: paged,
    what,
    children: (pages) => {
      const items = pages.flatMap((page) => page.items);
      return [
        items.length === 0 ? h("p", { key: "empty", class: "muted" }, empty) : children(items),
        paged.more !== undefined &&
        h("p", { key: "more" }, h(Button, { label: `Older ${what}`, onClick: paged.more })),
      ];
    },
  });
}
