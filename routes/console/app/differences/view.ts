import { type ComponentChild, h } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Comparison } from "../../../../schemas/compare.ts";
import { Head } from "../history/head.ts";
import { nameOfState } from "../past/words.ts";
import { call } from "../shared/api.ts";
import { plural } from "../shared/format.ts";
import { isOfResource } from "../shared/live.ts";
import { isWithin, nameOf, parentOf } from "../shared/paths.ts";
import { formerPlace, linkWith, place } from "../shared/router.ts";
import { useStore } from "../shared/store.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { FileCards } from "./file_cards.ts";
import { WeightsCard } from "./weights_card.ts";

/** How long after a reply the server is asked again for weights that it reads, in milliseconds. */
const AGAIN_MS = 1000;

/** Two things to compare, each as it is now unless it is at a state. */
export interface Compared {
  readonly from: string;
  readonly fromAt?: string | undefined;
  readonly to: string;
  readonly toAt?: string | undefined;
}

/** The page of what is different in two files or folders. */
export function DifferencesView({ path }: { readonly path: string }): ComponentChild {
  const { from = path, from_at: fromAt, at: toAt } = useStore(place).query;
  return h(
    "div",
    { class: "page" },
    h(Head, {
      title: [
        "Changes from ",
        h(Name, { key: "from", path: from, at: fromAt, other: path }),
        " to ",
        h(Name, { key: "to", path, at: toAt, other: from }),
      ],
      back: useMemo(() => backFrom(path), [path]),
    }),
    h(Differences, { from, fromAt, to: path, toAt }),
  );
}

/** The pages that lead here, if they are about the same. */
const BACK: Readonly<Record<string, string>> = {
  model: "Model page",
  compare: "Changed files",
  history: "History",
};

/** What the page leads back to: where the person was, or else the folder. */
function backFrom(path: string) {
  const former = formerPlace();
  const label = former && BACK[former.room];
  if (former?.path !== path || label === undefined) return parentOf(path);
  return { href: linkWith(former.room, path, former.query), label };
}

/** A file or folder, by its name; if the other one has the same, by its path, or its state alone. */
function Name(
  { path, at, other }: {
    readonly path: string;
    readonly at: string | undefined;
    readonly other: string;
  },
): ComponentChild {
  const state = at === undefined ? "now" : nameOfState(at);
  if (path === other) return h("bdi", null, state);
  const name = nameOf(path) === nameOf(other) ? path : nameOf(path);
  return [h("bdi", { key: "name" }, name), at !== undefined && ` (${state})`];
}

/** What is different in two files or folders, as cards. */
export function Differences(compared: Compared): ComponentChild {
  const { from, fromAt, to, toAt } = compared;
  const loading = useLoaded(
    (signal) => {
      const query = { from, from_at: fromAt, to, to_at: toAt };
      return call<Comparison>("GET", "/resources/compare", { query, signal });
    },
    [from, fromAt, to, toAt],
    (event) =>
      isOfResource(event) &&
      (toAt === undefined && isWithin(event.data.path, to) ||
        fromAt === undefined && isWithin(event.data.path, from)),
  );
  const { state, reload } = loading;
  const pending = state.kind === "loaded" ? state.data.pending : 0;
  useEffect(() => {
    if (pending === 0) return;
    const timer = setTimeout(reload, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return h(Await<Comparison>, {
    loading,
    what: "the differences",
    children: (found) => [
      h("p", { key: "sum", role: "status" }, summary(found)),
      pending > 0 && h(
        "p",
        { key: "pending", class: "loading", role: "status" },
        h("span", { class: "spinner", "aria-hidden": "true" }),
        `The server reads ${plural(pending, "file")} of weights for the first time…`,
      ),
      found.weights.map((weights) =>
        h(WeightsCard, { key: `weights ${weights.from} ${weights.to}`, weights })
      ),
      h(FileCards, { key: "files", found, linkOf: linksOf(found) }),
    ],
  });
}

function summary({ files, equal_files: equal, complete }: Comparison): string {
  const counts = files.length === 0
    ? "Nothing is different."
    : `${plural(files.length, "file is", "files are")} different, ${equal} equal.`;
  return complete ? counts : `${counts} Not all of it was compared, as too much is different.`;
}

/** The link to a file that is different, on one of the sides. */
function linksOf({ from, to }: Comparison) {
  return (side: "from" | "to", path: string): string => {
    const { path: base, version, is_dir: isDirectory } = side === "from" ? from : to;
    const file = isDirectory ? `${base}/${path}` : base;
    return linkWith("file", file, { ...(version !== null && { at: String(version) }) });
  };
}
