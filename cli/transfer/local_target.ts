import { dirname } from "node:path/posix";
import { orMissing, syncDirectory } from "../../storage/disk/files.ts";
import { below } from "./file_sets.ts";

/** How many directories may have renames that are not synced yet. */
const MAX_UNSYNCED = 1000;

/** The directory that files are stored in. Nothing leaves it by links. */
export class LocalTarget {
  readonly #root: string;
  readonly #made = new Set<string>();
  readonly #unsynced = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  pathOf(path: string): string {
    return below(this.#root, path);
  }

  /**
   * Makes a directory and those above it.
   *
   * @throws {Error} when one of them is something else, such as a link.
   */
  async makeDirectory(path: string): Promise<void> {
    if (this.#made.has(path)) return;
    const whole = this.pathOf(path);
    if (path === "") await Deno.mkdir(whole, { recursive: true });
    else {
      const parent = dirname(path);
      await this.makeDirectory(parent === "." ? "" : parent);
      const info = await orMissing(Deno.lstat(whole));
      if (info?.isSymlink) throw new Error(`"${whole}" is a link, and nothing is stored by links`);
      if (info === undefined) await this.#make(whole);
      else if (!info.isDirectory) throw new Error(`"${whole}" is not a directory`);
    }
    if (this.#made.size > MAX_UNSYNCED) this.#made.clear();
    this.#made.add(path);
  }

  async #make(directory: string): Promise<void> {
    try {
      await Deno.mkdir(directory);
    } catch (error) {
      // Another file needed it at the same time.
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
    await this.#changed(dirname(directory));
  }

  /** Gives a file its name, in place of what has it. */
  async rename(from: string, to: string): Promise<void> {
    await Deno.rename(from, to);
    await this.#changed(dirname(to));
  }

  /** Deletes a file, a link, or a directory that is empty. Returns false for one that is not. */
  async remove(path: string): Promise<boolean> {
    try {
      await Deno.remove(this.pathOf(path));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOTEMPTY") return false;
      throw error;
    }
    await this.#changed(dirname(this.pathOf(path)));
    return true;
  }

  async #changed(directory: string): Promise<void> {
    this.#unsynced.add(directory);
    if (this.#unsynced.size > MAX_UNSYNCED) await this.sync();
  }

  /** Makes all changes durable. */
  async sync(): Promise<void> {
    const directories = [...this.#unsynced];
    this.#unsynced.clear();
    for (const directory of directories) await orMissing(syncDirectory(directory));
  }
}
