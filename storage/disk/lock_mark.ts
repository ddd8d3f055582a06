import { isWhole, parseSeal, type Seal } from "./seal.ts";

/** The text of the file after a clean stop, in place of the id of a process. */
export const STOPPED = "stopped";

/** The last word of the file while a server stops. */
export const STOPPING = "stopping";

/** What the lock file says of the previous server. */
export interface LockMark {
  /** Whether it did not stop cleanly. */
  readonly marked: boolean;
  /** The generation of the database that it last recorded; 0 if unknown. */
  readonly generation: number;
  /** Whether the file is a copy of the one that it wrote. */
  readonly copied: boolean;
  readonly seal: Seal | undefined;
}

/** Parses the text of a lock file. Earlier versions wrote the id alone, or nothing. */
export function parseMark(text: string, { ino }: Deno.FileInfo): LockMark {
  const [, process, generation = "0", written, seal] =
    /^(\d*|stopped)(?: (\d+) (\d+)(?: (.+?))?)?(?: stopping)?$/.exec(text.trim()) ?? [];
  return {
    marked: process !== "" && process !== STOPPED,
    generation: Number(generation),
    copied: written !== undefined && Number(written) !== (ino ?? 0),
    seal: parseSeal(seal),
  };
}

/** Whether the text of a lock file is that of a server that stops, or has stopped. */
export function saysStopping(text: string): boolean {
  return text.trimEnd().endsWith(STOPPING) || text.startsWith(STOPPED);
}

/** Whether no more is wrong with the content than a crash explains. */
export function isSealed(
  dataDir: string,
  { marked, copied, seal }: LockMark,
  info: Deno.FileInfo,
): boolean {
  if (copied) return false;
  return !marked || (seal !== undefined && isWhole(dataDir, seal, info));
}
