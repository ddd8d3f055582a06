import type { LineHunk } from "../../../../schemas/compare.ts";

interface Line {
  readonly number: number;
  readonly text: string;
}

/** Lines side by side, or that lines are left out. */
export type LinePair =
  | "gap"
  | {
    readonly from: Line | undefined;
    readonly to: Line | undefined;
    readonly isEqual: boolean;
  };

/** The lines of hunks in pairs: those that were removed beside those that came in their place. */
export function pairLines(hunks: readonly LineHunk[]): LinePair[] {
  const pairs: LinePair[] = [];
  for (const { from, to, lines } of hunks) {
    if (pairs.length > 0) pairs.push("gap");
    let [before, after] = [from, to];
    let removed: Line[] = [];
    let added: Line[] = [];
    const flush = () => {
      for (let at = 0; at < Math.max(removed.length, added.length); at++) {
        pairs.push({ from: removed[at], to: added[at], isEqual: false });
      }
      [removed, added] = [[], []];
    };
    for (const line of lines) {
      const text = line.slice(1);
      switch (line[0]) {
        case "-":
          // A line that follows added ones belongs to another change.
          if (added.length > 0) flush();
          removed.push({ number: before++, text });
          break;
        case "+":
          added.push({ number: after++, text });
          break;
        case " ":
          flush();
          pairs.push({
            from: { number: before++, text },
            to: { number: after++, text },
            isEqual: true,
          });
      }
    }
    flush();
  }
  return pairs;
}
