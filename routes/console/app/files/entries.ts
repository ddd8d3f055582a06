import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { type Order, sorted } from "./order.ts";
import type { ShownVerdict } from "./shown_verdict.ts";

/** What is in a directory, or was found, in an order that is kept while entries come and go. */
export class Entries {
  readonly #byId = new Map<number, ResourceEntry>();
  /** The id of each directory, by its path. */
  readonly folders = new Map<string, number>();
  /** The entries when they were sorted last. */
  #last: readonly ResourceEntry[] = [];
  /** What was added since. */
  readonly #added = new Set<ResourceEntry>();
  #lastOrder: Order | undefined;

  get size(): number {
    return this.#byId.size;
  }

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  get(id: number): ResourceEntry | undefined {
    return this.#byId.get(id);
  }

  /** Those with these ids that are there. */
  of(ids: Iterable<number>): ResourceEntry[] {
    return [...ids].flatMap((id) => this.#byId.get(id) ?? []);
  }

  /** Begins anew with these entries. */
  replace(entries: readonly ResourceEntry[]): void {
    this.#byId.clear();
    this.folders.clear();
    this.#added.clear();
    this.#last = [];
    for (const entry of entries) this.put(entry);
  }

  /** Adds an entry, or what has become of it. */
  put(entry: ResourceEntry): void {
    this.remove(entry.id);
    this.#byId.set(entry.id, entry);
    this.#added.add(entry);
    if (entry.is_dir) this.folders.set(entry.path, entry.id);
  }

  /** Returns whether it was there. */
  remove(id: number): boolean {
    const entry = this.#byId.get(id);
    if (entry === undefined) return false;
    if (entry.is_dir) this.folders.delete(entry.path);
    this.#added.delete(entry);
    return this.#byId.delete(id);
  }

  /** The entries in an order. What was in it before takes little time to sort. */
  sorted(order: Order, verdicts: ReadonlyMap<number, ShownVerdict>): readonly ResourceEntry[] {
    const entries = order === this.#lastOrder
      ? this.#last.filter((entry) => this.#byId.get(entry.id) === entry)
      : [...this.#byId.values()];
    if (order === this.#lastOrder) entries.push(...this.#added);
    this.#lastOrder = order;
    this.#added.clear();
    return this.#last = sorted(entries, order, verdicts);
  }
}
