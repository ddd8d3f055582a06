import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { ApiError, list } from "../shared/api.ts";
import { isOfResource, onShown, whenReachable } from "../shared/live.ts";
import { isWithin, join, nameOf, parentOf } from "../shared/paths.ts";
import { Store } from "../shared/store.ts";
import { nameOrder } from "./order.ts";

/** How often what is shown changes at most, in milliseconds. */
const SHOW_MS = 60;

/** A folder in a tree of which some folders are open, as it is shown in a row. */
export interface FolderRow {
  readonly path: string;
  /** 1 for the top folder. */
  readonly level: number;
  /** Its place among the folders beside it, from 1, and their number. */
  readonly position: number;
  readonly size: number;
}

/** The folders of a tree, loaded as they are looked at, and kept as they are by events. */
export class FolderTree implements Disposable {
  /** Grows with each change. */
  readonly version = new Store(0);
  /** The names of the folders in a folder, in order. Undefined until they are loaded. */
  readonly #known = new Map<string, readonly string[] | undefined>();
  /** Where folders are whose names are known. */
  readonly #paths = new Map<number, string>();
  /** What has changed in folders since they were asked for, which their lists may not have. */
  readonly #since = new Map<string, (readonly [path: string, isAdded: boolean])[]>();
  #showing: number | undefined;
  #endWaiting = () => {};
  readonly #unsubscribe = onShown((event) => {
    if (event.type === "reset") return this.#loadAll();
    if (!isOfResource(event) || event.type === "resource.verdict" || !event.data.is_dir) return;
    const { id, path } = event.data;
    const before = this.#paths.get(id);
    if (event.type === "resource.deleted") return this.#change(id, path, false);
    if (before !== undefined && before !== path) this.#change(id, before, false);
    this.#change(id, path, true);
  });

  /** The top folder, and what is in the open ones. Those that are not known are loaded. */
  rows(open: ReadonlySet<string>): readonly FolderRow[] {
    const rows: FolderRow[] = [];
    const add = (row: FolderRow) => {
      rows.push(row);
      const { path, level } = row;
      if (!open.has(path)) return;
      const names = this.#namesIn(path);
      names.forEach((name, index) =>
        add({ path: join(path, name), level: level + 1, position: index + 1, size: names.length })
      );
    };
    add({ path: "", level: 1, position: 1, size: 1 });
    return rows;
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#endWaiting();
    clearTimeout(this.#showing);
  }

  #namesIn(path: string): readonly string[] {
    if (!this.#known.has(path)) {
      this.#known.set(path, undefined);
      void this.#load(path);
    }
    return this.#known.get(path) ?? [];
  }

  #loadAgain(): void {
    this.#endWaiting();
    this.#endWaiting = whenReachable(() => this.#loadAll());
  }

  #loadAll(): void {
    for (const path of this.#known.keys()) void this.#load(path);
  }

  async #load(path: string): Promise<void> {
    const names: string[] = [];
    const since: (readonly [path: string, isAdded: boolean])[] = [];
    this.#since.set(path, since);
    try {
      const query = path === "" ? {} : { path };
      for await (const entries of list<ResourceEntry>("/resources/", { query })) {
        for (const { id, is_dir, path: found, name } of entries) {
          if (!is_dir || found === path || parentOf(found) !== path) continue;
          names.push(name);
          this.#paths.set(id, found);
        }
      }
    } catch (error) {
      // The table beside it says what is wrong.
      if (error instanceof ApiError && error.isOffline) this.#loadAgain();
    }
    // It has been asked for again meanwhile, or is gone.
    if (this.#since.get(path) !== since) return;
    this.#since.delete(path);
    this.#known.set(path, names.sort(nameOrder(names.length)));
    for (const change of since) this.#apply(...change);
    this.version.set(this.version.value + 1);
  }

  #change(id: number, path: string, isAdded: boolean): void {
    if (isAdded) this.#paths.set(id, path);
    else {
      this.#paths.delete(id);
      for (const known of [...this.#known.keys()]) {
        if (!isWithin(known, path)) continue;
        this.#known.delete(known);
        this.#since.delete(known);
      }
    }
    this.#since.get(parentOf(path))?.push([path, isAdded]);
    this.#apply(path, isAdded);
    this.#showing ??= setTimeout(() => {
      this.#showing = undefined;
      this.version.set(this.version.value + 1);
    }, SHOW_MS);
  }

  #apply(path: string, isAdded: boolean): void {
    const names = this.#known.get(parentOf(path));
    if (names === undefined) return;
    const name = nameOf(path);
    const others = names.filter((it) => it !== name);
    if (isAdded) others.splice(placeOf(name, others), 0, name);
    this.#known.set(parentOf(path), others);
  }
}

/** Where a name belongs among others in their order. */
function placeOf(name: string, others: readonly string[]): number {
  const compare = nameOrder(others.length);
  let [low, high] = [0, others.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(others[middle] ?? "", name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
