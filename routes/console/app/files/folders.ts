import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { ApiError, list } from "../shared/api.ts";
import { isOfResource, onLive, whenReachable } from "../shared/live.ts";
import { nameOf, parentOf } from "../shared/paths.ts";
import { Store } from "../shared/store.ts";

/** The folders in a folder, by name. Undefined until they are loaded. */
export type Folders = Store<readonly string[] | undefined>;

const collator = new Intl.Collator("en-US", { numeric: true });

/** The folders of a tree, loaded as they are looked at, and kept as they are by events. */
export class FolderTree implements Disposable {
  readonly #known = new Map<string, Folders>();
  /** What has changed in folders since they were asked for, which their lists may not have. */
  readonly #since = new Map<string, (readonly [path: string, isAdded: boolean])[]>();
  #endWaiting = () => {};
  readonly #unsubscribe = onLive((event) => {
    if (event.type === "reset") return this.#loadAll();
    if (!isOfResource(event) || event.type === "resource.verdict" || !event.data.is_dir) return;
    // Where a moved folder was is not known.
    if (event.type === "resource.updated") return this.#loadAll();
    this.#change(event.data.path, event.type === "resource.added");
  });

  /** The folders in a folder. */
  of(path: string): Folders {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const folders: Folders = new Store<readonly string[] | undefined>(undefined);
    this.#known.set(path, folders);
    void this.#load(path);
    return folders;
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#endWaiting();
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
        for (const { is_dir, path: found, name } of entries) {
          if (is_dir && found !== path && parentOf(found) === path) names.push(name);
        }
      }
    } catch (error) {
      // The table beside it says what is wrong.
      if (error instanceof ApiError && error.isOffline) this.#loadAgain();
    }
    // It has been asked for again meanwhile.
    if (this.#since.get(path) !== since) return;
    this.#since.delete(path);
    this.#known.get(path)?.set(names.sort(collator.compare));
    for (const change of since) this.#change(...change);
  }

  #change(path: string, isAdded: boolean): void {
    this.#since.get(parentOf(path))?.push([path, isAdded]);
    const folders = this.#known.get(parentOf(path));
    const others = folders?.value?.filter((name) => name !== nameOf(path));
    if (others === undefined) return;
    folders?.set(isAdded ? [...others, nameOf(path)].sort(collator.compare) : others);
    if (!isAdded) this.#known.delete(path);
  }
}
