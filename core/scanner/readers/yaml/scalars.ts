import { unescape } from "../text/escapes.ts";
import { utf8FromLatin1 } from "../bytes/bytes.ts";
import type { DocumentEntry } from "../document_event.ts";

/** A scalar with the place after it. */
export interface Scalar {
  readonly value: string;
  readonly end: number;
  /** Whether the text ended before it did. */
  readonly open: boolean;
}

/** Reads a scalar in quotation marks, over several lines where need be (YAML 1.1, 7.3 of 1.2). */
export function readQuoted(text: string, start: number): Scalar {
  const quote = text[start];
  let at = start + 1;
  while (at < text.length) {
    const character = text[at];
    if (character === "\\" && quote === '"') at += 2;
    else if (character !== quote) at++;
    else if (quote === "'" && text[at + 1] === "'") at += 2;
    else break;
  }
  const inner = text.slice(start + 1, at);
  const value = quote === '"'
    ? quotedContent(utf8FromLatin1(inner))
    : folded(utf8FromLatin1(inner)).replaceAll("''", "'");
  return { value, end: Math.min(at + 1, text.length), open: at >= text.length };
}

/** Reads a literal or folded scalar; its lines are those deeper than `parent`, in columns. */
export function readBlock(text: string, start: number, parent: number): Scalar {
  const isFolded = text[start] === ">";
  let at = lineEnd(text, start);
  const lines: string[] = [];
  let indent = -1;
  while (at < text.length) {
    const begin = at + 1;
    const end = lineEnd(text, begin);
    const first = firstNonSpace(text, begin, end);
    if (first < end && (first - begin <= parent || isDocumentMark(text, begin))) break;
    if (first < end && indent < 0) indent = first - begin;
    lines.push(text.slice(Math.min(begin + Math.max(indent, 0), end), end));
    at = end;
  }
  while (lines.at(-1) === "") lines.pop();
  return { value: utf8FromLatin1(lines.join(isFolded ? " " : "\n")), end: at, open: false };
}

/**
 * Reads a scalar without quotation marks, with the deeper lines that go on with it. In a flow it ends
 * before the marks of flows.
 */
export function readPlain(text: string, start: number, parent: number, flow: boolean): Scalar {
  let end = plainEnd(text, start, flow);
  const pieces = [text.slice(start, end).trimEnd()];
  while (text[end] === "\n" || text[end] === "\r") {
    const begin = nextContent(text, end);
    if (begin >= text.length || text[begin] === "#") break;
    const column = begin - lineStart(text, begin);
    if (!flow && (column <= parent || isDocumentMark(text, begin))) break;
    const next = plainEnd(text, begin, flow);
    if (next === begin || text[next] === ":") break;
    pieces.push(text.slice(begin, next).trimEnd());
    end = next;
  }
  return { value: utf8FromLatin1(pieces.join(" ")), end, open: false };
}

/** Where a line ends: at its line feed, or at the end of the text. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Whether `---` or `...` stands alone at the beginning of a line. */
export function isDocumentMark(text: string, at: number): boolean {
  const isMark = text.startsWith("---", at) || text.startsWith("...", at);
  return isMark && (at === 0 || text[at - 1] === "\n") && isBlank(text[at + 3]);
}

/** Whether a character separates: white space, or no character at all. */
export function isBlank(character: string | undefined): boolean {
  return character === undefined || character === " " || character === "\t" ||
    character === "\n" || character === "\r";
}

function plainEnd(text: string, start: number, flow: boolean): number {
  let at = start;
  while (at < text.length) {
    const character = text[at];
    if (character === "\n" || character === "\r") break;
    if (character === "#" && at > start && isBlank(text[at - 1])) break;
    if (flow && /[,[\]{}]/.test(character ?? "")) break;
    if (character === ":" && endsKey(text, at, flow)) break;
    at++;
  }
  return at;
}

/** Whether the colon ends a key. */
export function endsKey(text: string, at: number, flow: boolean): boolean {
  const next = text[at + 1];
  return text[at] === ":" && (isBlank(next) || flow && /[,[\]{}]/.test(next ?? ""));
}

function firstNonSpace(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && (text[at] === " " || text[at] === "\t" || text[at] === "\r")) at++;
  return at;
}

/** Where the next character stands that is no white space. */
export function nextContent(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text[at])) at++;
  return at;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at) + 1;
}

/** Line breaks within a scalar are spaces, and empty lines are line breaks. */
function folded(text: string): string {
  return text.replace(/[ \t]*\r?\n[ \t]*/g, "\n").replace(
    /\n+/g,
    (breaks) => breaks.length === 1 ? " " : breaks.slice(1),
  );
}

const ESCAPES: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  N: "\u0085",
  _: "\u00a0",
  L: "\u2028",
  P: "\u2029",
};

function quotedContent(text: string): string {
  const joined = text.replace(/(\\\\|\\[^\r\n])|\\\r?\n[ \t]*/g, "$1");
  return unescape(folded(joined), ESCAPES);
}

/** The value of a scalar without quotation marks, of those kinds that matter here (YAML 1.1). */
export function resolvePlain(text: string): DocumentEntry["value"] {
  if (/^(?:true|yes|on)$/i.test(text)) return true;
  if (/^(?:false|no|off)$/i.test(text)) return false;
  if (/^(?:null|~)$/i.test(text)) return null;
  return /^[-+]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Where a word ends: at white space or a mark of flows. */
export function wordEnd(text: string, at: number): number {
  return endBefore(text, at, /[\s,[\]{}]/g);
}

/** Where a tag ends: one in angle brackets behind them, others as words do. */
export function tagEnd(text: string, at: number): number {
  if (!text.startsWith("!<", at)) return wordEnd(text, at);
  return Math.min(endBefore(text, at, />|\s/g) + 1, text.length);
}

function endBefore(text: string, at: number, ends: RegExp): number {
  ends.lastIndex = at;
  return ends.exec(text)?.index ?? text.length;
}
