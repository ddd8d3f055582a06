import * as v from "valibot";
import { documentOf, type SearchDocument, type Searched } from "../../core/search_terms.ts";
import type { DirectoryFacts, SearchIndex, SearchMark } from "../../core/search.ts";
import { Facts } from "../../schemas/facts.ts";
import { type RunStatement, type SqlRow, type Statements, textOrNull } from "./dialect.ts";
import type { SearchStatement } from "./search_statements.ts";

/** The document of a record. */
export interface OwnDocument {
  readonly id: number;
  readonly userId: number;
  readonly document: SearchDocument;
}

/** The facts of a directory that says anything. */
export interface OwnFacts {
  readonly id: number;
  readonly facts: Facts;
}

/** What is kept, as the statements of an engine take it. */
export interface ToRows {
  documents(documents: readonly OwnDocument[]): string;
  directories(directories: readonly OwnFacts[]): string;
}

/** {@link SearchIndex.settle}, in a transaction that is undone if it throws. */
export type Settle = (...known: Parameters<SearchIndex["settle"]>) => Promise<void>;

/** How an engine keeps its index. */
export interface IndexSteps {
  /** {@link settleMarks} */
  readonly settle: Settle;
  /** {@link SearchIndex.settleAdded}. @default what is added is marked */
  readonly settleAdded?: () => Promise<boolean>;
  /**
   * Marks some of the records that a large change has changed. Returns whether there were any.
   * @default each change marks its records itself
   */
  readonly markBatch?: () => Promise<boolean>;
}

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
  readonly #settleAdded: IndexSteps["settleAdded"];
  readonly #markBatch: () => Promise<boolean>;

  /**
   * @param steps What engines do each in their own way.
   */
  constructor(statements: Statements<SearchStatement>, steps: IndexSteps) {
    const { settle, settleAdded, markBatch = () => Promise.resolve(false) } = steps;
    this.#statements = statements;
    this.#settle = settle;
    this.#settleAdded = settleAdded;
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

  async settleAdded(): Promise<boolean> {
    if (this.#settleAdded === undefined) return false;
    const [row] = await this.#statements.find("unindexed", {});
    return Number(row?.batches) > 0 && await this.#settleAdded();
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
  toRows: ToRows,
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
  await keepDirectories(run, toRows, directories);
  const rows = await run("searched", { ids: JSON.stringify(ids.map((id) => ({ id }))) });
  const kept = new Set(rows.map(({ id }) => Number(id)));
  const gone = ids.filter((id) => !kept.has(id));
  if (gone.length > 0) await run("dropDirectories", { ids: textsOf(gone) });
  await run("removeDocuments", { ids: textsOf(ids) });
  await run("addDocuments", { documents: toRows.documents(rows.map(ownDocumentOf)) });
}

/** The document of a row with the columns `id`, `user_id`, `path`, `is_dir` and, if the record says anything, `facts`. */
export function ownDocumentOf(row: SqlRow): OwnDocument {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    document: documentOf(searchedOf(row)),
  };
}

async function keepDirectories(
  run: RunStatement<SearchStatement>,
  toRows: ToRows,
  directories: readonly DirectoryFacts[],
): Promise<void> {
  if (directories.length === 0) return;
  await run("dropDirectories", { ids: textsOf(directories.map(({ id }) => id)) });
  const known = directories.flatMap(({ id, facts }) => facts === undefined ? [] : [{ id, facts }]);
  await run("keepDirectories", { directories: toRows.directories(known) });
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
