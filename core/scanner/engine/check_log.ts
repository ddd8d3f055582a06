import type { FileCheck } from "../contract/file_result.ts";
import type { Check } from "../contract/scanner.ts";
import { detached } from "../contract/detached.ts";
import { plainObject } from "./plain_data.ts";

const KEPT_OF_A_KIND = 1000;

/** How many checks there are of one kind. */
interface Tally {
  readonly first: FileCheck;
  count: number;
}

/** Keeps the checks of a file, and what they say about how far it was read. */
export class CheckLog {
  readonly #now: () => number;
  readonly #checks: FileCheck[] = [];
  readonly #tallies = new Map<string, Tally>();
  readonly #inconclusive = new Set<string>();
  #operationalError: string | undefined;

  /** @param now The time, in seconds since the Unix epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Why the content was not read through to the end, as words. */
  get inconclusive(): string[] {
    return [...this.#inconclusive];
  }

  /** What first kept the scan from its work. */
  get operationalError(): string | undefined {
    return this.#operationalError;
  }

  /** The checks, and for each kind of which too many were found how many are not among them. */
  checks(): FileCheck[] {
    return [...this.#checks, ...this.#left()];
  }

  /**
   * Adds a check of the content at `location`. A check that failed without a severity is a warning;
   * one that could not be carried through has not passed. Of one kind, 1000 are kept: of so many
   * that are alike none tells more, and hostile content can give millions.
   */
  add(scanner: string, location: string, check: Check): void {
    if (check.incomplete !== undefined) this.#inconclusive.add(check.incomplete);
    if (check.operational) this.#operationalError ??= check.message;
    const kept = this.#fileCheck(scanner, location, check);
    const tally = this.#tallyOf(kept);
    tally.count++;
    if (tally.count <= KEPT_OF_A_KIND) this.#checks.push(kept);
  }

  #fileCheck(scanner: string, location: string, check: Check): FileCheck {
    const { name, message, position, why, ruleCode, incomplete, details } = check;
    const status = check.status === "passed" && incomplete !== undefined ? "skipped" : check.status;
    return {
      scanner,
      name,
      status,
      message: detached(message),
      ...(status === "failed" && { severity: check.severity ?? "warning" }),
      location: position === undefined ? location : `${location} (pos ${position})`,
      ...(details && { details: plainObject(details) }),
      ...(why !== undefined && { why }),
      ...(ruleCode !== undefined && { ruleCode }),
      ...(incomplete !== undefined && { incomplete }),
      timestamp: this.#now(),
    };
  }

  #tallyOf(first: FileCheck): Tally {
    const kind = JSON.stringify([first.scanner, first.name, first.status, first.severity]);
    const tally = this.#tallies.get(kind) ?? { first, count: 0 };
    this.#tallies.set(kind, tally);
    return tally;
  }

  #left(): FileCheck[] {
    return [...this.#tallies.values()]
      .filter(({ first, count }) => count > KEPT_OF_A_KIND && first.status !== "passed")
      .map(({ first: { scanner, name }, count }) =>
        this.#fileCheck(scanner, "", {
          name: "Findings Listed",
          status: "skipped",
          message: `${name}: ${KEPT_OF_A_KIND} of ${count} are listed`,
        })
      );
  }
}
