import { type ComponentChild, type ComponentChildren, h } from "preact";
import { useState } from "preact/hooks";
import { call } from "../shared/api.ts";
import { Button } from "../ui/button.ts";
import { Await, type Load, useLoaded } from "../ui/loaded.ts";

const PAGE = 100;

export interface Paged<T> extends Load<readonly T[]> {
  /** Loads more, unless all are there. */
  readonly more: (() => void) | undefined;
}

/** The newest of a list, and older ones on request. */
export function usePaged<T extends { readonly id: number }>(
  path: string,
  inTree: boolean,
): Paged<T> {
  const [pages, setPages] = useState(1);
  const loading = useLoaded((signal) => load<T>(path, { pages, inTree, signal }), [path, pages]);
  const { state } = loading;
  const isFull = state.kind === "loaded" && state.data.length >= pages * PAGE;
  return { ...loading, more: isFull ? () => setPages(pages + 1) : undefined };
}

async function load<T extends { readonly id: number }>(
  path: string,
  { pages, inTree, signal }: { pages: number; inTree: boolean; signal: AbortSignal },
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = 0; page < pages; page++) {
    const before = all.at(-1)?.id;
    const { items } = await call<{ items: readonly T[] }>("GET", path, {
      query: { limit: String(PAGE), ...(before !== undefined && { before: String(before) }) },
      inTree,
      signal,
    });
    all.push(...items);
    if (items.length < PAGE) break;
  }
  return all;
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
  return h(Await<readonly T[]>, {
    loading: paged,
    what,
    children: (items) =>
      items.length === 0 ? h("p", { class: "muted" }, empty) : [
        children(items),
        paged.more !== undefined &&
        h("p", { key: "more" }, h(Button, { label: `Older ${what}`, onClick: paged.more })),
      ],
  });
}
