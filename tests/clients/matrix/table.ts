/** The outcomes of the matrix as text. */

import type { Outcome } from "./clients.ts";
import { isExpected } from "./expectations.ts";

/** How many words of a client are shown. */
const MAX_WORDS = 400;

export interface Matrix {
  /** The number of calls that clients have. */
  readonly calls: number;
  /** The calls that did not do what is expected, with what their callers saw. */
  readonly unexpected: readonly string[];
  /** Calls × clients. */
  readonly table: string;
}

/** Compares the outcomes, by the names of the clients, with what is expected. */
export function matrixOf(outcomes: ReadonlyMap<string, readonly Outcome[]>): Matrix {
  const names = [...outcomes.keys()];
  const rows = new Map<string, Map<string, Outcome>>();
  for (const [name, received] of outcomes) {
    for (const outcome of received) {
      const row = rows.get(outcome.call) ?? new Map<string, Outcome>();
      rows.set(outcome.call, row.set(name, outcome));
    }
  }
  const unexpected: string[] = [];
  const lines = names.map((name, index) => `${" |".repeat(index)} ${name}`);
  let calls = 0;
  for (const [call, row] of rows) {
    const marks = names.map((name) => {
      const outcome = row.get(name);
      if (outcome === undefined || outcome.outcome === "not there") return " .";
      calls++;
      const isRight = isExpected(name, outcome);
      if (!isRight) unexpected.push(`${name}: ${call}: ${wordsOf(outcome)}`);
      return !isRight ? " !" : outcome.outcome === "works" ? " +" : " -";
    });
    lines.push(`${marks.join("")}  ${call}`);
  }
  return { calls, unexpected, table: lines.join("\n") };
}

function wordsOf({ outcome, words }: Outcome): string {
  return outcome === "works" ? "works" : words.replaceAll(/\s+/g, " ").slice(-MAX_WORDS);
}
