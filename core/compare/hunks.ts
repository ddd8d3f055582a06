import type { LineHunk } from "../../schemas/compare.ts";
import { diffLines, type LineChange } from "./diff_lines.ts";

/** Equal lines that are reported before and after others. */
const CONTEXT = 3;
/** The longest line that is reported. */
const MAX_LINE = 500;

/** What is different between texts. */
export interface TextDifference {
  readonly hunks: readonly LineHunk[];
  /** How many different lines are not reported. */
  readonly leftOut: number;
}

/**
 * Compares texts line by line.
 *
 * @param maxLines The most different lines that are reported.
 */
export async function compareTexts(
  from: string,
  to: string,
  maxLines: number,
): Promise<TextDifference> {
  const [before, after] = [linesOf(from), linesOf(to)];
  const changes = await diffLines(before, after);
  const hunks: LineHunk[] = [];
  let left = maxLines;
  let leftOut = 0;
  for (const group of grouped(changes)) {
    const shown: LineChange[] = [];
    let isWhole = true;
    for (const change of group) {
      const part = shortened(change, left);
      left -= linesIn(part);
      leftOut += linesIn(change) - linesIn(part);
      if (linesIn(part) > 0) shown.push(part);
      isWhole &&= linesIn(part) === linesIn(change);
    }
    if (shown.length > 0) hunks.push(hunkOf(shown, before, after, isWhole));
  }
  return { hunks, leftOut };
}

/** What follows a last line without an end, so that it is another line than one with an end. No text has it. */
const NO_END = "\0";

/** The lines of a text, without their ends. */
function linesOf(text: string): string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  if (last !== "") lines.push(`${last}${NO_END}`);
  return lines;
}

function linesIn({ from, to }: LineChange): number {
  return from[1] - from[0] + to[1] - to[0];
}

function shortened({ from, to }: LineChange, maxLines: number): LineChange {
  const removed = Math.min(from[1] - from[0], maxLines);
  const added = Math.min(to[1] - to[0], maxLines - removed);
  return { from: [from[0], from[0] + removed], to: [to[0], to[0] + added] };
}

/** Changes in groups whose context would touch. */
function grouped(changes: readonly LineChange[]): LineChange[][] {
  const groups: LineChange[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (last !== undefined && change.from[0] - last.from[1] <= 2 * CONTEXT) group?.push(change);
    else groups.push([change]);
  }
  return groups;
}

function hunkOf(
  changes: readonly LineChange[],
  before: readonly string[],
  after: readonly string[],
  isWhole: boolean,
): LineHunk {
  const [first] = changes;
  if (first === undefined) throw new Error("A hunk needs a change");
  const lead = Math.min(CONTEXT, first.from[0], first.to[0]);
  const lines: string[] = [];
  let at = first.from[0] - lead;
  for (const { from, to } of changes) {
    for (; at < from[0]; at++) lines.push(...marked(" ", before[at]));
    for (; at < from[1]; at++) lines.push(...marked("-", before[at]));
    for (let added = to[0]; added < to[1]; added++) lines.push(...marked("+", after[added]));
  }
  // What follows lines that are left out may be one of them.
  for (const end = isWhole ? Math.min(before.length, at + CONTEXT) : at; at < end; at++) {
    lines.push(...marked(" ", before[at]));
  }
  return { from: first.from[0] - lead + 1, to: first.to[0] - lead + 1, lines };
}

/** A line to report; if it has no end, another one says so. */
function marked(mark: " " | "-" | "+", line = ""): string[] {
  const isEnded = !line.endsWith(NO_END);
  const text = isEnded ? line : line.slice(0, -1);
  const shown = text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text;
  return isEnded ? [`${mark}${shown}`] : [`${mark}${shown}`, "\\ No newline at the end"];
}
