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
