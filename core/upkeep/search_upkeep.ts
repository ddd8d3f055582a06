import { asError, type Log } from "../log.ts";
import { parentOf } from "../paths.ts";
import { Periodic } from "../periodic.ts";
import type { DirectoryFacts, SearchIndex, SearchMark } from "../search.ts";
import { factsOfRecord, type FactsTree, PIPELINE } from "../tree/facts.ts";
import { IdleRounds } from "./idle_rounds.ts";
import type { SharedUpkeep } from "./ports.ts";

/** Documents that are made at once: some milliseconds of an engine. */
const MADE_AT_ONCE = 200;
const SECOND_MS = 1000;
/** How many times as long as it takes to put a directory together it rests before the next time. */
const REST = 20;

/** What {@link SearchUpkeep} works with. */
export interface SearchUpkeepOptions {
  readonly index: SearchIndex;
  readonly tree: FactsTree;
  readonly log: Log;
  /** Where servers share the database. @default this one has its own */
  readonly shared?: SharedUpkeep | undefined;
  /** Milliseconds since some time. @default performance.now */
  readonly now?: () => number;
}

/** What is done about marks. */
interface Plan {
  /** Marks that are removed. */
  readonly settled: SearchMark[];
  /** Those of them that are made again: they wait with their directory. */
  readonly again: SearchMark[];
  readonly directories: DirectoryFacts[];
}

/** Has the index of searches follow what changes (C 29): every second, in steps, between which others write. */
export class SearchUpkeep implements AsyncDisposable {
  readonly #options: SearchUpkeepOptions;
  readonly #periodic: Periodic;
  readonly #ending = new AbortController();
  readonly #now: () => number;
  readonly #rounds: IdleRounds;
  /** Until when directories rest, by user and path. */
  readonly #rests = new Map<string, number>();
  #isFailing = false;

  constructor(options: SearchUpkeepOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#rounds = new IdleRounds(options.shared);
    this.#periodic = new Periodic(() => this.#round(), SECOND_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#periodic[Symbol.asyncDispose]();
  }

  async #round(): Promise<void> {
    const { index, log } = this.#options;
    if (!this.#rounds.begin()) return;
    const now = this.#now();
    for (const [key, end] of this.#rests) if (end <= now) this.#rests.delete(key);
    try {
      while (!this.#ending.signal.aborted && await index.settleAdded());
      for (let after = 0;;) {
        if (this.#ending.signal.aborted) return;
        const marks = await index.marks(after, MADE_AT_ONCE);
        const last = marks.at(-1);
        if (last === undefined) break;
        const { settled, again, directories } = await this.#plan(marks);
        if (settled.length < marks.length) this.#rounds.repeat();
        // An engine may have to pass what was removed before, as long as anyone could still see it.
        after = last.position;
        if (settled.length > 0) await index.settle(settled, directories, again);
      }
      this.#isFailing = false;
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      this.#rounds.repeat();
      // The next time tries again. A full disk stays full for long.
      if (!this.#isFailing) {
        log.error("Cannot bring the index of searches up to date", { error: asError(error) });
      }
      this.#isFailing = true;
    }
  }

  async #plan(marks: readonly SearchMark[]): Promise<Plan> {
    const left = new Set<SearchMark>();
    const again: SearchMark[] = [];
    const directories: DirectoryFacts[] = [];
    for (const [userId, own] of Map.groupBy(marks, (mark) => mark.userId)) {
      const wholes = await wholesOf(this.#options.tree, userId, own);
      const ready = new Map<string, string>();
      for (const [directory, its] of Map.groupBy(own, (mark) => mark.directory)) {
        if (directory === undefined) continue;
        const whole = wholes.get(directory) ?? [directory];
        const key = `${userId}/${whole.at(-1)}`;
        if (!this.#rests.has(key)) {
          for (const path of whole) ready.set(path, key);
          continue;
        }
        const [first, another] = its;
        if (first === undefined) continue;
        if (another === undefined) left.add(first);
        else again.push(first);
      }
      directories.push(...await this.#together(userId, ready));
    }
    return {
      settled: marks.filter((mark) => !left.has(mark)),
      again,
      directories,
    };
  }

  /**
   * The facts that directories have now.
   *
   * @param keys What rests after each of the paths was put together.
   */
  async #together(userId: number, keys: ReadonlyMap<string, string>): Promise<DirectoryFacts[]> {
    const { tree } = this.#options;
    const all: DirectoryFacts[] = [];
    const scope = { userId, everyone: false };
    for (const record of (await tree.records.findByPath(scope, [...keys.keys()])).values()) {
      if (!record.isDir) continue;
      const start = this.#now();
      const { facts } = await factsOfRecord(tree, record);
      all.push({ id: record.id, facts: Object.keys(facts).length === 0 ? undefined : facts });
      const end = this.#now();
      const key = keys.get(record.path) ?? "";
      const rest = Math.max(end, this.#rests.get(key) ?? 0) + REST * (end - start);
      this.#rests.set(key, rest);
    }
    return all;
  }
}

/**
 * For the directories of marks, which are put together for them: each itself, and those above it, up to the topmost, that
 * are models which consist of models. The facts of these are those of all files below.
 */
async function wholesOf(
  { records }: FactsTree,
  userId: number,
  marks: readonly SearchMark[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const direct = new Set(marks.flatMap(({ directory }) => directory ?? []));
  const above = new Set([...direct].flatMap(ancestorsOf));
  const indexes = [...above].map((it) => `${it}/${PIPELINE}`);
  const found = await records.findByPath({ userId, everyone: false }, indexes);
  const pipelines = new Set([...found.keys()].map(parentOf));
  return new Map([...direct].map((path) => [
    path,
    [path, ...ancestorsOf(path).filter((it) => pipelines.has(it))],
  ]));
}

function ancestorsOf(path: string): string[] {
  const parent = parentOf(path);
  return parent === "" ? [] : [parent, ...ancestorsOf(parent)];
}
