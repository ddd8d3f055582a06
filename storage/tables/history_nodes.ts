/** No tree gets to this power of two of versions. */
const MAX_POWER = 40;

/**
 * The numbers that `history.node` has in rows that hold at a version: each row has one of them if it does, though not
 * all that have one do.
 */
export function nodesOf(version: number): number[] {
  const nodes = [0];
  for (let power = 1; power < 2 ** MAX_POWER; power *= 2) {
    // The multiple of this power, and of no higher one, between the same multiples of higher ones.
    nodes.push(Math.floor(version / (2 * power)) * 2 * power + power);
  }
  return nodes;
}

/** An expression: the node of a row of history over SQLite, as in the trigger that puts rows into order. */
export function nodeOf(since: string, until: string): string {
  return `CASE ${since} WHEN 0 THEN 0 ELSE (
    SELECT (${until} - 1) & -(1 << (4 * length(differing) - CASE
      WHEN differing >= '8' THEN 1 WHEN differing >= '4' THEN 2 WHEN differing >= '2' THEN 3 ELSE 4
    END))
    FROM (SELECT format('%x',
      ((${since} - 1) | (${until} - 1)) - ((${since} - 1) & (${until} - 1))
    ) AS differing)
  ) END`;
}
