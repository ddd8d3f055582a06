import type { MadeVersions } from "../../core/history_changes.ts";
import type { NewContent, Placement, ResourceRecord } from "../../core/ports.ts";
import { ChangeJournal } from "./change_journal.ts";
import type { Connection } from "./connection.ts";
import { deletion } from "./deletion.ts";
import type { PastTree } from "../tables/history_store.ts";
import { type EffectRows, type RecordPage, RecordPages } from "../tables/record_pages.ts";
import { replaceFiles } from "./replace_files.ts";
import { settlePast } from "./past.ts";
import { exceeds, type Root } from "./subtrees.ts";
import type { Transactions } from "./transactions.ts";
import { TransferPlan } from "./transfer_plan.ts";
import type { Keeper, TreeHistory } from "./tree_history.ts";

/** How long a call may change records, in milliseconds. Other requests wait for it. */
const MAX_STEP_MS = 50;

/** What part of a plan did. */
export interface PlanProgress {
  /** The records that it changed, in order for each effect. */
  readonly pages: readonly RecordPage[];
  readonly done: boolean;
  /** Whether the disk is nearly full. */
  readonly nearlyFull: boolean;
}

/**
 * Moves, copies and deletes subtrees, for a moment in each call. With `isStep`, a call is a step of the
 * large change that is going on, in a transaction of its own; without, it belongs to another transaction.
 */
export class SubtreeChanges {
  readonly #connection: Connection;
  readonly #transactions: Transactions;
  readonly #journal: ChangeJournal;
  readonly #history: TreeHistory;
  /** The plan of a move or copy in one transaction. */
  readonly #plan: TransferPlan;
  /** That of a large one, which is carried out between the transactions of others. */
  readonly #largePlan: TransferPlan;
  #steps: Record<"direct" | "large", Iterator<EffectRows | undefined, void>> = {
    direct: [].values(),
    large: [].values(),
  };
  /** What is to be deleted. */
  readonly #deleted: Record<"direct" | "large", ResourceRecord[]> = { direct: [], large: [] };
  #undoing: Iterator<void, void> = [].values();

  /** Undoes a large change that a crash interrupted. */
  constructor(
    { connection, transactions, history }: {
      readonly connection: Connection;
      readonly transactions: Transactions;
      readonly history: TreeHistory;
    },
  ) {
    this.#connection = connection;
    this.#transactions = transactions;
    this.#history = history;
    this.#journal = new ChangeJournal(connection, history);
    this.#journal.recover();
    this.#plan = new TransferPlan(connection, history, "plan");
    this.#largePlan = new TransferPlan(connection, this.#journal, "large_plan");
  }

  /**
   * Whether a change of the records and their descendants is large: there are more than `max`, and the
   * disk has room to keep their former state.
   */
  isLarge(roots: readonly Root[], max: number): boolean {
    return !this.#transactions.nearlyFull && exceeds(this.#connection, roots, max);
  }

  /** Begins a large change of records of the users. */
  begin(userIds: readonly number[]): void {
    this.#transactions.refuseFull(() => this.#journal.begin(userIds));
  }

  /** Ends a large change: its steps become permanent with this transaction. Returns the versions that it has made. */
  end(): MadeVersions {
    return this.#transactions.refuseFull(() => this.#journal.end());
  }

  /** Begins to undo a large change, from the start if it was begun before. */
  beginUndo(): void {
    this.#undoing = this.#journal.undo();
  }

  /** Undoes a part of a large change. Returns whether it was the last. */
  runUndo(): boolean {
    return this.#forAMoment(() => this.#undoing.next().done === true, (done) => done);
  }

  /**
   * Prepares a deletion of records with their descendants, which {@link runPlan} carries out.
   *
   * @param begins Whether they are the first of them. Others may follow until it is run.
   */
  planDeletion(
    roots: readonly ResourceRecord[],
    { isStep, begins }: { readonly isStep: boolean; readonly begins: boolean },
  ): void {
    const kind = isStep ? "large" : "direct";
    if (begins) this.#deleted[kind] = [];
    const all = this.#deleted[kind];
    all.push(...roots);
    this.#steps[kind] = deletion(this.#connection, this.#keeper(isStep), all);
  }

  /** {@link replaceFiles} */
  replaceFiles(files: readonly NewContent[], isStep: boolean): ResourceRecord[] {
    return replaceFiles(this.#connection, this.#keeper(isStep), files);
  }

  /** Prepares a move, which {@link runPlan} plans and carries out. */
  planMove(placements: readonly Placement[], now: number, isStep: boolean): void {
    if (isStep) this.#steps.large = this.#largePlan.move(placements, now);
    else this.#steps.direct = this.#plan.move(placements, now);
  }

  /** Prepares a copy of what is there, or was at a version, as {@link planMove} does a move. */
  planCopy(
    placements: readonly Placement[],
    { now, past, isStep }: {
      readonly now: number;
      readonly past?: PastTree;
      readonly isStep: boolean;
    },
  ): void {
    this.#transactions.refuseGrowth();
    if (isStep) this.#steps.large = this.#largeCopy(placements, now, past);
    else this.#steps.direct = this.#plan.copy(placements, now, past);
  }

  /** Runs a plan for a moment. */
  runPlan(isStep: boolean): PlanProgress {
    const steps = this.#steps[isStep ? "large" : "direct"];
    const pages = new RecordPages();
    return this.#forAMoment(() => {
      const { done, value } = steps.next();
      if (value) pages.add(value);
      return done === true;
    }, (done) => ({ pages: pages.take(), done, nearlyFull: this.#transactions.nearlyFull }));
  }

  *#largeCopy(placements: readonly Placement[], now: number, past: PastTree | undefined) {
    if (past !== undefined) yield* settlePast(this.#connection, past);
    yield* this.#largePlan.copy(placements, now, past);
  }

  #keeper(isStep: boolean): Keeper {
    return isStep ? this.#journal : this.#history;
  }

  /** Calls `step` until it returns true or some time is over, and returns the result of `end`. */
  #forAMoment<Result>(step: () => boolean, end: (done: boolean) => Result): Result {
    const started = performance.now();
    return this.#transactions.refuseFull(() => {
      while (performance.now() - started < MAX_STEP_MS) if (step()) return end(true);
      return end(false);
    });
  }
}
