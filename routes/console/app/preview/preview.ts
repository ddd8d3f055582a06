import { type ComponentChild, h } from "preact";
import { useState } from "preact/hooks";
import type { VerdictFinding } from "../../../../schemas/verdicts.ts";
import { Button } from "../ui/button.ts";
import { Card } from "../ui/pairs.ts";
import type { ReadFile } from "./prefix.ts";
import { TarView, ZipView } from "./archive.ts";
import { ImageView } from "./image.ts";
import { JsonView } from "./json.ts";
import type { PreviewKind } from "./kinds.ts";
import { MarkdownView } from "./markdown_view.ts";
import { NotebookView } from "./notebook.ts";
import { ParquetView } from "./parquet.ts";
import { TableView } from "./table.ts";
import { TextView } from "./text.ts";

/** What a kind is shown by. */
type View = (props: {
  readonly file: ReadFile;
  readonly findings: readonly VerdictFinding[];
}) => ComponentChild;

const VIEWS: Readonly<Record<PreviewKind, View>> = {
  text: TextView,
  markdown: MarkdownView,
  table: TableView,
  json: JsonView,
  notebook: NotebookView,
  image: ImageView,
  zip: ZipView,
  tar: TarView,
  parquet: ParquetView,
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
