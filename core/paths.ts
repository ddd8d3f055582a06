import { cleanedPath } from "../schemas/clean_path.ts";
import { AppError, quoted } from "./errors.ts";

/** The maximum length of a path in UTF-8 (C 4). */
export const MAX_PATH_BYTES = 4096;
/** The maximum length of a segment in UTF-8 (C 4). */
export const MAX_SEGMENT_BYTES = 255;
/** The maximum number of segments of a new path. */
export const MAX_PATH_SEGMENTS = 256;
/** The maximum number of paths and ids in a request. */
export const MAX_TARGETS = 1000;

const encoder = new TextEncoder();
// deno-lint-ignore no-control-regex -- the control characters are what C 4 forbids
const FORBIDDEN = /[\u0000-\u001f\u007f:*?"<>|]/;
/** Paths as most are: nothing in them is dropped or wrong. Looking at them more closely takes ten times as long. */
const PLAIN = /^[\w-][\w.-]{0,254}(?:\/[\w-][\w.-]{0,254})*$/;
/** White space at an end of the path, or of one that is above it. */
const OUTER_SPACE = /^\s|\s(?:\/|$)/u;

/**
 * Sanitizes a virtual path (C 4).
 *
 * @example
 * ```ts
 * import { sanitizePath } from "./paths.ts";
 * sanitizePath(" models\\llama/./weights.gguf/ "); // "models/llama/weights.gguf"
 * ```
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path is invalid.
 */
export function sanitizePath(input: string): string {
  const { path, flaw } = cleanPath(input);
  if (flaw === undefined) return path;
  throw new AppError("ErrResourcesInvalidRequest", `Invalid path ${quoted(input)}: ${flaw}`);
}

/**
 * Sanitizes a file name that is a path (C 17), as {@link sanitizePath} does.
 *
 * @throws {AppError} `ErrResourcesInvalidData` when it is invalid.
 */
export function sanitizeFilePath(input: string): string {
  const { path, flaw } = cleanPath(input);
  if (flaw === undefined) return path;
  throw new AppError("ErrResourcesInvalidData", `Invalid file name ${quoted(input)}: ${flaw}`);
}

/** The path without what C 4 drops, or what is wrong with it. */
function cleanPath(input: string): { readonly path: string; readonly flaw?: string | undefined } {
  const flawed = (flaw: string) => ({ path: "", flaw });
  const text = input.trim();
  if (text.length <= MAX_PATH_BYTES && PLAIN.test(text)) return { path: text };
  if (text === "") return flawed("it is empty");
  if (byteLength(text) > MAX_PATH_BYTES) return flawed(`it is longer than ${MAX_PATH_BYTES} bytes`);
  if (/^[\\/]/.test(text)) return flawed("it starts with a separator");
  const path = cleanedPath(text);
  if (path === "") return flawed("it has no segment");
  // Sanitized again, it would be another path.
  if (path !== path.trim()) return flawed("white space is at an end of what is left of it");
  return { path, flaw: path.split("/").map(segmentFlaw).find((flaw) => flaw !== undefined) };
}

/**
 * Sanitizes a directory path. Unlike {@link sanitizePath}, takes white space as the root, "" (C 4).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path is invalid.
 */
export function sanitizeDirectory(input: string): string {
  return input.trim() === "" ? "" : sanitizePath(input);
}

/**
 * Sanitizes the paths of a request. Skips blank paths and removes duplicates (RS 1.2).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when a path is invalid or there are too many.
 */
export function sanitizeAll(paths: readonly string[]): string[] {
  const given = [...new Set(paths)].filter((path) => path.trim() !== "");
  refuseTooMany(given.length);
  return [...new Set(given.map(sanitizePath))];
}

/**
 * Refuses a request that names more than {@link MAX_TARGETS} records.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest`.
 */
export function refuseTooMany(targets: number): void {
  if (targets <= MAX_TARGETS) return;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Too many paths and ids: ${targets} (maximum: ${MAX_TARGETS}); ` +
      "name a directory above them, or send several requests",
  );
}

/**
 * Refuses a path that no new record may have: one that is too deep, or that requests could not name
 * afterwards, because {@link sanitizePath} changes it or a path above it (C 31).
 *
 * @param path A sanitized path; "" is the root, which is not refused.
 * @throws {AppError} `ErrResourcesInvalidRequest`.
 */
export function refuseUncreatable(path: string): void {
  const segments = path.split("/").length;
  const flaw = OUTER_SPACE.test(path)
    ? "white space starts it or ends one of its segments"
    : segments > MAX_PATH_SEGMENTS
    ? `it has ${segments} segments (maximum: ${MAX_PATH_SEGMENTS})`
    : undefined;
  if (flaw === undefined) return;
  throw new AppError("ErrResourcesInvalidRequest", `Invalid path ${quoted(path)}: ${flaw}`);
}

/**
 * Extracts the file name from what a client sent: the last segment, after either separator (C 4).
 *
 * @example
 * ```ts
 * import { sanitizeFileName } from "./paths.ts";
 * sanitizeFileName("C:\\models\\evil.txt"); // "evil.txt"
 * ```
 *
 * @throws {AppError} `ErrResourcesInvalidData` when there is no valid segment.
 */
export function sanitizeFileName(input: string): string {
  const segments = input.trim().replaceAll("\\", "/").split("/");
  const name = segments.filter((segment) => segment !== "" && segment !== ".").at(-1);
  const flaw = name === undefined ? "it has no segment" : segmentFlaw(name);
  if (name === undefined || flaw !== undefined) {
    throw new AppError(
      "ErrResourcesInvalidData",
      `Invalid file name ${quoted(input)}: ${flaw}`,
    );
  }
  return name;
}

/** What is wrong with a segment, or undefined if it is valid (C 4). */
function segmentFlaw(segment: string): string | undefined {
  const trimmed = segment.trim();
  if (trimmed === "") return "a segment is blank";
  if (trimmed === "." || trimmed === "..") return `a segment is ${quoted(segment)}`;
  if (byteLength(segment) > MAX_SEGMENT_BYTES) {
    return `a segment is longer than ${MAX_SEGMENT_BYTES} bytes`;
  }
  if (!segment.isWellFormed()) return "a segment is not valid Unicode";
  const forbidden = FORBIDDEN.exec(segment);
  if (forbidden !== null) return `a segment contains the character ${quoted(forbidden[0])}`;
  return undefined;
}

/**
 * The path of a new record `name` in `directory`; "" is the root.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path is longer than {@link MAX_PATH_BYTES},
 *   or as {@link refuseUncreatable} does.
 */
export function joinPath(directory: string, name: string): string {
  const path = directory === "" ? name : `${directory}/${name}`;
  if (byteLength(path) > MAX_PATH_BYTES) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Invalid path ${quoted(path)}: it is longer than ${MAX_PATH_BYTES} bytes`,
    );
  }
  refuseUncreatable(path);
  return path;
}

/** The last segment of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The path without its last segment; "" for a top-level path. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Whether `path` is below `directory`, at any depth. */
export function isBelow(path: string, directory: string): boolean {
  return path.startsWith(`${directory}/`);
}

/**
 * The directories above a path, outermost first, without the root.
 *
 * @example
 * ```ts
 * import { ancestorsOf } from "./paths.ts";
 * ancestorsOf("a/b/c"); // ["a", "a/b"]
 * ```
 */
export function ancestorsOf(path: string): string[] {
  const ancestors: string[] = [];
  for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
    ancestors.push(path.slice(0, end));
  }
  return ancestors;
}

/** Those of the paths that are not below another one. */
export function outermost(paths: readonly string[]): string[] {
  const kept: string[] = [];
  // With the separator, a directory sorts directly before all that is below it.
  for (const path of paths.map((path) => `${path}/`).sort()) {
    const last = kept.at(-1);
    if (last === undefined || !path.startsWith(last)) kept.push(path);
  }
  return kept.map((path) => path.slice(0, -1));
}

/** Orders strings by their UTF-8 bytes, as SQLite does (C 4). JavaScript's `<` compares UTF-16. */
export function compareBytewise(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** Ranks surrogates above all other code units, as code points beyond the BMP come after the rest. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function byteLength(text: string): number {
  return text.length > MAX_PATH_BYTES ? text.length : encoder.encode(text).length;
}
