import { type ComponentChild, h } from "preact";
import { useMemo } from "preact/hooks";
import { bytes } from "../shared/format.ts";
import { parentOf } from "../shared/paths.ts";
import { later } from "../ui/later.ts";
import { Loading, Problem } from "../ui/states.ts";
import type { ReadFile } from "./prefix.ts";
import { Code } from "./code.ts";
import { textOf } from "./kinds.ts";
import { languageOf } from "./language.ts";
import { Markdown, type Parse } from "./markdown.ts";
import { usePrefix } from "./use_prefix.ts";

/** Longer documents are shown in part: reading one takes a browser about a second. */
const MAX_BYTES = 2 ** 18;

/** A document, such as the card of a model. */
export function MarkdownView({ file }: { readonly file: ReadFile }): ComponentChild {
  const { start, more, isReading, error } = usePrefix(file, MAX_BYTES);
  const text = useMemo(() => textOf(start), [start]);
  if (error !== undefined) return h(Problem, { error, retry: more });
  if (isReading) return h(Loading, { what: "the document" });
  return [
    h(Document, { key: "text", text, directory: parentOf(file.path) }),
    start.length < file.size && h(
      "p",
      { key: "rest", class: "muted" },
      `The first ${bytes(start.length)} of ${bytes(file.size)}. The source has the rest.`,
    ),
  ];
}

/** A document in Markdown with what precedes it: keys between two lines of dashes, as cards have them. */
export const Document = later("the document", async () => {
  const { lexer } = await import("./parser.ts");
  return (props: DocumentProps) => h(ParsedDocument, { ...props, parse: lexer });
});

interface DocumentProps {
  readonly text: string;
  /** Where it is: links lead from there. */
  readonly directory: string;
}

function ParsedDocument(
  { text, directory, parse }: DocumentProps & { readonly parse: Parse },
): ComponentChild {
  const { front, body } = useMemo(() => partsOf(text), [text]);
  const document = useMemo(() => documentOf({ text: body, directory, parse }), [body, directory]);
  return [
    front !== "" && h(
      "details",
      { key: "front", class: "preview-front" },
      h("summary", null, "Keys of the document"),
      h(Code, { text: front, language: languageOf("yaml"), label: "Keys of the document" }),
    ),
    document,
  ];
}

function documentOf(props: DocumentProps & { readonly parse: Parse }): ComponentChild {
  try {
    return Markdown(props);
  } catch {
    // Nested so deeply that the parser gives up. It is a text in any case.
    return h(Code, { text: props.text, language: undefined, label: "Document" });
  }
}

function partsOf(text: string): { readonly front: string; readonly body: string } {
  const start = /^---\r?\n/.exec(text)?.[0].length ?? 0;
  const end = start === 0 ? -1 : text.indexOf("\n---", start - 1);
  if (end === -1) return { front: "", body: text };
  const after = text.indexOf("\n", end + 1);
  return { front: text.slice(start, end), body: after === -1 ? "" : text.slice(after + 1) };
}
