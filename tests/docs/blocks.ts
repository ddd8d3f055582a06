/** The fenced blocks of documents, and how the output that a document shows is compared with the real one. */

import * as assert from "node:assert/strict";

/** A fenced block of a document. */
export interface Block {
  /** `sh`, `python` and so on; `text` and `json` are the output of the block before them. */
  readonly language: string;
  /** The exit code of the block, which the fence says: `sh exit=1`. */
  readonly exitCode: number;
  /** The file that the reader saves the block as, which the fence says: `yaml file=compose.yaml`. */
  readonly file: string | undefined;
  readonly text: string;
  /** The line of the fence, from 1. */
  readonly line: number;
}

/** Stands for any text. As a key of an object, allows more properties. */
const ELLIPSIS = "…";
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

export function blocksOf(markdown: string): Block[] {
  const found = markdown.matchAll(/^ *```(\w*)([^\n]*)\n([\s\S]*?)^ *```$/gm);
  return [...found].map(({ 1: language = "", 2: attributes = "", 3: text = "", index }) => ({
    language,
    exitCode: Number(/ exit=(\d+)/.exec(attributes)?.[1] ?? 0),
    file: / file=(\S+)/.exec(attributes)?.[1],
    text,
    line: markdown.slice(0, index).split("\n").length,
  }));
}

/** Whether a block is what the one before it prints. */
export function isOutput({ language }: Block): boolean {
  return language === "text" || language === "json";
}

/** Asserts that an output is the documented one. */
export function assertPrints(actual: string, { language, text }: Block): void {
  if (language === "json") return assertMatches(JSON.parse(actual), JSON.parse(text), "reply");
  const pieces = text.trim().split(ELLIPSIS);
  let rest = actual.trim();
  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    const at = isLast && piece === "" ? rest.length : rest.indexOf(piece);
    const isInPlace = at >= 0 && (index > 0 || at === 0);
    assert.ok(isInPlace, `${JSON.stringify(piece)} is not where it is shown in:\n${actual}`);
    rest = rest.slice(at + piece.length);
  }
  assert.equal(rest, "", `printed more than is shown:\n${actual}`);
}

/** Asserts that a JSON value is the documented one. Times may differ. */
function assertMatches(actual: unknown, documented: unknown, at: string): void {
  if (documented === ELLIPSIS) return assert.equal(typeof actual, "string", at);
  if (typeof documented === "string" && TIME.test(documented)) {
    return assert.match(String(actual), TIME, at);
  }
  if (typeof documented !== "object" || documented === null) {
    return assert.deepEqual(actual, documented, at);
  }
  assert.ok(typeof actual === "object" && actual !== null, at);
  const expected = new Map(Object.entries(documented));
  const more = expected.delete(ELLIPSIS);
  const found = new Map<string, unknown>(Object.entries(actual));
  const extra = [...found.keys()].filter((key) => !expected.has(key));
  if (!more) assert.deepEqual(extra, [], at);
  for (const [key, value] of expected) {
    assert.ok(found.has(key), `${at}.${key} is missing`);
    assertMatches(found.get(key), value, `${at}.${key}`);
  }
}
