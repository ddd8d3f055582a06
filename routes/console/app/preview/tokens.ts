import type { Language } from "./language.ts";

/** A part of a text that is marked. */
export interface Token {
  readonly start: number;
  readonly end: number;
  readonly kind: "comment" | "text" | "number" | "word";
}

/** A name or a number, from a place on. */
const NAME = /[\p{L}\p{N}_$]+/uy;
/** Where something may begin that is marked. */
const NEXT = /[^\s()[\]{},;=+]/g;

/** What is marked in a text, in its order. It takes time in proportion to the text. */
export function* tokensOf(text: string, language: Language): Generator<Token> {
  for (let at = 0; at < text.length;) {
    NEXT.lastIndex = at;
    if (!NEXT.test(text)) return;
    const start = NEXT.lastIndex - 1;
    const token = delimited(text, start, language) ?? named(text, start, language);
    if (token?.kind !== undefined) yield { start, end: token.end, kind: token.kind };
    at = token?.end ?? start + 1;
  }
}

interface Found {
  readonly end: number;
  /** Undefined if it is passed and not marked. */
  readonly kind?: Token["kind"];
}

/** A comment or a quoted text. */
function delimited(text: string, start: number, language: Language): Found | undefined {
  for (const mark of language.lineComments) {
    if (text.startsWith(mark, start)) return { end: lineEnd(text, start), kind: "comment" };
  }
  for (const [open, close] of language.blockComments) {
    if (!text.startsWith(open, start)) continue;
    const end = text.indexOf(close, start + open.length);
    return { end: end === -1 ? text.length : end + close.length, kind: "comment" };
  }
  const quote = language.quotes.find((it) => text.startsWith(it, start));
  if (quote === undefined) return undefined;
  return { end: quotedEnd(text, start, quote), kind: "text" };
}

function quotedEnd(text: string, start: number, quote: string): number {
  const isOfLine = quote.length === 1 && quote !== "`";
  for (let at = start + quote.length; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (isOfLine && text[at] === "\n") return at;
    else if (text.startsWith(quote, at)) return at + quote.length;
  }
  return text.length;
}

function named(text: string, start: number, { words }: Language): Found | undefined {
  NAME.lastIndex = start;
  const [name = ""] = NAME.exec(text) ?? [];
  if (name === "") return undefined;
  const end = start + name.length;
  if (/^\d/.test(name)) return { end, kind: "number" };
  return words.has(name) ? { end, kind: "word" } : { end };
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
}
