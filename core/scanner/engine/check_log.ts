import { detached } from "../contract/detached.ts";
import type { FileCheck } from "../contract/file_result.ts";
import type { Check } from "../contract/scanner.ts";
import { severityOf } from "../contract/severity.ts";
import { plainObject } from "./plain_data.ts";

/** The most checks of one group that are kept: more add nothing, and hostile content causes millions. */
const MAX_PER_GROUP = 1000;

/** Checks with the same scanner, name, status and severity. */
interface Group {
  readonly first: FileCheck;
  count: number;
}

/** Collects the checks of a file, and what they say about how far it was read. */
export class CheckLog {
  readonly #now: () => number;
  readonly #checks: FileCheck[] = [];
  readonly #groups = new Map<string, Group>();
  readonly #inconclusive = new Set<string>();
  #operationalError: string | undefined;

  /** @param now Returns seconds since the Unix epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The reason words if the content was not fully read. */
  get inconclusive(): string[] {
    return [...this.#inconclusive];
  }

  /** The message of the first check that is an error of the scan itself. */
  get operationalError(): string | undefined {
    return this.#operationalError;
  }

  /** The checks, with one more for each group that exceeds the maximum. */
  checks(): FileCheck[] {
    return [...this.#checks, ...this.#overflowChecks()];
  }

  /**
   * Adds a check of the content at `location`. A failed check without a severity becomes a warning, and
   * a passed one that was cut short is skipped. At most 1000 checks of a group are kept.
   */
  add(scanner: string, location: string, check: Check): void {
    if (check.incomplete !== undefined) this.#inconclusive.add(check.incomplete);
    if (check.operational) this.#operationalError ??= check.message;
    const kept = this.#fileCheck(scanner, location, check);
    const group = this.#groupOf(kept);
    group.count++;
    if (group.count <= MAX_PER_GROUP) this.#checks.push(kept);
  }

  #fileCheck(scanner: string, location: string, check: Check): FileCheck {
    const { name, message, position, why, ruleCode, incomplete, details } = check;
    const status = check.status === "passed" && incomplete !== undefined ? "skipped" : check.status;
    return {
      scanner,
      name,
      status,
      message: detached(message),
      ...(status === "failed" && { severity: severityOf(check) }),
      location: position === undefined ? location : `${location} (pos ${position})`,
      ...(details && { details: plainObject(details) }),
      ...(why !== undefined && { why }),
      ...(ruleCode !== undefined && { ruleCode }),
      ...(incomplete !== undefined && { incomplete }),
      timestamp: this.#now(),
    };
  }

  #groupOf(first: FileCheck): Group {
    const key = JSON.stringify([first.scanner, first.name, first.status, first.severity]);
    const group = this.#groups.get(key) ?? { first, count: 0 };
    this.#groups.set(key, group);
    return group;
  }

  #overflowChecks(): FileCheck[] {
    return [...this.#groups.values()]
      .filter(({ first, count }) => count > MAX_PER_GROUP && first.status !== "passed")
      .map(({ first: { scanner, name }, count }) =>
        this.#fileCheck(scanner, "", {
          name: "Findings Listed",
          status: "skipped",
          message: `${name}: ${MAX_PER_GROUP} of ${count} are listed`,
        })
      );
  }
}
