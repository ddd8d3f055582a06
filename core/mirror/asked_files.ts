import { asError } from "../log.ts";
import { type MirroredFile, type MirrorParts, pathOf } from "./mirror.ts";

/** When a file was last asked for is noted no more often, in milliseconds. */
const NOTED_EVERY_MS = 60_000;
/** Of so many files it is remembered when that was noted. */
const MAX_NOTED = 10_000;

/** Notes when files were last asked for, as those are given up first that nobody has asked for longest. */
export class AskedFiles {
  readonly #parts: Pick<MirrorParts, "store" | "tree">;
  /** When they were noted, by their paths; those of longest ago first. */
  readonly #noted = new Map<string, number>();

  constructor(parts: Pick<MirrorParts, "store" | "tree">) {
    this.#parts = parts;
  }

  /** Notes that a file is asked for, in the background. */
  note(subject: MirroredFile): void {
    const path = pathOf(subject);
    const now = Date.now();
    if (now - (this.#noted.get(path) ?? -Infinity) < NOTED_EVERY_MS) return;
    this.#noted.delete(path);
    this.#noted.set(path, now);
    const [oldest] = this.#noted.keys();
    if (this.#noted.size > MAX_NOTED && oldest !== undefined) this.#noted.delete(oldest);
    const { store, tree: { log } } = this.#parts;
    const { revision, file } = subject;
    store.noteAsked(revision.revision, file.path, now).catch((error) =>
      log.warn("Cannot note that a file was asked for", { error: asError(error) })
    );
  }
}
