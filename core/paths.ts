import { AppError, quoted } from "./errors.ts";

/** The longest path, in bytes of UTF-8 (C 4). */
export const MAX_PATH_BYTES = 4096;
/** The longest segment, in bytes of UTF-8 (C 4). */
export const MAX_SEGMENT_BYTES = 255;

const encoder = new TextEncoder();
// deno-lint-ignore no-control-regex -- the control characters are what C 4 forbids
const FORBIDDEN = /[\u0000-\u001f\u007f:*?"<>|]/;

/**
 * Sanitizes a virtual path as C 4 says.
 *
 * @example
 * ```ts
 * import { sanitizePath } from "./paths.ts";
 * sanitizePath(" models\\llama/./weights.gguf/ "); // "models/llama/weights.gguf"
 * ```
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where the path is not one.
 */
export function sanitizePath(input: string): string {
  const invalid = (why: string) =>
    new AppError("ErrResourcesInvalidRequest", `Invalid path ${quoted(input)}: ${why}`);
  const text = input.trim();
  if (text === "") throw invalid("it is empty");
  if (byteLength(text) > MAX_PATH_BYTES) {
    throw invalid(`it is longer than ${MAX_PATH_BYTES} bytes`);
  }
  const unified = text.replaceAll("\\", "/");
  if (unified.startsWith("/")) throw invalid("it starts with a separator");
  const kept = unified.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (kept.length === 0) throw invalid("it names nothing");
  for (const segment of kept) {
    const flaw = segmentFlaw(segment);
    if (flaw !== undefined) throw invalid(flaw);
  }
  return kept.join("/");
}

/**
 * Sanitizes a directory path: as {@link sanitizePath}, but white space alone is the root, "" (C 4).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where the path is not one.
 */
export function sanitizeDirectory(input: string): string {
  return input.trim() === "" ? "" : sanitizePath(input);
}

/**
 * The distinct paths among what a caller gave; whitespace-only entries are skipped (RS 1.2).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where one is not valid.
 */
export function sanitizeAll(paths: readonly string[]): string[] {
  return [...new Set(paths.filter((path) => path.trim() !== "").map(sanitizePath))];
}

/**
 * Takes the file name out of what a client sent as one: the last segment, by either separator (C 4).
 *
 * @example
 * ```ts
 * import { sanitizeFileName } from "./paths.ts";
 * sanitizeFileName("C:\\models\\evil.txt"); // "evil.txt"
 * ```
 *
 * @throws {AppError} `ErrResourcesInvalidData` where no valid segment is left.
 */
export function sanitizeFileName(input: string): string {
  const segments = input.trim().replaceAll("\\", "/").split("/");
  const name = segments.filter((segment) => segment !== "" && segment !== ".").at(-1);
  const flaw = name === undefined ? "it names nothing" : segmentFlaw(name);
  if (name === undefined || flaw !== undefined) {
    throw new AppError(
      "ErrResourcesInvalidData",
      `Invalid file name ${quoted(input)}: ${flaw}`,
    );
  }
  return name;
}

/** What is wrong with a segment by C 4, or undefined where nothing is. */
function segmentFlaw(segment: string): string | undefined {
  const trimmed = segment.trim();
  if (trimmed === "") return "a segment is blank";
  if (trimmed === "." || trimmed === "..") return `a segment is ${quoted(segment)}`;
  if (byteLength(segment) > MAX_SEGMENT_BYTES) {
    return `a segment is longer than ${MAX_SEGMENT_BYTES} bytes`;
  }
  if (!segment.isWellFormed()) return "a segment is not valid Unicode";
  const forbidden = FORBIDDEN.exec(segment);
  if (forbidden !== null) return `a segment holds the character ${quoted(forbidden[0])}`;
  return undefined;
}

/**
 * The path of `name` in `directory`, "" being the root.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where it would be too long.
 */
export function joinPath(directory: string, name: string): string {
  const path = directory === "" ? name : `${directory}/${name}`;
  if (byteLength(path) > MAX_PATH_BYTES) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Invalid path ${quoted(path)}: it is longer than ${MAX_PATH_BYTES} bytes`,
    );
  }
  return path;
}

/** The last segment of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The path without its last segment; "" directly under the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Whether `path` lies below `directory`, however deep. */
export function isBelow(path: string, directory: string): boolean {
  return path.startsWith(`${directory}/`);
}

/**
 * The directories above a path, outermost first, the root left out.
 *
 * @example
 * ```ts
 * import { ancestorsOf } from "./paths.ts";
 * ancestorsOf("a/b/c"); // ["a", "a/b"]
 * ```
 */
export function ancestorsOf(path: string): string[] {
  const ancestors: string[] = [];
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    ancestors.push(path.slice(0, at));
  }
  return ancestors;
}

/** Orders strings by the bytes of their UTF-8, as SQLite does (C 4); JavaScript's `<` goes by UTF-16. */
export function compareBytewise(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** Lifts surrogates over the rest of the plane: the code points they stand for come after it. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function byteLength(text: string): number {
  return text.length > MAX_PATH_BYTES ? text.length : encoder.encode(text).length;
}
