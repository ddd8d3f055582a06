/**
 * How surely one of two samples tends to be larger, by the test of Mann and Whitney: the standard score of
 * the sum of ranks. Without a difference, it is beyond 5 once in two million times.
 */
export function rankScore(one: readonly number[], other: readonly number[]): number {
  const all = [
    ...one.map((value) => ({ value, isOne: true })),
    ...other.map((value) => ({ value, isOne: false })),
  ].sort((a, b) => a.value - b.value);
  let sum = 0;
  let ties = 0;
  for (let start = 0; start < all.length;) {
    let end = start;
    while (end < all.length && all[end]?.value === all[start]?.value) end++;
    const rank = (start + 1 + end) / 2;
    for (const { isOne } of all.slice(start, end)) if (isOne) sum += rank;
    ties += (end - start) ** 3 - (end - start);
    start = end;
  }
  const [m, n, total] = [one.length, other.length, all.length];
  const mean = m * (total + 1) / 2;
  const variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)));
  return variance === 0 ? 0 : (sum - mean) / Math.sqrt(variance);
}
