import type { Check } from "./scanner.ts";
import type { ByteSource } from "./source.ts";

/**
 * Called again and again while a file is scanned, since nobody can end a thread that is busy.
 *
 * @throws {ScanStopped} where the scan is to end.
 */
export type Checkpoint = () => void;

/** The time of a scan is over, or nobody wants it any more. */
export class ScanStopped extends Error {
  override readonly name = "ScanStopped";
}

/**
 * Does the work of a scanner that tells its checks at the end. Where the work breaks off, what it had
 * found is told all the same.
 *
 * @throws whatever the work throws, afterwards.
 */
export function* emitFailuresOnThrow(
  work: () => void,
  checks: () => Iterable<Check>,
): Generator<Check, void, void> {
  try {
    work();
  } catch (error) {
    for (const check of checks()) if (check.status === "failed") yield check;
    throw error;
  }
}

/** A source that passes the checkpoint each time it is read. */
export function withCheckpoint(source: ByteSource, checkpoint: Checkpoint): ByteSource {
  return {
    size: source.size,
    read(offset, length) {
      checkpoint();
      return source.read(offset, length);
    },
  };
}
