import { forEachPaced, isTurnOver, takeTurn } from "../event_loop.ts";

/** The most edits between two parts that are looked for: parts that differ more are replaced as a whole. */
const MAX_EDITS = 2000;
/** The most steps of the search, for both texts together. Then what is left is replaced as a whole. */
const MAX_STEPS = 30_000_000;
/** Steps between two looks at the clock. */
const STEPS_AT_ONCE = 50_000;

/** Lines that were replaced by others: half-open ranges, of which one may be empty. */
export interface LineChange {
  readonly from: readonly [start: number, end: number];
  readonly to: readonly [start: number, end: number];
}

/** A part of both texts that is to be compared. */
interface Box {
  readonly a: readonly [start: number, end: number];
  readonly b: readonly [start: number, end: number];
}

/** Lines that are equal, in the middle of a shortest way from one part to the other. */
interface Snake {
  readonly edits: number;
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
}

/**
 * What is different between two texts, in order: the fewest lines, as long as the texts do not differ in thousands.
 * By the algorithm of Myers in linear space. Other requests have their turns meanwhile.
 */
export async function diffLines(
  from: readonly string[],
  to: readonly string[],
): Promise<LineChange[]> {
  const numbers = new Map<string, number>();
  const numbered = async (lines: readonly string[]) => {
    const found = new Int32Array(lines.length);
    let at = 0;
    await forEachPaced(lines, (line) => {
      const known = numbers.get(line) ?? numbers.size;
      if (known === numbers.size) numbers.set(line, known);
      found[at++] = known;
    });
    return found;
  };
  return await new Differences(await numbered(from), await numbered(to)).find();
}

class Differences {
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #changes: { from: [number, number]; to: [number, number] }[] = [];
  #steps = 0;
  /** Steps since the last look at the clock. */
  #untimed = 0;

  constructor(a: Int32Array, b: Int32Array) {
    this.#a = a;
    this.#b = b;
  }

  async find(): Promise<LineChange[]> {
    // The boxes that are left, the next one last.
    const boxes: Box[] = [{ a: [0, this.#a.length], b: [0, this.#b.length] }];
    for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
      const { a: [a0, a1], b: [b0, b1] } = this.#trimmed(box);
      if (a0 === a1 || b0 === b1) {
        this.#add(a0, a1, b0, b1);
        continue;
      }
      const snake = await this.#middle(a0, a1, b0, b1);
      if (snake === undefined || snake.edits < 2) {
        this.#add(a0, a1, b0, b1);
        continue;
      }
      const { from: [x, y], to: [u, v] } = snake;
      boxes.push({ a: [a0 + u, a1], b: [b0 + v, b1] }, { a: [a0, a0 + x], b: [b0, b0 + y] });
    }
    return this.#changes;
  }

  /** A box without the lines that are equal at its beginning and end. */
  #trimmed({ a: [a0, a1], b: [b0, b1] }: Box): Box {
    while (a0 < a1 && b0 < b1 && this.#a[a0] === this.#b[b0]) [a0, b0] = [a0 + 1, b0 + 1];
    while (a0 < a1 && b0 < b1 && this.#a[a1 - 1] === this.#b[b1 - 1]) [a1, b1] = [a1 - 1, b1 - 1];
    return { a: [a0, a1], b: [b0, b1] };
  }

  #add(a0: number, a1: number, b0: number, b1: number): void {
    if (a0 === a1 && b0 === b1) return;
    const last = this.#changes.at(-1);
    if (last !== undefined && last.from[1] === a0 && last.to[1] === b0) {
      last.from[1] = a1;
      last.to[1] = b1;
    } else this.#changes.push({ from: [a0, a1], to: [b0, b1] });
  }

  /** Searches from both ends. Undefined if there are too many edits between them. */
  async #middle(a0: number, a1: number, b0: number, b1: number): Promise<Snake | undefined> {
    const [n, m] = [a1 - a0, b1 - b0];
    const delta = n - m;
    const isOdd = delta % 2 !== 0;
    const half = Math.ceil((n + m) / 2);
    const max = Math.min(half, MAX_EDITS);
    // The farthest ends on each diagonal k, from -max - 1 to max + 1.
    const forward = new Int32Array(2 * max + 3);
    const backward = new Int32Array(2 * max + 3);
    const at = (k: number) => k + max + 1;
    this.#untimed += max;
    for (let d = 0; d <= max; d++) {
      for (
        const [ends, others, isForward] of [
          [forward, backward, true],
          [backward, forward, false],
        ] as const
      ) {
        for (let k = -d + 2 * Math.max(0, d - m); k <= d - 2 * Math.max(0, d - n); k += 2) {
          const [left, right] = [ends[at(k - 1)] ?? 0, ends[at(k + 1)] ?? 0];
          let x = k === -d || k !== d && left < right ? right : left + 1;
          let y = x - k;
          const start: [number, number] = [x, y];
          while (
            x < n && y < m &&
            (isForward
              ? this.#a[a0 + x] === this.#b[b0 + y]
              : this.#a[a1 - 1 - x] === this.#b[b1 - 1 - y])
          ) [x, y] = [x + 1, y + 1];
          ends[at(k)] = x;
          this.#untimed += 1 + x - start[0];
          const z = delta - k;
          const reached = isForward ? d - 1 : d;
          if (isOdd !== isForward || Math.abs(z) > reached || x + (others[at(z)] ?? 0) < n) {
            continue;
          }
          return isForward
            ? { edits: 2 * d - 1, from: start, to: [x, y] }
            : { edits: 2 * d, from: [n - x, m - y], to: [n - start[0], m - start[1]] };
        }
      }
      if (this.#untimed < STEPS_AT_ONCE) continue;
      this.#steps += this.#untimed;
      this.#untimed = 0;
      if (this.#steps > MAX_STEPS) return undefined;
      if (isTurnOver()) await takeTurn();
    }
    return undefined;
  }
}
