import { blobDirectory, databasePath } from "./data_directory.ts";
import { orMissingSync } from "./files.ts";

/** How far the times of one moment may be apart, in milliseconds: the clocks of files are coarse. */
const CLOCK_TOLERANCE_MS = 10_000;

/**
 * Shows whether a data directory is as its server left it. The lock file has it. A file system keeps the
 * time at which it last changed a file (ctime), which no program can set: it differs in every copy.
 */
export interface Seal {
  /** When the server wrote the lock file, in milliseconds since the Unix epoch. */
  readonly writtenAt: number;
  /** The inodes of the database and of `blobs/`. */
  readonly inodes: string;
}

/** The text of a seal that is written now. See docs/design/starts.md. */
export function sealOf(dataDir: string): string {
  return `${Date.now()} ${inodesOf(dataDir)}`;
}

/** Parses the text of a seal. Undefined if it is none. */
export function parseSeal(text = ""): Seal | undefined {
  const [, writtenAt, inodes] = /^(\d+) (\d+:\d+)$/.exec(text) ?? [];
  return inodes === undefined ? undefined : { writtenAt: Number(writtenAt), inodes };
}

/**
 * Whether nothing else has changed the directory since the server wrote the seal: the lock file was last
 * changed then, the database not later, and neither that nor `blobs/` has been replaced.
 */
export function isWhole(
  dataDir: string,
  { writtenAt, inodes }: Seal,
  lock: Deno.FileInfo,
): boolean {
  const database = orMissingSync(() => Deno.lstatSync(databasePath(dataDir)));
  if (!lock.ctime) return false;
  // Another engine may have the database: then none is here, as when the seal was written.
  const changedAt = database === undefined ? 0 : database.ctime?.getTime() ?? Infinity;
  return inodes === inodesOf(dataDir) &&
    Math.abs(lock.ctime.getTime() - writtenAt) <= CLOCK_TOLERANCE_MS &&
    changedAt <= writtenAt + CLOCK_TOLERANCE_MS;
}

function inodesOf(dataDir: string): string {
  return [databasePath(dataDir), blobDirectory(dataDir)]
    .map((path) => orMissingSync(() => Deno.lstatSync(path))?.ino ?? 0)
    .join(":");
}
