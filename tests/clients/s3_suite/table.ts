/** The outcomes of the suite as Markdown. */

import { reasonOf } from "./expectations.ts";
import type { Operation, Outcome } from "./suite.ts";

export interface Table {
  readonly passed: number;
  readonly ran: number;
  /** The tests that fail for no known reason, with what they say. */
  readonly unexpected: readonly string[];
  readonly markdown: string;
}

/** Compares the outcomes of each operation with what is expected. */
export function tableOf(outcomes: ReadonlyMap<Operation, readonly Outcome[]>): Table {
  const all = [...outcomes.values()].flat();
  const failed = all.filter(({ failure }) => failure !== undefined);
  const byReason = Map.groupBy(failed, (outcome) => reasonOf(outcome) ?? "");
  const unexpected = (byReason.get("") ?? []).map(({ name, failure }) => `${name}: ${failure}`);
  const rows = [...outcomes].filter(([, of]) => of.length > 0).map(([operation, of]) => [
    operation,
    String(of.filter(({ failure }) => failure === undefined).length),
    String(of.filter(({ failure }) => failure !== undefined).length),
  ]);
  const table = [["Tests of", "Pass", "Do not"], ["---", "---:", "---:"], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |\n`).join("");
  const reasons = [...byReason].filter(([why]) => why !== "").map(([why, of]) =>
    `- ${why} (${of.length}): ${of.map(({ name }) => `\`${name}\``).join(", ")}.\n`
  ).join("");
  return {
    passed: all.length - failed.length,
    ran: all.length,
    unexpected,
    markdown: `${table}\n${reasons}`,
  };
}
