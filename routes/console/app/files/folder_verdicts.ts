import type { VerdictEntry } from "../../../../schemas/verdicts.ts";
import { list } from "../shared/api.ts";
import { isWithin } from "../shared/paths.ts";
import { type FileVerdict, shownOf, type ShownVerdict, worstOf } from "./shown_verdict.ts";
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
  /** By id of the entry. */
  readonly #shown = new Map<number, ShownVerdict>();
  /** The verdicts on the files below each directory, by its path and their ids. */
  readonly #below = new Map<string, Map<number, FileVerdict>>();
  /** Under which directory each file is that is below one. */
  readonly #directories = new Map<number, string>();
  /** Directories whose worst verdict may be another one. */
  readonly #stale = new Set<string>();
  /** Paths whose verdicts may have changed. */
  readonly #changed = new Set<string>();
  #areTooMany = false;
  #due: number | undefined;
  #reading = new AbortController();
  /** The reading of all verdicts. What has changed since it began is read after it. */
  #whole: Promise<void> = Promise.resolve();

  constructor(folder: FolderOfVerdicts) {
    this.#folder = folder;
  }

  /** Whether directories do not show what is below them, as there are too many files. */
  get areTooMany(): boolean {
    return this.#areTooMany;
  }

  /** What is shown, by id of the entry. It changes in place. */
  current(): ReadonlyMap<number, ShownVerdict> {
    for (const directory of this.#stale) {
      const id = this.#folder.folders.get(directory);
      const worst = worstOf(this.#below.get(directory)?.values() ?? []);
      if (id === undefined) continue;
      if (worst === undefined) this.#shown.delete(id);
      else this.#shown.set(id, worst);
    }
    this.#stale.clear();
    return this.#shown;
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
    return this.#whole = this.#readWhole(this.#reading.signal);
  }

  async #readWhole(signal: AbortSignal): Promise<void> {
    const { path, folders } = this.#folder;
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
    const found: VerdictEntry[] = [];
    for await (const items of list<VerdictEntry>("/resources/verdicts", { query, signal })) {
      found.push(...items);
      if (found.length > max) return false;
    }
    this.#shown.clear();
    this.#below.clear();
    this.#directories.clear();
    for (const item of found) this.#put(item, shownOf(item));
    this.#folder.onChange();
    return true;
  }

  /** A file has another verdict, whose reasons are read soon. */
  judge({ id, path, verdict }: Pick<VerdictEntry, "id" | "path" | "verdict">): void {
    if (!this.#concerns(path)) return;
    this.#put({ id, path }, { verdict, detail: undefined, path });
    this.#folder.onChange();
    // The event has no reasons. One that waits has none.
    if (verdict !== "pending") this.readSoon([path]);
  }

  /** A file is new, has other content, or has moved here or elsewhere. */
  change({ id, path }: Pick<VerdictEntry, "id" | "path">): void {
    const known = this.#below.get(this.#directories.get(id) ?? "")?.get(id) ?? this.#shown.get(id);
    this.remove(id);
    if (!this.#concerns(path)) return;
    if (known !== undefined) this.#put({ id, path }, { ...known, path });
    this.readSoon([path]);
  }

  /** A file is gone. */
  remove(id: number): void {
    this.#shown.delete(id);
    const directory = this.#directories.get(id);
    if (directory === undefined) return;
    this.#directories.delete(id);
    this.#below.get(directory)?.delete(id);
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
      // What is shown stays; the next change tries again.
      this.#readChanged().catch(() => {});
    }, AGAIN_MS);
  }

  async #readChanged(): Promise<void> {
    await this.#whole;
    const changed = [...this.#changed];
    if (changed.length > MAX_CHANGED || changed.includes(this.#folder.path)) {
      return await this.read();
    }
    this.#changed.clear();
    const { signal } = this.#reading;
    for (const paths of partsOf(changed)) {
      const query = { "paths[]": paths, recursive: "true" };
      for await (const items of list<VerdictEntry>("/resources/verdicts", { query, signal })) {
        for (const item of items) this.#put(item, shownOf(item));
      }
      this.#folder.onChange();
    }
  }

  /** Whether a file at a path has its part in what is shown. */
  #concerns(path: string): boolean {
    if (path === this.#folder.path || !isWithin(path, this.#folder.path)) return false;
    return !this.#areTooMany || this.#directoryOf(path) === undefined;
  }

  /** The directory here that a path is below. Undefined for what is in the directory itself. */
  #directoryOf(path: string): string | undefined {
    const start = this.#folder.path === "" ? 0 : this.#folder.path.length + 1;
    const end = path.indexOf("/", start);
    return end === -1 ? undefined : path.slice(0, end);
  }

  #put({ id, path }: Pick<VerdictEntry, "id" | "path">, verdict: FileVerdict): void {
    const directory = this.#directoryOf(path);
    if (directory === undefined) return void this.#shown.set(id, { ...verdict, files: 1 });
    const below = this.#below.get(directory) ?? new Map<number, FileVerdict>();
    this.#below.set(directory, below.set(id, verdict));
    this.#directories.set(id, directory);
    this.#stale.add(directory);
  }
}
