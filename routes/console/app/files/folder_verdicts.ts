import type { VerdictEntry } from "../../../../schemas/verdicts.ts";
import { list } from "../shared/api.ts";
import { isWithin } from "../shared/paths.ts";
import { shownOf, type ShownVerdict, worstOf } from "./shown_verdict.ts";
import { partsOf } from "./targets.ts";

/** When the verdicts on changed files are asked for, in milliseconds. */
const AGAIN_MS = 500;
/** Of more files below a directory, only those in it have a verdict shown. */
export const MAX_DEEP_VERDICTS = 20_000;
/** Of more changed paths, all verdicts are read anew. */
const MAX_CHANGED = 2000;

/** What {@link FolderVerdicts} needs to know of the directory. */
export interface FolderOfVerdicts {
  readonly path: string;
  /** The id of each directory in it, by its path. */
  readonly folders: ReadonlyMap<string, number>;
  /** Called after a change of what is shown. */
  readonly onChange: () => void;
}

/**
 * The verdicts on what is in a directory: on its files, and for each directory in it the worst one below. They are
 * read once; later, only those of files that have changed are.
 */
export class FolderVerdicts implements Disposable {
  readonly #folder: FolderOfVerdicts;
  #known: Known;
  /** Directories whose worst verdict may be another one. */
  readonly #stale = new Set<string>();
  /** Paths whose verdicts may have changed. */
  readonly #changed = new Set<string>();
  /** Files that have changed since they were asked for: the reply may be older than the change. */
  readonly #touched = new Set<number>();
  #areTooMany = false;
  #due: number | undefined;
  #reading = new AbortController();
  /** The last reading. One begins when the one before has ended. */
  #last: Promise<void> = Promise.resolve();

  constructor(folder: FolderOfVerdicts) {
    this.#folder = folder;
    this.#known = new Known(folder.path);
  }

  /** Whether directories do not show what is below them, as there are too many files. */
  get areTooMany(): boolean {
    return this.#areTooMany;
  }

  /** What is shown, by id of the entry. It changes in place. */
  current(): ReadonlyMap<number, ShownVerdict> {
    for (const directory of this.#stale) {
      const id = this.#folder.folders.get(directory);
      // It is gone, or yet to come.
      if (id === undefined) continue;
      this.#stale.delete(directory);
      const worst = worstOf(this.#known.below.get(directory)?.values() ?? []);
      if (worst === undefined) this.#known.shown.delete(id);
      else this.#known.shown.set(id, worst);
    }
    return this.#known.shown;
  }

  [Symbol.dispose](): void {
    this.#reading.abort();
    clearTimeout(this.#due);
  }

  /** Reads the verdicts on all files below, or if these are too many, on those in the directory. @throws {ApiError} */
  read(): Promise<void> {
    this[Symbol.dispose]();
    this.#due = undefined;
    this.#changed.clear();
    this.#reading = new AbortController();
    return this.#last = this.#readWhole(this.#reading.signal);
  }

  async #readWhole(signal: AbortSignal): Promise<void> {
    const { path, folders } = this.#folder;
    this.#touched.clear();
    const query: Readonly<Record<string, string>> = path === "" ? {} : { path };
    const deep = { ...query, recursive: "true" };
    this.#areTooMany = folders.size > 0 && !await this.#readAll(deep, MAX_DEEP_VERDICTS, signal);
    if (this.#areTooMany || folders.size === 0) await this.#readAll(query, Infinity, signal);
  }

  /** Returns whether there were no more than `max`. What is shown stays until all have arrived. */
  async #readAll(
    query: Readonly<Record<string, string>>,
    max: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const known = new Known(this.#folder.path);
    let count = 0;
    for await (const items of list<VerdictEntry>("/resources/verdicts", { query, signal })) {
      count += items.length;
      if (count > max) return false;
      for (const item of items) {
        if (!this.#touched.has(item.id)) known.put(item.id, shownOf(item));
      }
    }
    this.#known = known;
    for (const directory of known.below.keys()) this.#stale.add(directory);
    this.#folder.onChange();
    return true;
  }

  /** A file has another verdict, whose reasons are read soon. */
  judge({ id, path, verdict }: Pick<VerdictEntry, "id" | "path" | "verdict">): void {
    if (!this.#concerns(path)) return;
    this.#touched.add(id);
    const known = this.#known.get(id);
    // A waiver leaves the verdict as it is. What the gate does is known when it is asked for.
    const shown = known?.verdict === verdict ? known : { detail: undefined, isBlocked: false };
    this.#put(id, { ...shown, verdict, path, files: 1, size: known?.size });
    this.#folder.onChange();
    // The event has no reasons.
    this.readSoon([path]);
  }

  /** A file is new, has other content, or has moved here or elsewhere. */
  change({ id, path, size }: Pick<VerdictEntry, "id" | "path" | "size">): void {
    const known = this.#known.get(id);
    this.remove(id);
    if (!this.#concerns(path)) return;
    if (known !== undefined) this.#put(id, { ...known, path, size });
    this.readSoon([path]);
  }

  /** A file is gone. */
  remove(id: number): void {
    this.#touched.add(id);
    const directory = this.#known.remove(id);
    if (directory === undefined) return;
    this.#stale.add(directory);
    this.#folder.onChange();
  }

  /** Reads the verdicts on the files at or below some paths, with others that change in the same moment. */
  readSoon(paths: readonly string[]): void {
    for (const path of paths) {
      if (isWithin(this.#folder.path, path)) this.#changed.add(this.#folder.path);
      else if (this.#concerns(path)) this.#changed.add(path);
    }
    if (this.#changed.size === 0) return;
    this.#due ??= setTimeout(() => {
      this.#due = undefined;
      const { signal } = this.#reading;
      // What is shown stays when that fails; the next change tries again.
      this.#last = this.#last.catch(() => {}).then(() => this.#readChanged(signal));
      this.#last.catch(() => {});
    }, AGAIN_MS);
  }

  async #readChanged(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const changed = [...this.#changed];
    this.#changed.clear();
    if (changed.length > MAX_CHANGED || changed.includes(this.#folder.path)) {
      return await this.#readWhole(signal);
    }
    for (const paths of partsOf(changed)) {
      this.#touched.clear();
      const query = { "paths[]": paths, recursive: "true" };
      for await (const items of list<VerdictEntry>("/resources/verdicts", { query, signal })) {
        for (const item of items) {
          if (!this.#touched.has(item.id)) this.#put(item.id, shownOf(item));
        }
      }
      this.#folder.onChange();
    }
  }

  /** Whether a file at a path has its part in what is shown. */
  #concerns(path: string): boolean {
    if (path === this.#folder.path || !isWithin(path, this.#folder.path)) return false;
    return !this.#areTooMany || this.#known.directoryOf(path) === undefined;
  }

  #put(id: number, verdict: ShownVerdict): void {
    const directory = this.#known.put(id, verdict);
    if (directory !== undefined) this.#stale.add(directory);
  }
}

/** The verdicts on files that are known, of those in a directory and of those below the directories in it. */
class Known {
  readonly #path: string;
  /** Under which directory each file is that is below one. */
  readonly #directories = new Map<number, string>();
  /** What is shown, by id of the entry: of directories what was found last. */
  readonly shown = new Map<number, ShownVerdict>();
  /** The verdicts on the files below each directory, by its path and their ids. */
  readonly below = new Map<string, Map<number, ShownVerdict>>();

  constructor(path: string) {
    this.#path = path;
  }

  get(id: number): ShownVerdict | undefined {
    const directory = this.#directories.get(id);
    return directory === undefined ? this.shown.get(id) : this.below.get(directory)?.get(id);
  }

  /** Returns the directory here that the file is below. */
  put(id: number, verdict: ShownVerdict): string | undefined {
    const directory = this.directoryOf(verdict.path);
    if (directory === undefined) {
      this.shown.set(id, verdict);
      return undefined;
    }
    const below = this.below.get(directory) ?? new Map<number, ShownVerdict>();
    this.below.set(directory, below.set(id, verdict));
    this.#directories.set(id, directory);
    return directory;
  }

  /** Returns the directory here that the file was below. */
  remove(id: number): string | undefined {
    this.shown.delete(id);
    const directory = this.#directories.get(id);
    if (directory === undefined) return undefined;
    this.#directories.delete(id);
    this.below.get(directory)?.delete(id);
    return directory;
  }

  /** The directory here that a path is below. Undefined for what is in the directory itself. */
  directoryOf(path: string): string | undefined {
    const start = this.#path === "" ? 0 : this.#path.length + 1;
    const end = path.indexOf("/", start);
    return end === -1 ? undefined : path.slice(0, end);
  }
}
