import type { Check } from "./scanner.ts";
import type { ByteSource } from "./source.ts";

/**
 * Called repeatedly during a scan, since a busy thread cannot be interrupted from outside.
 *
 * @throws {ScanStopped} when the scan must end.
 */
export type Checkpoint = () => void;

/** The scan has timed out or was cancelled. */
export class ScanStopped extends Error {
  override readonly name = "ScanStopped";
}

/**
 * Runs the work of a scanner that emits its checks at the end. If the work throws, the checks that
 * failed so far are emitted before the error is passed on.
 *
 * @throws whatever `work` throws.
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

/** A source that calls the checkpoint before each read. */
export function withCheckpoint(source: ByteSource, checkpoint: Checkpoint): ByteSource {
  const readInto = source.readInto?.bind(source);
  return {
    size: source.size,
    isCut: source.isCut,
    read(offset, length) {
      checkpoint();
      return source.read(offset, length);
    },
    ...readInto !== undefined && {
      readInto(offset: number, target: Uint8Array) {
        checkpoint();
        return readInto(offset, target);
      },
    },
  };
}
