import { type EscapeLetters, unescape } from "../text/escapes.ts";
import { utf8FromLatin1 } from "../bytes/bytes.ts";
import type { DocumentEntry } from "../document_event.ts";

/** A scalar and where it ends. */
export interface Scalar {
  readonly value: string;
  /** The index after the scalar. */
  readonly end: number;
  /** Whether the text ended before the closing quotation mark. */
  readonly open: boolean;
}

/** Reads a quoted scalar, which may span lines (YAML 1.2, 7.3). */
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
    ? unescapeQuoted(utf8FromLatin1(inner))
    : folded(utf8FromLatin1(inner)).replaceAll("''", "'");
  return { value, end: Math.min(at + 1, text.length), open: at >= text.length };
}

/** Reads a literal or folded block scalar: the lines indented deeper than the column `parent`. */
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
 * Reads a plain scalar and its continuation lines, which are indented deeper than the column `parent`.
 * In a flow collection it ends before a comma, bracket or brace.
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

/** The index of the line feed that ends the line, or the length of the text. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Whether a line begins here with `---` or `...` followed by white space. */
export function isDocumentMark(text: string, at: number): boolean {
  const isMark = text.startsWith("---", at) || text.startsWith("...", at);
  return isMark && (at === 0 || text[at - 1] === "\n") && isBlank(text[at + 3]);
}

/** Whether the character separates tokens: white space, or the end of the text. */
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

/** Whether the character here is a colon that ends a key. */
export function endsKey(text: string, at: number, flow: boolean): boolean {
  const next = text[at + 1];
  return text[at] === ":" && (isBlank(next) || flow && /[,[\]{}]/.test(next ?? ""));
}

function firstNonSpace(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && (text[at] === " " || text[at] === "\t" || text[at] === "\r")) at++;
  return at;
}

/** The index of the next character that is not white space. */
export function nextContent(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text[at])) at++;
  return at;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at) + 1;
}

/** Folds lines: a line break becomes a space, and an empty line a line break. */
function folded(text: string): string {
  return text.replace(/[ \t]*\r?\n[ \t]*/g, "\n").replace(
    /\n+/g,
    (breaks) => breaks.length === 1 ? " " : breaks.slice(1),
  );
}

/** YAML 1.2, 5.7. */
const ESCAPES: EscapeLetters = {
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

function unescapeQuoted(text: string): string {
  const joined = text.replace(/(\\\\|\\[^\r\n])|\\\r?\n[ \t]*/g, "$1");
  return unescape(folded(joined), ESCAPES);
}

/** The value of a plain scalar under YAML 1.1: a boolean, null, a decimal number, or else its text. */
export function resolvePlain(text: string): DocumentEntry["value"] {
  if (/^(?:true|yes|on)$/i.test(text)) return true;
  if (/^(?:false|no|off)$/i.test(text)) return false;
  if (/^(?:null|~)$/i.test(text)) return null;
  return /^[-+]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

/** The end of a word: at white space, a comma, a bracket or a brace. */
export function wordEnd(text: string, at: number): number {
  return endBefore(text, at, /[\s,[\]{}]/g);
}

/** The end of a tag: after its angle brackets, or where a word ends. */
export function tagEnd(text: string, at: number): number {
  if (!text.startsWith("!<", at)) return wordEnd(text, at);
  return Math.min(endBefore(text, at, />|\s/g) + 1, text.length);
}

function endBefore(text: string, at: number, ends: RegExp): number {
  ends.lastIndex = at;
  return ends.exec(text)?.index ?? text.length;
}
