import { type ComponentChild, h } from "preact";
import type { MirrorState } from "../../../../schemas/mirror.ts";
import { bytes, count, plural, share } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { userLabel } from "../shared/session.ts";
import { Ago } from "../ui/ago.ts";
import { Bar } from "../ui/bar.ts";
import { Icon, type IconName } from "../ui/icon.ts";
import { Card, Facts } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";
import { repositoryLabel } from "./names.ts";

/** How often what comes in is loaded again, in milliseconds: no event tells of it. */
export const COMING_MS = 5000;

const UPSTREAM: Readonly<
  Record<MirrorState["upstream"], { word: string; icon: IconName; badge: string; meaning: string }>
> = {
  unasked: {
    word: "Not asked yet",
    icon: "minus",
    badge: "unscanned",
    meaning: "Nobody has asked for anything that is not here since the server has started.",
  },
  answers: {
    word: "Answers",
    icon: "check",
    badge: "clean",
    meaning: "It has answered the last request.",
  },
  fails: {
    word: "Fails",
    icon: "alert",
    badge: "suspicious",
    meaning: "The last request has failed. What is here is served, and names mean what they meant.",
  },
  rests: {
    word: "Not asked for now",
    icon: "cross",
    badge: "dangerous",
    meaning: "It has failed, so nobody waits for it. What is here is served as it is.",
  },
};

interface Props {
  readonly state: MirrorState;
}

/** Whether the other hub answers. */
export function UpstreamBadge({ state: { upstream } }: Props): ComponentChild {
  const { word, icon, badge } = UPSTREAM[upstream];
  return h(
    "span",
    { class: `badge badge-${badge}`, role: "status" },
    h(Icon, { name: icon }),
    `The other hub: ${word}`,
  );
}

/** The other hub, and how it is. */
export function UpstreamCard({ state }: Props): ComponentChild {
  const { url, upstream, answered_at: answered, asked_again_at: again } = state;
  return h(
    Card,
    { title: "The other hub" },
    h("p", { class: "muted" }, UPSTREAM[upstream].meaning),
    h(Facts, {
      facts: [
        ["Address", h("bdi", null, url)],
        ["Answered last", answered === null ? "Not yet" : moment(answered)],
        ...again === null ? [] : [["Asked again", moment(again)] as const],
        ...failureOf(state),
      ],
    }),
  );
}

function failureOf({ failed_at: at, failure }: MirrorState) {
  if (at === null) return [];
  return [["Failed last", [moment(at), ": ", h("bdi", { key: "why" }, failure)]] as const];
}

function moment(iso: string): ComponentChild {
  return h(Ago, { key: "time", at: iso });
}

/** What mirrored files take, and what was asked for. */
export function SpaceCard({ state }: Props): ComponentChild {
  const { bytes: used, max_bytes: most, pinned_bytes: pinned, requests, hits } = state;
  return h(
    Card,
    { title: "Space" },
    most !== null && h(Bar, { part: used / most }),
    h(Facts, {
      facts: [
        ["Used", most === null ? bytes(used) : `${bytes(used)} of ${bytes(most)}`],
        ["Pinned", bytes(pinned)],
        ["Came in", `${bytes(state.fetched_bytes)} in ${plural(state.fetched_files, "file")}`],
        [
          "Requests",
          requests === 0
            ? "None"
            : `${count(requests)}, ${share(hits, requests)} for what was here`,
        ],
      ],
    }),
    h(
      "p",
      { class: "muted" },
      "What came in and requests are counted since the server has started.",
    ),
  );
}

/** The files that come in now. */
export function ComingCard({ state: { fetches } }: Props): ComponentChild {
  if (fetches.length === 0) return null;
  return h(
    Card,
    { title: "Coming in" },
    h(Rows<MirrorState["fetches"][number]>, {
      label: "Files that come in",
      rows: fetches,
      keyOf: ({ id, path }) => `${id} ${path}`,
      columns: [
        {
          title: "File",
          cell: ({ id, path, ...named }) =>
            h(
              "div",
              null,
              h("bdi", null, path),
              h(
                "div",
                { class: "muted" },
                "of ",
                h(
                  "a",
                  { href: linkTo("mirror", String(id)) },
                  h("bdi", null, repositoryLabel(named)),
                ),
              ),
            ),
        },
        {
          title: "For",
          cell: ({ asked_by: user }) =>
            user === null ? "Another user" : h("bdi", null, userLabel(user)),
        },
        {
          title: "Has come in",
          cell: ({ path, bytes: arrived, size }) =>
            h(
              "div",
              null,
              h("progress", { "aria-label": path, max: Math.max(1, size), value: arrived }),
              h("div", { class: "muted" }, `${bytes(arrived)} of ${bytes(size)}`),
            ),
        },
      ],
    }),
  );
}

/** How often rules have refused files. */
export function RefusalsCard({ state: { refusals } }: Props): ComponentChild {
  const most = Math.max(...refusals.map(({ requests }) => requests));
  return h(
    Card,
    { title: "Refusals by rule" },
    refusals.length === 0
      ? h("p", { class: "muted" }, "Nothing was refused since the server has started.")
      : h(Rows<MirrorState["refusals"][number]>, {
        label: "Refusals by rule",
        rows: refusals.toSorted((a, b) => b.requests - a.requests),
        keyOf: ({ rule }) => rule,
        columns: [
          { title: "Rule", cell: ({ rule }) => h(RuleName, { rule }) },
          { title: "Refusals", kind: "number", cell: ({ requests }) => count(requests) },
          { title: "Share", cell: ({ requests }) => h(Bar, { part: requests / most }) },
        ],
      }),
  );
}

/** Who decides about a file. */
export function RuleName({ rule }: { readonly rule: string }): ComponentChild {
  if (rule === "gate") return "the gate";
  if (rule === "default") return "no rule";
  return h("code", null, h("bdi", null, rule));
}
