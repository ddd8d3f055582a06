import { createHash } from "node:crypto";

/**
 * The name of the file, in the directory of a file, that has what has arrived of it so far. It depends on
 * the content, so that what is left of other content is not continued, and has no more characters than a
 * file system takes.
 */
export function partialName(name: string, sha256: string): string {
  const key = createHash("sha256").update(`${sha256}/${name}`).digest("hex").slice(0, 32);
  return `.strongroom-${key}.part`;
}

/** Whether a name is one of {@link partialName}. */
export function isPartial(name: string): boolean {
  return /^\.strongroom-[0-9a-f]{32}\.part$/.test(name);
}
