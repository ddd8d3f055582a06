import type { Check } from "./scanner.ts";

/** What is told of a failed check besides its name and status. */
export type Failure = Omit<Check, "name" | "status">;

/** Failures that are told of one check, of one severity. */
const FAILURES_TOLD = 20;

/**
 * The checks that a scanner makes of one content: those that failed, bounded however many did, and
 * those that were begun and did not fail.
 */
export class CheckTally {
  readonly #begun = new Map<string, string>();
  readonly #failed = new Map<string, Check[]>();
  readonly #unnamed = new Map<string, number>();
  readonly #failedNames = new Set<string>();

  /** Says that a check is made, and what is told of it where it does not fail. */
  begin(name: string, passedMessage: string): void {
    this.#begun.set(name, passedMessage);
  }

  /** Adds a failure, or counts it where many like it were told already. */
  fail(name: string, failure: Failure): void {
    this.#failedNames.add(name);
    const kind = `${name}\n${failure.severity}\n${failure.incomplete}\n${failure.operational}`;
    const told = this.#failed.get(kind) ?? [];
    if (told.length < FAILURES_TOLD) told.push({ name, status: "failed", ...failure });
    else this.#unnamed.set(kind, (this.#unnamed.get(kind) ?? 0) + 1);
    this.#failed.set(kind, told);
  }

  /** All checks: the failed ones, then one of each name that was begun and did not fail. */
  *checks(): Generator<Check, void, void> {
    for (const [kind, told] of this.#failed) {
      yield* told;
      yield* this.#more(told[0], this.#unnamed.get(kind));
    }
    for (const [name, message] of this.#begun) {
      if (!this.#failedNames.has(name)) yield { name, status: "passed", message };
    }
  }

  *#more(like: Check | undefined, count: number | undefined): Generator<Check, void, void> {
    if (like === undefined || count === undefined) return;
    const { name, status, severity } = like;
    yield { name, status, severity, message: `${count} more of this kind`, details: { count } };
  }
}
