import type { Check } from "./scanner.ts";
import type { Severity } from "./severity.ts";

/** A problem that a check found. */
export interface Finding extends Omit<Check, "name" | "status" | "severity"> {
  readonly severity: Severity;
}

/** A finding with the name of the check that found it. */
export interface NamedFinding<Name extends string = string> extends Finding {
  readonly name: Name;
}

/** The most findings of one group that are emitted one by one. */
const MAX_PER_GROUP = 50;

/** Findings with the same name, severity, `incomplete` and `operational`. */
interface Group {
  readonly first: Check;
  /** Position and message of the findings that are kept. */
  readonly seen: Set<string>;
  omitted: number;
}

/**
 * Collects the checks of one content. At most 50 findings of a group are emitted, followed by the
 * number of the rest; a check without findings is emitted as passed, once. Findings are emitted at
 * once by {@link Checklist.emit}, or with the others by {@link Checklist.finish} if the scanner finds
 * them in the middle of parsing.
 */
export class Checklist<Name extends string = string> {
  readonly #passed: Map<string, string>;
  readonly #groups = new Map<string, Group>();
  #pending: Check[] = [];

  /** @param passed By name, the messages of the checks that are always made, if they find nothing. */
  constructor(passed?: Readonly<Record<Name, string>>) {
    this.#passed = new Map(Object.entries<string>(passed ?? {}));
  }

  /** Registers a check, with its message if it finds nothing. */
  begin(name: Name, passed: string): void {
    this.#passed.set(name, passed);
  }

  /** Adds a finding, to be emitted later. Drops one that repeats the position and message of another. */
  add(name: Name, finding: Finding): void {
    const check: Check = { ...finding, name, status: "failed" };
    const group = this.#groupOf(check);
    const key = `${check.position} ${check.message}`;
    if (group.seen.has(key)) return;
    if (group.seen.size >= MAX_PER_GROUP) {
      group.omitted++;
      return;
    }
    group.seen.add(key);
    this.#pending.push(check);
  }

  /** Adds findings of several checks. */
  addAll(findings: Iterable<NamedFinding<Name>>): void {
    for (const { name, ...finding } of findings) this.add(name, finding);
  }

  /** Adds a finding, and emits it and those that are pending. */
  *emit(name: Name, finding: Finding): Generator<Check, void, void> {
    this.add(name, finding);
    yield* this.#emitPending();
  }

  /** Emits the pending findings, the number of omitted ones, and the checks that found nothing. */
  *finish(): Generator<Check, void, void> {
    yield* this.#emitPending();
    const failed = new Set<string>();
    for (const { first, omitted } of this.#groups.values()) {
      failed.add(first.name);
      if (omitted > 0) yield omittedCheck(first, omitted);
    }
    for (const [name, message] of this.#passed) {
      if (!failed.has(name)) yield { name, status: "passed", message };
    }
  }

  #groupOf(first: Check): Group {
    const { name, severity, incomplete, operational } = first;
    const key = [name, severity, incomplete, operational].join("\n");
    const group = this.#groups.get(key) ?? { first, seen: new Set(), omitted: 0 };
    this.#groups.set(key, group);
    return group;
  }

  *#emitPending(): Generator<Check, void, void> {
    const pending = this.#pending;
    this.#pending = [];
    yield* pending;
  }
}

function omittedCheck({ name, status, severity, ruleCode }: Check, count: number): Check {
  const message = `${count} more of this kind`;
  return { name, status, severity, message, ruleCode, details: { count } };
}
