/** More changes than this make another word. */
const MAX_CHANGES = 3;

/** `; did you mean "scan"?` for a mistyped name, or nothing if no known name is similar. */
export function suggestion(given: string, known: Iterable<string>): string {
  const name = nearest(given, known);
  return name === undefined ? "" : `; did you mean ${name}?`;
}

/** The known name that is a few changes from a given one: at most three, and less than half of it. */
export function nearest(given: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let fewest = Math.min(MAX_CHANGES + 1, given.length / 2);
  for (const name of known) {
    if (Math.abs(name.length - given.length) >= fewest) continue;
    const count = changes(given, name);
    if (count < fewest) [best, fewest] = [name, count];
  }
  return best;
}

/** The fewest characters to insert, delete, replace or swap with their neighbor to get from `a` to `b`. */
function changes(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        cell(previous, column) + 1,
        cell(current, column - 1) + 1,
        cell(previous, column - 1) + (isSame ? 0 : 1),
        isSwapped ? cell(before, column - 2) + 1 : Infinity,
      );
    }
    [before, previous] = [previous, current];
  }
  return cell(previous, b.length);
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
