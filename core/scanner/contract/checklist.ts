import type { Check } from "./scanner.ts";
import type { Severity } from "./severity.ts";

/** What one of the checks of a list found wrong. */
export interface Finding extends Omit<Check, "name" | "status" | "severity"> {
  readonly severity: Severity;
}

/** A finding, with the name of the check that found it. */
export interface NamedFinding<Name extends string = string> extends Finding {
  readonly name: Name;
}

/** How many findings of one kind are told one by one. */
const MAX_PER_KIND = 50;

/** Findings of one name and severity that say the same of how far the content was read. */
interface Kind {
  readonly first: Check;
  /** What those say that were told. */
  readonly emitted: Set<string>;
  omitted: number;
}

/**
 * The checks that a scanner makes on one content: what they find is told, up to a number of each
 * kind, and a check that found nothing is told as passed, once. Findings are told at once, by
 * {@link Checklist.emit}, or with the others at the end, where they come up amid the reading of a
 * structure.
 */
export class Checklist<Name extends string = string> {
  readonly #passed: Map<string, string>;
  readonly #kinds = new Map<string, Kind>();
  #pending: Check[] = [];

  /** @param passed What is said, by name, of checks that are made in any case and find nothing. */
  constructor(passed?: Readonly<Record<Name, string>>) {
    this.#passed = new Map(Object.entries<string>(passed ?? {}));
  }

  /** Says that a check is made, and what is told of it where it finds nothing. */
  begin(name: Name, passed: string): void {
    this.#passed.set(name, passed);
  }

  /** Adds a finding, to be told later. One that says the same as another of the same place is none. */
  add(name: Name, finding: Finding): void {
    const check: Check = { ...finding, name, status: "failed" };
    const kind = this.#kindOf(check);
    const said = `${check.position} ${check.message}`;
    if (kind.emitted.has(said)) return;
    if (kind.emitted.size >= MAX_PER_KIND) {
      kind.omitted++;
      return;
    }
    kind.emitted.add(said);
    this.#pending.push(check);
  }

  /** Adds findings of several checks. */
  addAll(findings: Iterable<NamedFinding<Name>>): void {
    for (const { name, ...finding } of findings) this.add(name, finding);
  }

  /** Adds a finding, and tells of it and of those that wait. */
  *emit(name: Name, finding: Finding): Generator<Check, void, void> {
    this.add(name, finding);
    yield* this.#emitPending();
  }

  /** Tells of what was not told yet, how much there is besides, and which checks found nothing. */
  *finish(): Generator<Check, void, void> {
    yield* this.#emitPending();
    const failed = new Set<string>();
    for (const { first, omitted: untold } of this.#kinds.values()) {
      failed.add(first.name);
      if (untold > 0) yield more(first, untold);
    }
    for (const [name, message] of this.#passed) {
      if (!failed.has(name)) yield { name, status: "passed", message };
    }
  }

  #kindOf(first: Check): Kind {
    const { name, severity, incomplete, operational } = first;
    const id = [name, severity, incomplete, operational].join("\n");
    const kind = this.#kinds.get(id) ?? { first, emitted: new Set(), omitted: 0 };
    this.#kinds.set(id, kind);
    return kind;
  }

  *#emitPending(): Generator<Check, void, void> {
    const waiting = this.#pending;
    this.#pending = [];
    yield* waiting;
  }
}

function more({ name, status, severity, ruleCode }: Check, count: number): Check {
  const message = `${count} more of this kind`;
  return { name, status, severity, message, ruleCode, details: { count } };
}
