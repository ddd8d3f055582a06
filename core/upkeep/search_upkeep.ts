import { asError, type Log } from "../log.ts";
import { parentOf } from "../paths.ts";
import { Periodic } from "../periodic.ts";
import type { DirectoryFacts, SearchIndex, SearchMark } from "../search.ts";
import { factsOfRecord, type FactsTree, PIPELINE } from "../tree/facts.ts";

/** Documents that are made at once: some milliseconds of an engine. */
const MADE_AT_ONCE = 200;
const SECOND_MS = 1000;

/** What {@link SearchUpkeep} works with. */
export interface SearchUpkeepOptions {
  readonly index: SearchIndex;
  readonly tree: FactsTree;
  readonly log: Log;
}

/** Has the index of searches follow what changes (C 29): every second, in steps, between which others write. */
export class SearchUpkeep implements AsyncDisposable {
  readonly #options: SearchUpkeepOptions;
  readonly #periodic: Periodic;
  readonly #ending = new AbortController();

  constructor(options: SearchUpkeepOptions) {
    this.#options = options;
    this.#periodic = new Periodic(() => this.#round(), SECOND_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#periodic[Symbol.asyncDispose]();
  }

  async #round(): Promise<void> {
    const { index, tree, log } = this.#options;
    try {
      for (;;) {
        if (this.#ending.signal.aborted) return;
        const marks = await index.marks(MADE_AT_ONCE);
        if (marks.length === 0) return;
        await index.settle(marks, await directoriesOf(tree, marks));
      }
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      // The next time tries again.
      log.error("Cannot bring the index of searches up to date", { error: asError(error) });
    }
  }
}

/** The facts that the directories of marked records have now. */
async function directoriesOf(
  tree: FactsTree,
  marks: readonly SearchMark[],
): Promise<DirectoryFacts[]> {
  const all: DirectoryFacts[] = [];
  for (const [userId, own] of Map.groupBy(marks, (mark) => mark.userId)) {
    const scope = { userId, everyone: false };
    const direct = new Set(own.flatMap(({ directory }) => directory ?? []));
    const paths = [...direct, ...await pipelinesAbove(tree, userId, direct)];
    for (const record of (await tree.records.findByPath(scope, paths)).values()) {
      if (!record.isDir) continue;
      const { facts } = await factsOfRecord(tree, record);
      all.push({ id: record.id, facts: Object.keys(facts).length === 0 ? undefined : facts });
    }
  }
  return all;
}

/** The directories above that are models which consist of models: their facts are those of all files below. */
async function pipelinesAbove(
  { records }: FactsTree,
  userId: number,
  directories: ReadonlySet<string>,
): Promise<string[]> {
  const above = new Set([...directories].flatMap(ancestorsOf));
  const indexes = [...above.difference(directories)].map((it) => `${it}/${PIPELINE}`);
  const found = await records.findByPath({ userId, everyone: false }, indexes);
  return [...found.keys()].map(parentOf);
}

function ancestorsOf(path: string): string[] {
  const parent = parentOf(path);
  return parent === "" ? [] : [parent, ...ancestorsOf(parent)];
}
