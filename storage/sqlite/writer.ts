import type { ContentAmount, ContentRow, FoundContents } from "../../core/content_changes.ts";
import type { NewContent, NewRecord, Placement, ResourceRecord, Scope } from "../../core/ports.ts";
import type { Usage } from "../../core/usage.ts";
import type { MadeVersions, VersionNote } from "../../core/history_changes.ts";
import type { DecidedUpload } from "../../core/decided_upload.ts";
import { allocateLog } from "./allocate_log.ts";
import type { PastTree } from "../tables/history_store.ts";
import type { SqlParameters, SqlRow } from "../tables/dialect.ts";
import { isUnreferenced } from "../tables/references.ts";
import type { Settle } from "../tables/search_index.ts";
import { Connection } from "./connection.ts";
import { announceContents, putContents, removeContents, replaceContent } from "./contents.ts";
import { storeDecided, type StoredUpload } from "./decided_uploads.ts";
import { SQLITE } from "./dialect.ts";
import { quarantineContents } from "./objects.ts";
import { OLDER_DATABASE, raiseGeneration, readGeneration } from "./generation.ts";
import { checkIntegrity, checkPaths } from "./integrity.ts";
import { findByPath } from "./lookup.ts";
import { countPast } from "./past.ts";
import { migrate } from "./migrate.ts";
import { settleAdded, settleMarks } from "./search_documents.ts";
import { allocateSharedMemory, leaveReadable, withRoom } from "./shared_memory.ts";
import { invalidateScans, isGrowing, sqlOf, type StatementName } from "./statements.ts";
import { Ballast } from "../disk/ballast.ts";
import { parentPath } from "../disk/parent_path.ts";
import { insertRecords } from "./insert_records.ts";
import { type PlanProgress, SubtreeChanges } from "./subtree_changes.ts";
import type { Root } from "./subtrees.ts";
import { Transactions } from "./transactions.ts";
import { TreeHistory } from "./tree_history.ts";
import { usageOf } from "./usage.ts";

export interface WriterOptions {
  /** The space that uploads leave free. */
  readonly reserveBytes: number;
  /** A database with a lower generation is refused. */
  readonly minGeneration: number;
}

/** A database, as it was before it was opened. */
export interface DatabaseState {
  /** Whether the database was new or empty. */
  readonly isNew: boolean;
  readonly generation: number;
}

interface OpenDatabase {
  readonly connection: Connection;
  /** See {@link allocateSharedMemory}. */
  readonly shared: Disposable;
  readonly path: string;
  readonly transactions: Transactions;
  readonly changes: SubtreeChanges;
  readonly history: TreeHistory;
}

/**
 * The only connection that writes. Runs in a thread of its own (writer_worker.ts), because a commit
 * waits for the disk. The caller runs one transaction at a time.
 */
export class Writer {
  #opened: OpenDatabase | undefined;

  /**
   * Opens the database; creates and migrates it as needed, and undoes a large change that a crash
   * interrupted. Call it once, before other methods.
   *
   * @throws {Error} with the code {@link OLDER_DATABASE} when the generation is too low. Nothing has
   *   been written then.
   */
  open(path: string, { reserveBytes, minGeneration }: WriterOptions): DatabaseState {
    const directory = parentPath(path);
    const ballast = new Ballast(directory, reserveBytes);
    // A full disk has no room for the memory that the connections share.
    ballast.adjust();
    const generation = withRoom(directory, ballast, () => readGeneration(path));
    if (generation < minGeneration) {
      const message = `Generation ${generation} instead of ${minGeneration}`;
      throw Object.assign(new Error(message), { code: OLDER_DATABASE });
    }
    const connect = () => new Connection(path, { readOnly: false });
    const connection = withRoom(directory, ballast, connect);
    const shared = allocateSharedMemory(path, connection, ballast);
    const before = migrate(connection);
    if (reserveBytes > 0) allocateLog(path, ballast);
    const history = new TreeHistory(connection);
    const transactions = new Transactions(connection, ballast, history);
    const changes = new SubtreeChanges({ connection, transactions, history });
    this.#opened = { path, connection, shared, transactions, changes, history };
    return { isNew: before === 0, generation };
  }

  /** {@link checkIntegrity} */
  checkIntegrity(): void {
    checkIntegrity(this.#connection);
  }

  /** {@link checkPaths} */
  checkPaths(): void {
    checkPaths(this.#connection);
  }

  close(): void {
    if (this.#opened === undefined) return;
    const { path, connection, shared } = this.#opened;
    connection[Symbol.dispose]();
    shared[Symbol.dispose]();
    leaveReadable(path);
  }

  /** @param isStep Whether it is a step of a large change, between which directories may be missing. */
  begin(isStep = false): void {
    this.#connection.enforceForeignKeys(!isStep);
    this.#transactions.begin();
  }

  savepoint(): void {
    this.#transactions.savepoint();
  }

  rollbackWork(): boolean {
    return this.#transactions.rollbackWork();
  }

  commit(): number | undefined {
    return this.#transactions.commit();
  }

  rollback(): void {
    this.#transactions.rollback();
  }

  touch(): void {
    this.#transactions.touch();
  }

  restartLog(): void {
    this.#transactions.restartLog();
  }

  findByPath(scope: Scope, paths: readonly string[]): Map<string, ResourceRecord> {
    return findByPath([{ connection: this.#connection, has: () => true }], scope, paths);
  }

  /**
   * Adds the records, in the given order.
   *
   * @throws {AppError} `ErrResourcesAlreadyExists` when a record of the same owner has one of the
   *   paths.
   */
  insert(records: readonly NewRecord[]): ResourceRecord[] {
    return this.#transactions.refuseFull(() => {
      invalidateScans(this.#connection, records);
      return insertRecords(this.#connection, this.#parts.history, records);
    });
  }

  /** {@link SubtreeChanges.replaceFiles} */
  replaceFiles(files: readonly NewContent[], isStep: boolean): ResourceRecord[] {
    return this.#transactions.refuseFull(() => {
      invalidateScans(this.#connection, files);
      return this.#parts.changes.replaceFiles(files, isStep);
    });
  }

  /** {@link storeDecided} */
  storeDecided(upload: DecidedUpload, now: number): StoredUpload | undefined {
    return storeDecided(this.#parts, upload, now);
  }

  /** {@link SubtreeChanges.isLarge} */
  isLarge(roots: readonly Root[], max: number): boolean {
    return this.#parts.changes.isLarge(roots, max);
  }

  /** {@link SubtreeChanges.begin} */
  beginChange(userIds: readonly number[]): void {
    this.#parts.changes.begin(userIds);
  }

  /** {@link SubtreeChanges.end} */
  endChange(): MadeVersions {
    return this.#parts.changes.end();
  }

  /** {@link SubtreeChanges.beginUndo} */
  beginUndo(): void {
    this.#parts.changes.beginUndo();
  }

  /** {@link SubtreeChanges.runUndo} */
  runUndo(): boolean {
    return this.#parts.changes.runUndo();
  }

  /** {@link SubtreeChanges.planDeletion} */
  planDeletion(
    roots: readonly ResourceRecord[],
    options: { readonly isStep: boolean; readonly begins: boolean },
  ): void {
    this.#parts.changes.planDeletion(roots, options);
  }

  /** {@link SubtreeChanges.planMove} */
  planMove(placements: readonly Placement[], now: number, isStep: boolean): void {
    this.#parts.changes.planMove(placements, now, isStep);
  }

  /** {@link SubtreeChanges.planCopy} */
  planCopy(...planned: Parameters<SubtreeChanges["planCopy"]>): void {
    this.#parts.changes.planCopy(...planned);
  }

  /** {@link countPast} */
  countPast(tree: PastTree, path: string): number {
    return countPast(this.#connection, tree, path);
  }

  /** {@link SubtreeChanges.runPlan} */
  runPlan(isStep: boolean): PlanProgress {
    return this.#parts.changes.runPlan(isStep);
  }

  /** {@link TreeHistory.describe} */
  describeVersion(userId: number, note: VersionNote): void {
    this.#parts.history.describe(userId, note);
  }

  /** {@link TreeHistory.made} */
  madeVersions(): MadeVersions {
    return this.#parts.history.made;
  }

  /** What the tree of a user holds. */
  usage(userId: number): Usage {
    return usageOf(this.#connection, { userId, everyone: false });
  }

  /** Returns those of the hashes that no record has. */
  unreferenced(hashes: readonly string[]): string[] {
    const rows = this.#connection.all(
      `SELECT value AS hash FROM json_each(:hashes)
       WHERE ${isUnreferenced(SQLITE, "value")}`,
      { hashes: JSON.stringify(hashes) },
    );
    return rows.map((row) => String(row.hash));
  }

  /** {@link announceContents} */
  announceContents(contents: readonly ContentRow[], now: number): void {
    this.#transactions.refuseFull(() => announceContents(this.#connection, contents, now));
  }

  /** {@link putContents} */
  putContents(contents: readonly ContentRow[], now: number): FoundContents {
    return this.#transactions.refuseFull(() => putContents(this.#connection, contents, now));
  }

  /** {@link replaceContent} */
  replaceContent(content: ContentRow): void {
    this.#transactions.refuseFull(() => replaceContent(this.#connection, content));
  }

  /** {@link removeContents} */
  removeContents(hashes: readonly string[]): void {
    this.#transactions.refuseFull(() => removeContents(this.#connection, hashes));
  }

  /** {@link quarantineContents} */
  quarantineContents(hashes: readonly string[]): ContentAmount {
    return this.#transactions.refuseFull(() => quarantineContents(this.#connection, hashes));
  }

  /** Runs a statement of a store and returns its rows. */
  rows(statement: StatementName, parameters: SqlParameters): SqlRow[] {
    if (isGrowing(statement)) this.#transactions.refuseGrowth();
    return this.#transactions.refuseFull(() => this.#connection.all(sqlOf(statement), parameters));
  }

  /** {@link settleMarks} */
  settleMarks(...known: Parameters<Settle>): Promise<void> {
    return settleMarks(this.#parts, known);
  }

  /** {@link settleAdded} */
  settleAdded(): boolean {
    return settleAdded(this.#parts);
  }

  /** {@link raiseGeneration} */
  raiseGeneration(generation: number): void {
    this.#transactions.refuseFull(() => raiseGeneration(this.#connection, generation));
  }

  get #connection(): Connection {
    return this.#parts.connection;
  }

  get #transactions(): Transactions {
    return this.#parts.transactions;
  }

  get #parts() {
    if (this.#opened === undefined) throw new Error("The database is not open");
    return this.#opened;
  }
}
