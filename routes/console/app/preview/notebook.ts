import { type ComponentChild, h } from "preact";
import { useMemo, useState } from "preact/hooks";
import { count } from "../shared/format.ts";
import { parentOf } from "../shared/paths.ts";
import { Button } from "../ui/button.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import type { ReadFile } from "./prefix.ts";
import { type Cell, cellsOf, type Output } from "./cells.ts";
import { Code } from "./code.ts";
import { Picture } from "./image.ts";
import { readJson } from "./json.ts";
import { type Language, languageOf } from "./language.ts";
import { Document } from "./markdown_view.ts";
import { TextView } from "./text.ts";

/** Larger notebooks are shown as texts: 16 MiB. */
const MAX_BYTES = 16 * 2 ** 20;
/** Cells that are shown at first, and more at each request. */
const STEP = 50;

interface Notebook {
  readonly cells: readonly Cell[];
  readonly language: string;
}

/** A notebook: its texts and programs, and of what these have put out, texts and images alone. */
export function NotebookView({ file }: { readonly file: ReadFile }): ComponentChild {
  const loaded = useLoaded(async (signal): Promise<Notebook | string> => {
    const read = await readJson(file, MAX_BYTES, signal);
    if ("problem" in read) return read.problem;
    return cellsOf(read.value) ?? "The content has no cells that are known.";
  }, [file.etag]);
  return h(Await<Notebook | string>, {
    loading: loaded,
    what: "the notebook",
    children: (notebook) =>
      typeof notebook === "string"
        ? [
          h("p", { key: "why", class: "muted" }, notebook),
          h(TextView, { key: "text", file }),
        ]
        : h(Cells, { notebook, directory: parentOf(file.path) }),
  });
}

function Cells(
  { notebook: { cells, language: name }, directory }: {
    readonly notebook: Notebook;
    readonly directory: string;
  },
): ComponentChild {
  const [shown, setShown] = useState(STEP);
  const left = cells.length - shown;
  const language = languageOf(name);
  return [
    h(
      "ol",
      { key: "cells", class: "cells" },
      cells.slice(0, shown).map((cell, index) =>
        h("li", { key: index }, h(CellView, { cell, language, directory }))
      ),
    ),
    left > 0 && h(Button, {
      key: "more",
      label: `Show ${count(Math.min(left, STEP))} more of ${count(left)}`,
      onClick: () => setShown(shown + STEP),
    }),
  ];
}

function CellView(
  { cell: { kind, source, outputs }, language, directory }: {
    readonly cell: Cell;
    readonly language: Language | undefined;
    readonly directory: string;
  },
): ComponentChild {
  return [
    kind === "markdown" ? h(Document, { key: "source", text: source, directory }) : h(Code, {
      key: "source",
      text: source,
      language: kind === "code" ? language : undefined,
      label: kind === "code" ? "Code" : "Text",
    }),
    outputs.map((output, index) => h(OutputView, { key: index, output })),
  ];
}

function OutputView({ output }: { readonly output: Output }): ComponentChild {
  switch (output.kind) {
    case "text":
      return h(Code, { text: output.text, language: undefined, label: "Output" });
    case "error":
      return h(
        "div",
        { class: "cell-error" },
        h(Code, { text: output.text, language: undefined, label: "Error" }),
      );
    case "image":
      return h(OutputImage, { base64: output.base64 });
    case "other":
      return h("p", { class: "muted" }, "Output that is not shown: ", h("code", null, output.type));
  }
}

function OutputImage({ base64 }: { readonly base64: string }): ComponentChild {
  const content = useMemo(() => bytesOf(base64), [base64]);
  return content === undefined
    ? h("p", { class: "muted" }, "An image that cannot be read")
    : h(Picture, { content, description: "Output of the cell" });
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
