import { type ComponentChild, h } from "preact";
import type { MirrorEntry, MirrorState } from "../../../../schemas/mirror.ts";
import { call } from "../shared/api.ts";
import { bytes, count, plural } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { holds } from "../shared/session.ts";
import { Made } from "../history/made.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { PagedList, pagesOf, usePaged } from "../ui/paged.ts";
import { Card } from "../ui/pairs.ts";
import { useRefresh } from "../ui/refresh.ts";
import { Rows, type RowsColumn } from "../ui/rows.ts";
import { RevisionButtons } from "./actions.ts";
import { LogCard } from "./log.ts";
import { LookUpCard } from "./look_up.ts";
import { repositoryLabel } from "./names.ts";
import {
  COMING_MS,
  ComingCard,
  RefusalsCard,
  SpaceCard,
  UpstreamBadge,
  UpstreamCard,
} from "./state_cards.ts";

/** The room Mirror: what came in from another hub, and what would. */
export function MirrorView(): ComponentChild {
  const loading = useLoaded(
    (signal) => call<MirrorState>("GET", "/mirror-state", { inTree: false, signal }),
    [],
  );
  useRefresh(loading, COMING_MS);
  const { state } = loading;
  return h(
    "div",
    { class: "page" },
    h(
      "header",
      { class: "page-head" },
      h("h1", null, "Mirror"),
      state.kind === "loaded" && h(UpstreamBadge, { state: state.data }),
    ),
    h(LookUpCard, null),
    h(Await<MirrorState>, {
      loading,
      what: "the mirror",
      children: (it) => [
        h(ComingCard, { key: "coming", state: it }),
        h(
          "div",
          { key: "state", class: "page-columns" },
          h(UpstreamCard, { state: it }),
          h(SpaceCard, { state: it }),
        ),
      ],
    }),
    h(ShelfCard, null),
    state.kind === "loaded" && h(RefusalsCard, { state: state.data }),
    holds("resources.admin") && h(LogCard, null),
  );
}

/** The revisions that are pinned or have files here. */
function ShelfCard(): ComponentChild {
  const paged = usePaged(
    pagesOf<MirrorEntry>("/mirror/", ({ id }) => String(id), { inTree: false }),
  );
  useRefresh(paged, COMING_MS);
  return h(
    Card,
    { title: "What is here" },
    h(PagedList<MirrorEntry>, {
      paged,
      what: "revisions",
      empty: "Nothing has come in yet.",
      children: (items) =>
        h(Rows<MirrorEntry>, {
          label: "Revisions",
          rows: items,
          keyOf: ({ id }) => id,
          columns: columns(paged.reload),
        }),
    }),
  );
}

function columns(reload: () => void): RowsColumn<MirrorEntry>[] {
  return [
    {
      title: "Revision",
      cell: (entry) =>
        h(
          "div",
          null,
          h(
            "a",
            { href: linkTo("mirror", String(entry.id)) },
            h("bdi", null, repositoryLabel(entry)),
          ),
          h("div", { class: "muted" }, h("code", null, entry.commit.slice(0, 12))),
        ),
    },
    {
      title: "Asked for first",
      cell: ({ asked_first_at: at, asked_first_by: user }) => h(Made, { at, user }),
    },
    {
      title: "Files here",
      kind: "number",
      cell: ({ fetched_files: here, files, fetched_bytes: size }) =>
        `${bytes(size)} in ${count(here)} of ${plural(files, "file")}`,
    },
    { title: "Pinned", cell: ({ pinned_at: at }) => at === null ? "No" : h("strong", null, "Yes") },
    ...holds("resources.admin")
      ? [{
        title: "Change",
        cell: (entry: MirrorEntry) => h(RevisionButtons, { entry, onChange: reload }),
      }]
      : [],
  ];
}
