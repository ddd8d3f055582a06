import { type ComponentChild, h } from "preact";
import { useState } from "preact/hooks";
import type { VerdictFinding } from "../../../../../schemas/verdicts.ts";
import { Button } from "../../ui/button.ts";
import { later } from "../../ui/later.ts";
import { Card } from "../../ui/pairs.ts";
import type { ReadFile } from "../prefix.ts";
import type { PreviewKind } from "./kinds.ts";

/** What a kind is shown by. Browsers load its modules when a file of it is looked at. */
type View = (props: {
  readonly file: ReadFile;
  readonly findings: readonly VerdictFinding[];
}) => ComponentChild;

const WHAT = "the preview";
const VIEWS: Readonly<Record<PreviewKind, View>> = {
  text: later(WHAT, async () => (await import("./text.ts")).TextView),
  markdown: later(WHAT, async () => (await import("./markdown_view.ts")).MarkdownView),
  table: later(WHAT, async () => (await import("./table.ts")).TableView),
  json: later(WHAT, async () => (await import("./json.ts")).JsonView),
  notebook: later(WHAT, async () => (await import("./notebook.ts")).NotebookView),
  image: later(WHAT, async () => (await import("./image.ts")).ImageView),
  zip: later(WHAT, async () => (await import("./archive.ts")).ZipView),
  tar: later(WHAT, async () => (await import("./archive.ts")).TarView),
  parquet: later(WHAT, async () => (await import("./parquet.ts")).ParquetView),
};

const TITLES: Readonly<Record<PreviewKind, string>> = {
  text: "Text",
  markdown: "Document",
  table: "Table",
  json: "Structure",
  notebook: "Notebook",
  image: "Image",
  zip: "Members",
  tar: "Members",
  parquet: "Table",
};

/** What is a text as well, which a person may want to read as it is. */
const MARKED_UP: readonly PreviewKind[] = ["markdown", "table", "json", "notebook"];

/** A file to look at. Nothing of it runs, and nothing is loaded from elsewhere. */
export function Preview(
  { file, kind, findings }: {
    readonly file: ReadFile;
    readonly kind: PreviewKind;
    readonly findings: readonly VerdictFinding[];
  },
): ComponentChild {
  const [isSource, setSource] = useState(false);
  return h(
    Card,
    {
      title: TITLES[kind],
      actions: MARKED_UP.includes(kind) && h(Button, {
        label: "Source",
        pressed: isSource,
        onClick: () => setSource(!isSource),
      }),
    },
    h(VIEWS[isSource ? "text" : kind], { file, findings }),
  );
}
