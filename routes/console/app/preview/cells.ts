/** A cell of a notebook, as it is shown. */
export interface Cell {
  readonly kind: "code" | "markdown" | "raw";
  readonly source: string;
  readonly outputs: readonly Output[];
}

/** What running a cell has given. */
export type Output =
  | { readonly kind: "text" | "error"; readonly text: string }
  | { readonly kind: "image"; readonly base64: string }
  /** What is left out, by its type. */
  | { readonly kind: "other"; readonly type: string };

/** Characters of a program or an output. */
const MAX_TEXT = 65_536;
/** Characters of a document, which takes longer to read. */
const MAX_DOCUMENT = 16_384;
/** Outputs of a cell. */
const MAX_OUTPUTS = 20;
/** Images that cannot run anything. */
const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** The cells of a notebook (nbformat 4). Undefined if it is none. */
export function cellsOf(notebook: unknown): { cells: Cell[]; language: string } | undefined {
  const cells = at(notebook, "cells");
  if (!Array.isArray(cells)) return undefined;
  const language = at(at(at(notebook, "metadata"), "kernelspec"), "language");
  return {
    cells: cells.map(cellOf),
    language: typeof language === "string" ? language : "python",
  };
}

function cellOf(cell: unknown): Cell {
  const type = at(cell, "cell_type");
  const kind = type === "code" || type === "markdown" ? type : "raw";
  const outputs = at(cell, "outputs");
  const shown = Array.isArray(outputs) ? outputs.slice(0, MAX_OUTPUTS).map(outputOf) : [];
  const isCut = Array.isArray(outputs) && outputs.length > MAX_OUTPUTS;
  return {
    kind,
    source: cut(textIn(at(cell, "source")), kind === "markdown" ? MAX_DOCUMENT : MAX_TEXT),
    outputs: isCut ? [...shown, { kind: "other", type: "more outputs of this cell" }] : shown,
  };
}

function outputOf(output: unknown): Output {
  const type = at(output, "output_type");
  if (type === "stream") return { kind: "text", text: cut(textIn(at(output, "text"))) };
  if (type === "error") {
    const lines = at(output, "traceback");
    const trace = Array.isArray(lines) ? lines.map(textIn).join("\n") : "";
    const what = `${textIn(at(output, "ename"))}: ${textIn(at(output, "evalue"))}`;
    return { kind: "error", text: cut(withoutColors(trace === "" ? what : trace)) };
  }
  const data = at(output, "data");
  const image = IMAGES.map((it) => at(data, it)).find((it) => it !== undefined);
  if (image !== undefined) return { kind: "image", base64: textIn(image) };
  const text = at(data, "text/plain");
  if (text !== undefined) return { kind: "text", text: cut(textIn(text)) };
  const types = typeof data === "object" && data !== null ? Object.keys(data) : [];
  return { kind: "other", type: types.join(", ") || "no known type" };
}

/** A text, or its lines in an array. */
function textIn(value: unknown): string {
  if (Array.isArray(value)) return value.filter((it) => typeof it === "string").join("");
  return typeof value === "string" ? value : "";
}

function at(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found;
}

function cut(text: string, most = MAX_TEXT): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** A text without the colors of terminals. */
function withoutColors(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/\x1b\[[\d;]{0,20}m/g, "");
}
