import * as v from "valibot";
import { documentOf, type SearchDocument, type Searched } from "../../core/search_terms.ts";
import type { DirectoryFacts, SearchIndex, SearchMark } from "../../core/search.ts";
import { Facts } from "../../schemas/facts.ts";
import { type RunStatement, type SqlRow, type Statements, textOrNull } from "./dialect.ts";
import type { SearchStatement } from "./search_statements.ts";

/** A document, as an engine stores it. */
export type ToDocument = (
  userId: number,
  document: SearchDocument,
) => Readonly<Record<string, string | number>>;

/** {@link SearchIndex.settle}, in a transaction that is undone if it throws. */
export type Settle = (...known: Parameters<SearchIndex["settle"]>) => Promise<void>;

/** Others have made the documents, or a purge has forgotten what they are made of. */
class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** It may come from another thread, as an error of the same name. */
function isOvertaken(error: unknown): boolean {
  return error instanceof Error && error.name === "Overtaken";
}

/** Keeps the index of searches in the database of the records. */
export class SqlSearchIndex implements SearchIndex {
  readonly #statements: Statements<SearchStatement>;
  readonly #settle: Settle;
  readonly #markBatch: () => Promise<boolean>;

  /**
   * @param settle {@link settleMarks}
   * @param markBatch Marks some of the records that a large change has changed. Returns whether there were any.
   * @default each change marks its records itself
   */
  constructor(
    statements: Statements<SearchStatement>,
    settle: Settle,
    markBatch: () => Promise<boolean> = () => Promise.resolve(false),
  ) {
    this.#statements = statements;
    this.#settle = settle;
    this.#markBatch = markBatch;
  }

  async users(above: number): Promise<number[]> {
    return (await this.#statements.read("users", { above })).map((row) => Number(row.user_id));
  }

  async marks(after: number, limit: number): Promise<SearchMark[]> {
    const marks = await this.#marks(after, limit);
    if (marks.length > 0 || !await this.#markMore()) return marks;
    return await this.#marks(after, limit);
  }

  async settle(...known: Parameters<Settle>): Promise<void> {
    try {
      await this.#settle(...known);
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
  }

  async #marks(after: number, limit: number): Promise<SearchMark[]> {
    return (await this.#statements.read("marks", { after, limit })).map(toMark);
  }

  /** Marks what a large change has changed, or records that have never been known. Returns whether there were any. */
  async #markMore(): Promise<boolean> {
    const [row] = await this.#statements.find("unindexed", {});
    if (Number(row?.batches) > 0 && await this.#markBatch()) return true;
    const unindexed = Number(row?.unindexed);
    if (unindexed === 0) return false;
    return await this.#statements.write(async (run) => {
      const marked = await run("markOld", { unindexed });
      const next = Math.min(...marked.map(({ id }) => Number(id) - 1), unindexed - 1);
      await run("setUnindexed", { unindexed, next: marked.length === 0 ? 0 : next });
      return marked.length > 0;
    });
  }
}

/**
 * Makes documents by statements of one transaction.
 *
 * @throws {Error} if others have made them, or a purge has made the marks anew.
 */
export async function settleMarks(
  run: RunStatement<SearchStatement>,
  toDocument: ToDocument,
  ...[marks, directories, again]: Parameters<Settle>
): Promise<void> {
  const ids = [...new Set([...marks, ...directories].map(({ id }) => id))];
  const positions = marks.map(({ position }) => position);
  // What another server has read before a change must not come after what this one reads.
  await run("alone", {});
  const dropped = await run("dropMarks", { positions: textsOf(positions) });
  if (dropped.length < positions.length) throw new Overtaken();
  if (again.length > 0) {
    const named = again.map(({ userId, id, directory }) => ({
      user_id: userId,
      id,
      parent: directory,
    }));
    await run("markAgain", { marks: JSON.stringify(named) });
  }
  await keepDirectories(run, directories);
  const rows = await run("searched", { ids: JSON.stringify(ids.map((id) => ({ id }))) });
  const kept = new Set(rows.map(({ id }) => Number(id)));
  const gone = ids.filter((id) => !kept.has(id));
  if (gone.length > 0) await run("dropDirectories", { ids: textsOf(gone) });
  await run("removeDocuments", { ids: textsOf(ids) });
  const documents = rows.map((row) => ({
    id: Number(row.id),
    ...toDocument(Number(row.user_id), documentOf(searchedOf(row))),
  }));
  await run("addDocuments", { documents: JSON.stringify(documents) });
}

async function keepDirectories(
  run: RunStatement<SearchStatement>,
  directories: readonly DirectoryFacts[],
): Promise<void> {
  if (directories.length === 0) return;
  await run("dropDirectories", { ids: textsOf(directories.map(({ id }) => id)) });
  const known = directories.flatMap(({ id, facts }) =>
    facts === undefined ? [] : [{ id, facts: JSON.stringify(facts) }]
  );
  await run("keepDirectories", { directories: JSON.stringify(known) });
}

function searchedOf({ path, is_dir, facts }: SqlRow): Searched {
  return {
    path: String(path),
    isDir: is_dir === 1,
    facts: typeof facts === "string" ? v.parse(Facts, JSON.parse(facts)) : {},
  };
}

function toMark({ position, user_id, id, parent }: SqlRow): SearchMark {
  return {
    position: Number(position),
    userId: Number(user_id),
    id: Number(id),
    directory: textOrNull(parent) ?? undefined,
  };
}

function textsOf(numbers: readonly number[]): string {
  return JSON.stringify(numbers.map(String));
}
