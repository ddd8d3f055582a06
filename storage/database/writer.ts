import { dirname } from "node:path/posix";
import type {
  NewRecord,
  Placement,
  ResourceRecord,
  Scope,
  TransferEffect,
  Usage,
} from "../../core/ports.ts";
import { allocateLog } from "./allocate_log.ts";
import { Connection, type SqlParameters, type SqlRow } from "./connection.ts";
import {
  announceContents,
  type ContentRow,
  type FoundContents,
  putContents,
  removeContents,
  replaceContent,
} from "./contents.ts";
import { generationOf, OLDER_DATABASE } from "./generation.ts";
import { checkIntegrity, checkPaths } from "./integrity.ts";
import { findByPath } from "./lookup.ts";
import { migrate } from "./migrate.ts";
import { allocateSharedMemory } from "./shared_memory.ts";
import { scanRows, type ScanStatement } from "./scan_statements.ts";
import { Ballast } from "../disk/ballast.ts";
import { ChangeJournal } from "./change_journal.ts";
import { insertRecords } from "./insert_records.ts";
import { deletePage, exceeds, PAGE_RECORDS } from "./subtrees.ts";
import { Transactions } from "./transactions.ts";
import { TransferPlan } from "./transfer_plan.ts";
import { usageOf } from "./usage.ts";
import { upkeepRows, type UpkeepStatement } from "./upkeep_statements.ts";

/** Statements whose rows may be large. */
const GROWING: ReadonlySet<ScanStatement> = new Set([
  "insertFiles",
  "keepResult",
  "addReportChunk",
]);

/** How long a call may change records, in milliseconds. Other requests wait for it. */
const MAX_STEP_MS = 100;

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
  readonly transactions: Transactions;
  readonly journal: ChangeJournal;
  /** The plan of a move or copy in one transaction. */
  readonly plan: TransferPlan;
  /** That of a large one, which is carried out between the transactions of others. */
  readonly largePlan: TransferPlan;
}

/** What part of a plan did. */
export interface PlanProgress {
  readonly effects: readonly TransferEffect[];
  readonly done: boolean;
}

/** Part of a deletion. */
export interface DeleteProgress {
  readonly deleted: readonly ResourceRecord[];
  /** How many of the roots are gone with all their descendants. */
  readonly doneRoots: number;
}

/**
 * The only connection that writes. Runs in a thread of its own (writer_worker.ts), because a commit
 * waits for the disk. The caller runs one transaction at a time.
 */
export class Writer {
  #opened: OpenDatabase | undefined;
  #steps: Record<"direct" | "large", Iterator<readonly TransferEffect[], void>> = {
    direct: [].values(),
    large: [].values(),
  };
  #undoing: Iterator<void, void> = [].values();

  /**
   * Opens the database; creates and migrates it as needed, and undoes a large change that a crash
   * interrupted. Call it once, before other methods.
   *
   * @throws {Error} with the code {@link OLDER_DATABASE} when the generation is too low. Nothing has
   *   been written then.
   */
  open(path: string, { reserveBytes, minGeneration }: WriterOptions): DatabaseState {
    const ballast = new Ballast(dirname(path), reserveBytes);
    // A full disk has no room for the memory that the connections share.
    ballast.adjust();
    const generation = readGeneration(path);
    if (generation < minGeneration) {
      const message = `Generation ${generation} instead of ${minGeneration}`;
      throw Object.assign(new Error(message), { code: OLDER_DATABASE });
    }
    const connection = new Connection(path, { readOnly: false });
    const shared = allocateSharedMemory(path, connection, ballast);
    const before = migrate(connection);
    if (reserveBytes > 0) allocateLog(path, ballast);
    const journal = new ChangeJournal(connection);
    journal.recover();
    this.#opened = {
      connection,
      shared,
      transactions: new Transactions(connection, ballast),
      journal,
      plan: new TransferPlan(connection, undefined, "plan"),
      largePlan: new TransferPlan(connection, journal, "large_plan"),
    };
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
    this.#opened?.connection[Symbol.dispose]();
    this.#opened?.shared[Symbol.dispose]();
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
    this.#invalidateScans(records);
    return this.#transactions.refuseFull(() => insertRecords(this.#connection, records));
  }

  /**
   * Invalidates scan results of content that returns while no record has its hash. As MD5 can be
   * forged, the new content may differ from the content that was scanned: old results do not apply
   * to it, and a running scan can no longer read the old content.
   */
  #invalidateScans(records: readonly NewRecord[]): void {
    const hashes = records.flatMap(({ hash }) => hash === "" ? [] : [hash]);
    if (hashes.length === 0) return;
    const parameters = { hashes: JSON.stringify(hashes) };
    this.scanRows("forgetReplacedResults", parameters);
    this.scanRows("markReplacedFiles", parameters);
  }

  /**
   * Whether a change of the records and their descendants is large: there are more than `max`, and the
   * disk has room to keep their former state.
   */
  isLarge(roots: readonly Pick<ResourceRecord, "userId" | "path">[], max: number): boolean {
    if (this.#transactions.nearlyFull) return false;
    return exceeds(this.#connection, roots, max);
  }

  /** Begins a large change of records of the users. */
  beginChange(userIds: readonly number[]): void {
    this.#transactions.refuseFull(() => this.#parts.journal.begin(userIds));
  }

  /** Ends a large change: its steps become permanent with this transaction. */
  endChange(): void {
    this.#transactions.refuseFull(() => this.#parts.journal.end());
  }

  /** Begins to undo a large change, from the start if it was begun before. */
  beginUndo(): void {
    this.#undoing = this.#parts.journal.undo();
  }

  /** Undoes a part of a large change. Returns whether it was the last. */
  runUndo(): boolean {
    return this.#forAMoment(() => this.#undoing.next().done === true, (done) => done);
  }

  /** Deletes records at and below the roots for a moment, `isStep` as for {@link begin}. */
  deleteSome(roots: readonly ResourceRecord[], isStep: boolean): DeleteProgress {
    const journal = isStep ? this.#parts.journal : undefined;
    const deleted: ResourceRecord[] = [];
    let doneRoots = 0;
    return this.#forAMoment(() => {
      const root = roots[doneRoots];
      if (root === undefined) return true;
      const page = deletePage(this.#connection, journal, root);
      for (const record of page) deleted.push(record);
      if (page.length < PAGE_RECORDS) doneRoots++;
      return doneRoots === roots.length;
    }, () => ({ deleted, doneRoots }));
  }

  /** Prepares a move, which {@link runPlan} plans and carries out, `isStep` as for {@link begin}. */
  planMove(placements: readonly Placement[], now: number, isStep: boolean): void {
    const { plan, largePlan } = this.#parts;
    if (isStep) this.#steps.large = largePlan.move(placements, now);
    else this.#steps.direct = plan.move(placements, now);
  }

  /** Prepares a copy, as {@link planMove} does a move. */
  planCopy(placements: readonly Placement[], now: number, isStep: boolean): void {
    this.#transactions.refuseGrowth();
    const { plan, largePlan } = this.#parts;
    if (isStep) this.#steps.large = largePlan.copy(placements, now);
    else this.#steps.direct = plan.copy(placements, now);
  }

  /** Runs a plan for a moment. */
  runPlan(isStep: boolean): PlanProgress {
    const steps = this.#steps[isStep ? "large" : "direct"];
    const effects: TransferEffect[] = [];
    return this.#forAMoment(() => {
      const { done, value } = steps.next();
      for (const effect of value ?? []) effects.push(effect);
      return done === true;
    }, (done) => ({ effects, done }));
  }

  /** Calls `step` until it returns true or some time is over, and returns the result of `end`. */
  #forAMoment<Result>(step: () => boolean, end: (done: boolean) => Result): Result {
    const started = performance.now();
    return this.#transactions.refuseFull(() => {
      while (performance.now() - started < MAX_STEP_MS) if (step()) return end(true);
      return end(false);
    });
  }

  /** What the tree of a user holds. */
  usage(userId: number): Usage {
    return usageOf(this.#connection, { userId, everyone: false });
  }

  /** Returns those of the hashes that no record has. */
  unreferenced(hashes: readonly string[]): string[] {
    const rows = this.#connection.all(
      `SELECT value AS hash FROM json_each(:hashes)
       WHERE NOT EXISTS (SELECT 1 FROM records WHERE hash = value AND hash <> '')
         AND NOT EXISTS (SELECT 1 FROM former_records WHERE hash = value AND hash <> '')`,
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

  /** Runs a statement about scans and returns its rows. */
  scanRows(statement: ScanStatement, parameters: SqlParameters): SqlRow[] {
    if (GROWING.has(statement)) this.#transactions.refuseGrowth();
    return this.#transactions.refuseFull(() => scanRows(this.#connection, statement, parameters));
  }

  /** Runs a statement about stored content and returns its rows. */
  upkeepRows(statement: UpkeepStatement, parameters: SqlParameters): SqlRow[] {
    return this.#transactions.refuseFull(() => upkeepRows(this.#connection, statement, parameters));
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

/** Reads the generation on a connection that writes nothing, not even when it is closed. */
function readGeneration(path: string): number {
  using connection = new Connection(path, { readOnly: true });
  return generationOf(connection);
}
