/** A rectangle, in the units of the whole. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Divides a rectangle into one for each value, with an area in proportion to it, and as square as that allows
 * (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000).
 *
 * @param values Above 0, the largest first.
 */
export function treemap(values: readonly number[], whole: Box): Box[] {
  const boxes: Box[] = [];
  let rest = whole;
  let left = values.reduce((sum, value) => sum + value, 0);
  for (let at = 0; at < values.length;) {
    const short = Math.min(rest.width, rest.height);
    const scale = rest.width * rest.height / left;
    let end = at + 1;
    let sum = values[at] ?? 0;
    // A row takes the next value as long as that makes its worst rectangle more like a square.
    for (let next; (next = values[end]) !== undefined; end++) {
      const first = values[at] ?? next;
      const before = worst({
        first,
        last: values[end - 1] ?? next,
        sum: sum * scale,
        scale,
        short,
      });
      const after = worst({ first, last: next, sum: (sum + next) * scale, scale, short });
      if (after > before) break;
      sum += next;
    }
    const row = values.slice(at, end);
    const depth = sum * scale / short;
    const isColumn = rest.width >= rest.height;
    let along = isColumn ? rest.y : rest.x;
    for (const value of row) {
      const length = short * value / sum;
      boxes.push(
        isColumn
          ? { x: rest.x, y: along, width: depth, height: length }
          : { x: along, y: rest.y, width: length, height: depth },
      );
      along += length;
    }
    rest = isColumn
      ? { ...rest, x: rest.x + depth, width: Math.max(0, rest.width - depth) }
      : { ...rest, y: rest.y + depth, height: Math.max(0, rest.height - depth) };
    left -= sum;
    at = end;
  }
  return boxes;
}

/** The longer side of the worst rectangle of a row, by its shorter one. */
function worst(
  { first, last, sum, scale, short }: {
    readonly first: number;
    readonly last: number;
    /** The area of the row. */
    readonly sum: number;
    readonly scale: number;
    readonly short: number;
  },
): number {
  const squared = short * short;
  return Math.max(
    squared * first * scale / (sum * sum),
    sum * sum / (squared * last * scale),
  );
}
