import type { Check, Severity } from "./scanner.ts";

/** What was found by one of the checks of a list. */
export interface Finding extends Omit<Check, "name" | "status" | "severity"> {
  readonly severity: Severity;
}

/** How many findings of one name and severity are told one by one. */
const TOLD = 50;

/**
 * The checks that a scanner makes on one content: each finding is told, up to a number, and a check
 * that found nothing is told as passed. `passed` gives for each name what to say then.
 */
export class Checklist<Name extends string> {
  readonly #passed: Readonly<Record<Name, string>>;
  readonly #counts = new Map<string, { name: Name; severity: Severity; count: number }>();

  constructor(passed: Readonly<Record<Name, string>>) {
    this.#passed = passed;
  }

  /** Tells of a finding, unless very many of its kind were told already. */
  *found(name: Name, finding: Finding): Generator<Check, void, void> {
    const id = `${name}:${finding.severity}:${finding.incomplete ?? ""}`;
    const tally = this.#counts.get(id) ?? { name, severity: finding.severity, count: 0 };
    tally.count++;
    this.#counts.set(id, tally);
    if (tally.count <= TOLD) yield { ...finding, name, status: "failed" };
  }

  /** Tells how many findings were not told one by one, and which checks found nothing. */
  *finish(): Generator<Check, void, void> {
    for (const { name, severity, count } of this.#counts.values()) {
      if (count <= TOLD) continue;
      const message = `${count - TOLD} more findings of this kind`;
      yield { name, status: "failed", severity, message, details: { count } };
    }
    const failed = new Set<string>([...this.#counts.values()].map(({ name }) => name));
    for (const [name, message] of Object.entries<string>(this.#passed)) {
      if (!failed.has(name)) yield { name, status: "passed", message };
    }
  }
}
