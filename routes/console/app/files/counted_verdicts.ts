import type { ResourceEntry } from "../../../../schemas/resources.ts";
import type { Verdict } from "../../../../schemas/verdict_names.ts";
import type { ShownVerdict } from "./shown_verdict.ts";

type Verdicts = ReadonlyMap<number, ShownVerdict>;

/** How many files have each verdict that is shown. */
export function countsOf(verdicts: Verdicts): ReadonlyMap<Verdict, number> {
  const counts = new Map<Verdict, number>();
  for (const { verdict, files } of verdicts.values()) {
    counts.set(verdict, (counts.get(verdict) ?? 0) + files);
  }
  return counts;
}

/** The entries with a verdict; all of them without one. A folder has the worst verdict in it. */
export function withVerdict(
  entries: readonly ResourceEntry[],
  verdicts: Verdicts,
  chosen: Verdict | undefined,
): readonly ResourceEntry[] {
  return chosen === undefined
    ? entries
    : entries.filter(({ id }) => verdicts.get(id)?.verdict === chosen);
}
