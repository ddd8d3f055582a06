import { blobDirectory } from "../../disk/data_directory.ts";
import { orMissing } from "../../disk/files.ts";
import { Sequence } from "../../disk/sequence.ts";
import { blobPath } from "../paths.ts";
import { quarantinePaths } from "./quarantine.ts";

/** How often the server looks for the end of the backups that it holds content for. */
const POLL_MS = 500;

/**
 * Content that was removed while a backup is running. It is moved to `held/` of the data directory,
 * where the backup finds it, and deleted when no backup is running any more (C 22).
 *
 * A backup shares a lock on `blobs/` with others. The system releases it when the process ends, however
 * it ends, so no hold outlives its backup. The server looks at the lock when it removes content. It
 * need not keep the lock until the content is removed: no record that a backup reads from then on has
 * this content.
 * See docs/design/removing_content.md.
 */
export class HeldContent implements Disposable {
  readonly #dataDir: string;
  /** What is moved here and what is deleted must not meet. */
  readonly #sequence = new Sequence();
  #isDisposed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Deletes what a former server held. The data directory must have `blobs/`. */
  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#deleteLater(0);
  }

  /** Whether a backup is running. */
  get needed(): boolean {
    using lock = this.#lock();
    return lock === undefined;
  }

  /** Moves the content at `path` to `held/`. Returns false if no file is there. */
  take(hash: string, path: string): Promise<boolean> {
    return this.#sequence.run(async () => {
      const target = `${heldDirectory(this.#dataDir)}/${blobPath(hash)}`;
      const fan = target.slice(0, target.lastIndexOf("/"));
      await Deno.mkdir(fan, { recursive: true, mode: 0o700 });
      const moved = await orMissing(Deno.rename(path, target).then(() => true));
      this.#deleteLater(POLL_MS);
      return moved ?? false;
    });
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }

  /**
   * Deletes a part of the content, unless a backup is running, and the rest in later turns of the event
   * loop. Keeps the lock meanwhile: what is moved here after a backup has started must stay.
   */
  async #delete(): Promise<void> {
    const directory = heldDirectory(this.#dataDir);
    const entries = await orMissing(Array.fromAsync(Deno.readDir(directory)));
    if (entries === undefined) return;
    const [first] = entries;
    if (first === undefined) return await Deno.remove(directory);
    using lock = this.#lock();
    if (lock !== undefined) await Deno.remove(`${directory}/${first.name}`, { recursive: true });
    this.#deleteLater(lock === undefined ? POLL_MS : 0);
  }

  #deleteLater(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isDisposed) return;
    this.#timer = setTimeout(() => {
      // Tried again, and reported by the next start if that fails too.
      this.#sequence.run(() => this.#delete()).catch(() => this.#deleteLater(POLL_MS));
    }, ms);
  }

  /** The lock that no backup has at the same time. Undefined if one has it. */
  #lock(): Disposable | undefined {
    using opened = new DisposableStack();
    const directory = opened.use(Deno.openSync(blobDirectory(this.#dataDir)));
    return directory.tryLockSync(true) ? opened.move() : undefined;
  }
}

/**
 * Keeps all content of a data directory at its {@link contentPaths} until the result is disposed of or
 * this process ends. Call it before the records that name the content are read.
 *
 * @throws {Error} when the file system has no locks, or there is no `blobs/`.
 */
export async function holdContent(dataDir: string): Promise<Disposable> {
  using opened = new DisposableStack();
  const directory = opened.use(await Deno.open(blobDirectory(dataDir)));
  await directory.lock(false);
  return opened.move();
}

/** The paths at which content may be while it is held, most likely first. */
export function* contentPaths(dataDir: string, hash: string): Generator<string, void> {
  yield `${blobDirectory(dataDir)}/${blobPath(hash)}`;
  yield `${heldDirectory(dataDir)}/${blobPath(hash)}`;
  // A start after a crash moves content without a record.
  yield* quarantinePaths(dataDir, hash);
}

function heldDirectory(dataDir: string): string {
  return `${dataDir}/held`;
}
