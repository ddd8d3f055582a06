import type { Check, Severity } from "../scanner.ts";

/** A failed check. */
export type Finding = Omit<Check, "status"> & { readonly severity: Severity };

/** Findings of one name and severity that are told one by one. */
const TOLD_ONE_BY_ONE = 50;

/** What is found in one model: bounded, however much of it there is. */
export class Findings {
  readonly #groups = new Map<string, { readonly told: Map<string, Finding>; untold: number }>();
  readonly #passed: Readonly<Record<string, string>>;

  /** @param passed the checks by name, with what is said where nothing was wrong. */
  constructor(passed: Readonly<Record<string, string>>) {
    this.#passed = passed;
  }

  /** Takes note of a finding; one that says the same as another is the same. */
  add(finding: Finding): void {
    const key = `${finding.severity} ${finding.name}`;
    const group = this.#groups.get(key) ?? { told: new Map<string, Finding>(), untold: 0 };
    this.#groups.set(key, group);
    if (group.told.has(finding.message)) return;
    if (group.told.size < TOLD_ONE_BY_ONE) group.told.set(finding.message, finding);
    else group.untold += 1;
  }

  /** The failed checks, then a passed one for each name of which none has failed. */
  *checks(): Generator<Check, void, void> {
    const failed = new Set<string>();
    for (const { told, untold } of this.#groups.values()) {
      for (const finding of told.values()) {
        failed.add(finding.name);
        yield { ...finding, status: "failed" };
      }
      const [first] = told.values();
      if (untold > 0 && first !== undefined) yield more(first, untold);
    }
    for (const [name, message] of Object.entries(this.#passed)) {
      if (!failed.has(name)) yield { name, status: "passed", message };
    }
  }
}

function more({ name, severity, ruleCode }: Finding, count: number): Check {
  const message = `${count} more of the same kind`;
  return { name, status: "failed", severity, message, ruleCode, details: { count } };
}
