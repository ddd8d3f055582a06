import { type ComponentChild, h } from "preact";
import type { MirrorEntry, MirrorFile, MirrorFileList } from "../../../../schemas/mirror.ts";
import { call } from "../shared/api.ts";
import { bytes, plural } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { holds, userLabel } from "../shared/session.ts";
import { Ago } from "../ui/ago.ts";
import { Button } from "../ui/button.ts";
import { Icon, type IconName } from "../ui/icon.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { type LoadPage, type Page, usePaged } from "../ui/paged.ts";
import { Card, Facts } from "../ui/pairs.ts";
import { useRefresh } from "../ui/refresh.ts";
import { Rows, type RowsColumn } from "../ui/rows.ts";
import { VerdictBadge } from "../ui/verdict.ts";
import { askToFetch, RevisionButtons } from "./actions.ts";
import { repositoryLabel } from "./names.ts";
import { COMING_MS, RuleName } from "./state_cards.ts";

const PAGE = "1000";

/** A revision of another hub: what is known of it, and what would happen to who downloads its files. */
export function RevisionView({ id }: { readonly id: number }): ComponentChild {
  const loading = useLoaded(
    (signal) => call<MirrorEntry>("GET", `/mirror/${id}`, { inTree: false, signal }),
    [],
  );
  useRefresh(loading, COMING_MS);
  return h(
    "div",
    { class: "page" },
    h(Await<MirrorEntry>, {
      loading,
      what: "the revision",
      isPage: true,
      children: (entry) => [
        h(
          "header",
          { key: "head", class: "page-head" },
          h(
            "div",
            { class: "page-title" },
            h("a", { href: linkTo("mirror"), class: "back" }, h(Icon, { name: "back" }), "Mirror"),
            h("h1", null, h("bdi", null, repositoryLabel(entry))),
          ),
          holds("resources.admin") && h(RevisionButtons, { entry, onChange: loading.reload }),
        ),
        h(AboutCard, { key: "about", entry }),
        h(FilesCard, { key: "files", entry, onChange: loading.reload }),
      ],
    }),
  );
}

function AboutCard({ entry }: { readonly entry: MirrorEntry }): ComponentChild {
  const { asked_first_at: asked, asked_first_by: user, tags } = entry;
  const { modified_at: modified, pinned_at: pinned } = entry;
  const licenses = tags.filter((tag) => tag.startsWith("license:")).map((tag) => tag.slice(8));
  const moment = (iso: string) => h(Ago, { at: iso });
  return h(
    Card,
    { title: "The revision" },
    h(Facts, {
      facts: [
        ["Commit", h("code", null, entry.commit)],
        // What the other hub does not state is the beginning of time.
        ["Made", Date.parse(modified) === 0 ? "Not stated" : moment(modified)],
        ["License", licenses.length === 0 ? "Not stated" : h("bdi", null, licenses.join(", "))],
        ["Files", `${bytes(entry.bytes)} in ${plural(entry.files, "file")}`],
        ["Here", `${bytes(entry.fetched_bytes)} in ${plural(entry.fetched_files, "file")}`],
        ["Asked for first", [
          moment(asked),
          user !== null && " by ",
          user !== null && h("bdi", { key: "user" }, userLabel(user)),
        ]],
        ["Pinned", pinned === null ? "No" : moment(pinned)],
      ],
    }),
  );
}

interface FilesProps {
  readonly entry: MirrorEntry;
  readonly onChange: () => void;
}

function FilesCard({ entry, onChange }: FilesProps): ComponentChild {
  const paged = usePaged(pagesOfFiles(entry.id));
  useRefresh(paged, COMING_MS);
  const change = () => {
    paged.reload();
    onChange();
  };
  const files = paged.state.kind === "loaded" ? paged.state.data.flatMap(({ items }) => items) : [];
  const missing = files.filter((file) => file.fetched_at === null && file.outcome !== "deny");
  return h(
    Card,
    {
      title: "What would happen",
      actions: missing.length > 0 && h(Button, {
        label: `Fetch ${plural(missing.length, "file")}`,
        icon: "download",
        onClick: () => askToFetch(entry, missing, change),
      }),
    },
    h(Await<readonly Page<MirrorFile>[]>, {
      loading: paged,
      what: "the files",
      children: () => [
        h("p", { key: "sum" }, sumOf(files)),
        h(Rows<MirrorFile>, {
          key: "files",
          label: "Files",
          rows: files,
          keyOf: ({ path }) => path,
          columns: columnsOf(entry, change),
        }),
        paged.more !== undefined &&
        h("p", { key: "more" }, h(Button, { label: "More files", onClick: paged.more })),
      ],
    }),
  );
}

function pagesOfFiles(id: number): LoadPage<MirrorFile> {
  return async (after, signal) => {
    const { items, next } = await call<MirrorFileList>("GET", `/mirror/${id}/files`, {
      query: { limit: PAGE, after },
      ...{ inTree: false, signal },
    });
    return { items, next: next ?? undefined };
  };
}

const OUTCOMES: Readonly<
  Record<MirrorFile["outcome"], { word: string; sum: string; icon: IconName; badge: string }>
> = {
  allow: { word: "Let through", sum: "let through", icon: "check", badge: "clean" },
  deny: { word: "Refused", sum: "refused", icon: "cross", badge: "dangerous" },
  undecided: { word: "Decided later", sum: "decided once scanned", icon: "wait", badge: "pending" },
};
const IN_ORDER = ["deny", "undecided", "allow"] as const;

/** What would happen, in a sentence. */
function sumOf(files: readonly MirrorFile[]): string {
  const byOutcome = Map.groupBy(files, ({ outcome }) => outcome);
  const parts = IN_ORDER.flatMap((outcome) => {
    const found = byOutcome.get(outcome) ?? [];
    if (found.length === 0) return [];
    const size = found.reduce((sum, file) => sum + file.size, 0);
    const are = plural(found.length, "file is", "files are");
    return [`${are} ${OUTCOMES[outcome].sum} (${bytes(size)})`];
  });
  return parts.length === 0 ? "It has no files." : `${parts.join(", ")}.`;
}

function columnsOf(entry: MirrorEntry, onChange: () => void): RowsColumn<MirrorFile>[] {
  return [
    { title: "File", cell: ({ path }) => h("bdi", null, path) },
    { title: "Size", kind: "number", cell: ({ size }) => bytes(size) },
    { title: "Outcome", cell: (file) => h(Outcome, { file }) },
    {
      title: "Here",
      cell: (file) => h(Here, { file, onFetch: () => askToFetch(entry, [file], onChange) }),
    },
    {
      title: "Verdict",
      cell: ({ verdict }) => verdict === null ? "" : h(VerdictBadge, { verdict }),
    },
  ];
}

/** Since when a file is here, or how it gets here. */
function Here(
  { file: { path, fetched_at: at, outcome }, onFetch }: {
    readonly file: MirrorFile;
    readonly onFetch: () => void;
  },
): ComponentChild {
  if (at !== null) return h(Ago, { at });
  if (outcome === "deny") return "No";
  return h(
    "div",
    { class: "row-actions" },
    h(Button, { label: "Fetch", describes: path, onClick: onFetch }),
  );
}

function Outcome({ file }: { readonly file: MirrorFile }): ComponentChild {
  const { outcome, rule, words, missing } = file;
  const { word, icon, badge } = OUTCOMES[outcome];
  return h(
    "div",
    null,
    h("span", { class: `badge badge-${badge}` }, h(Icon, { name: icon }), word),
    rule !== "default" && [
      " by ",
      h(RuleName, { key: "rule", rule }),
      h("div", { key: "words", class: "muted" }, h("bdi", null, words)),
    ],
    missing.length > 0 &&
      h("div", { class: "muted" }, `Not known yet: ${missing.join(", ")}`),
  );
}
