import { createHash } from "node:crypto";

/**
 * One hash for all content of a scan (C 16): of the lower-case SHA-256 digests, each once, sorted and
 * concatenated. The same files in other places give the same.
 *
 * @returns null where there are no digests.
 */
export function contentHashOf(digests: Iterable<string>): string | null {
  const distinct = [...new Set(Array.from(digests, (it) => it.toLowerCase()))].sort();
  return distinct.length === 0
    ? null
    : createHash("sha256").update(distinct.join("")).digest("hex");
}
