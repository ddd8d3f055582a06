import * as v from "valibot";
import { type Chunk, joinChunks } from "../../core/content.ts";
import { AppError, quoted } from "../../core/errors.ts";
import { exceededBound } from "../../core/json_bounds.ts";
import { CommitLine } from "../../schemas/hub_commit.ts";
import { KIB, MIB } from "../../schemas/units.ts";

/** The longest line without the content in it, in bytes. */
const MAX_JSON_BYTES = 64 * KIB;
/** The most JSON in a line. */
const BOUNDS = { maxDepth: 10, maxValues: 1000, maxObjects: 100 };
/** The longest content, as a JSON string, that is not plain base64. */
const MAX_ESCAPED_BYTES = MIB;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

const encoder = new TextEncoder();
const CONTENT_KEY = encoder.encode('"content"');
/** Stands for content that was cut out, in JSON that nobody else has made. */
const PLACEHOLDER = crypto.randomUUID();
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A line of a commit, and its content as it is stated: in base64 or UTF-8. */
export interface ParsedLine {
  readonly line: CommitLine;
  /** Part of the memory of the line. */
  readonly content: Chunk | undefined;
}

/**
 * Parses a line of a commit (C 20). The content of a file is not parsed with the rest, as that would
 * take several times its memory, and keep the event loop.
 *
 * @param number That of the line, for messages.
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is not a line of a commit.
 */
export function parseLine(bytes: Chunk, number: number): ParsedLine {
  const refuse = (why: string, cause?: unknown) => invalidLine(number, why, cause);
  const range = contentIn(bytes);
  const parts = range === undefined
    ? [bytes]
    : [bytes.subarray(0, range.start), encoder.encode(PLACEHOLDER), bytes.subarray(range.end)];
  if (parts.reduce((sum, part) => sum + part.length, 0) > MAX_JSON_BYTES) {
    throw refuse(`it has more than ${MAX_JSON_BYTES} bytes besides the content`);
  }
  const json = joinChunks(parts);
  const exceeded = exceededBound(json, BOUNDS);
  if (exceeded !== undefined) throw refuse(`it has ${exceeded}`);
  const line = lineOf(json, refuse);
  if (line.key !== "file") return { line, content: undefined };
  if (range === undefined) return { line, content: encodeContent(line.value.content, refuse) };
  // Another key "content", or a second one.
  if (line.value.content !== PLACEHOLDER) throw refuse("it has the key content twice");
  return { line, content: contentOf(bytes.subarray(range.start, range.end), line, refuse) };
}

/** The error for a line. */
export function invalidLine(number: number, why: string, cause?: unknown): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot commit: line ${number}: ${why}`, {
    cause,
  });
}

type Refuse = (why: string, cause?: unknown) => AppError;

function lineOf(json: Chunk, refuse: Refuse): CommitLine {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(json));
  } catch (error) {
    throw refuse("not valid JSON in UTF-8", error);
  }
  const result = v.safeParse(CommitLine, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const where = v.getDotPath(issue) ?? "it";
  const received = issue.received.startsWith('"')
    ? quoted(issue.received.slice(1, -1))
    : issue.received;
  throw refuse(
    received === "undefined"
      ? `${where} is missing`
      : `${where} must be ${issue.expected}, not ${received}`,
  );
}

/** Where the first string after a key `content` is, without its quotes. */
function contentIn(line: Chunk): { readonly start: number; readonly end: number } | undefined {
  // A key within the first bytes only: what comes before it is part of the JSON.
  const head = line.subarray(0, MAX_JSON_BYTES);
  for (let at = head.indexOf(QUOTE); at !== -1; at = head.indexOf(QUOTE, at)) {
    const isContent = CONTENT_KEY.every((byte, index) => head[at + index] === byte);
    const start = isContent ? stringAfter(line, at + CONTENT_KEY.length) : undefined;
    if (start !== undefined) return { start, end: endOfString(line, start) };
    at = endOfString(head, at + 1) + 1;
  }
  return undefined;
}

/** Where a string begins, without its quote, if a colon and one follow here. */
function stringAfter(line: Chunk, position: number): number | undefined {
  const colon = skipSpace(line, position);
  if (line[colon] !== COLON) return undefined;
  const quote = skipSpace(line, colon + 1);
  return line[quote] === QUOTE ? quote + 1 : undefined;
}

function skipSpace(line: Chunk, from: number): number {
  let at = from;
  while (at < from + KIB && [0x20, 0x09, 0x0d].includes(line[at] ?? 0)) at++;
  return at;
}

/** The index of the closing quote, or the end of the line. */
function endOfString(line: Chunk, start: number): number {
  for (let quote = start;; quote++) {
    quote = line.indexOf(QUOTE, quote);
    if (quote === -1) return line.length;
    let escapes = quote;
    while (escapes > start && line[escapes - 1] === BACKSLASH) escapes--;
    if ((quote - escapes) % 2 === 0) return quote;
    // A longer one is refused, wherever it ends.
    if (quote - start > MAX_ESCAPED_BYTES) return line.length;
  }
}

/** The content in a JSON string. */
function contentOf(text: Chunk, line: CommitLine & { key: "file" }, refuse: Refuse): Chunk {
  const isPlain = line.value.encoding === "base64" && !text.includes(BACKSLASH);
  if (isPlain) return text;
  if (text.length > MAX_ESCAPED_BYTES) {
    throw refuse(
      `it has more than ${MAX_ESCAPED_BYTES} bytes of content that is not plain base64; use that, or Git LFS`,
    );
  }
  try {
    return encodeContent(v.parse(v.string(), JSON.parse(`"${utf8.decode(text)}"`)), refuse);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refuse("not valid JSON in UTF-8", error);
  }
}

function encodeContent(content: string, refuse: Refuse): Chunk {
  if (!content.isWellFormed()) throw refuse("its content is not valid Unicode");
  return encoder.encode(content);
}
