import * as assert from "node:assert/strict";
import { diffLines, type LineChange } from "../../../core/compare/diff_lines.ts";
import { compareTexts } from "../../../core/compare/hunks.ts";
import { seededRandom } from "../../support/random.ts";

/** What the changes make of a text. */
function patched(from: readonly string[], to: readonly string[], changes: readonly LineChange[]) {
  const made: string[] = [];
  let at = 0;
  for (const change of changes) {
    made.push(...from.slice(at, change.from[0]), ...to.slice(...change.to));
    at = change.from[1];
  }
  return [...made, ...from.slice(at)];
}

/** The fewest lines that have to be removed and added, by a table of all prefixes. */
function fewestEdits(from: readonly string[], to: readonly string[]): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, line] of from.entries()) {
    const next = [index + 1];
    for (const [at, other] of to.entries()) {
      next.push(
        line === other ? row[at] ?? 0 : 1 + Math.min(row[at + 1] ?? 0, next[at] ?? 0),
      );
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

function editsIn(changes: readonly LineChange[]): number {
  return changes.reduce((sum, { from, to }) => sum + from[1] - from[0] + to[1] - to[0], 0);
}

Deno.test("C 29 lines are compared with the fewest edits", async () => {
  const random = seededRandom(29);
  for (let round = 0; round < 3000; round++) {
    const letters = 1 + random(5);
    const text = () => Array.from({ length: random(13) }, () => String(random(letters)));
    const [from, to] = [text(), text()];
    const changes = await diffLines(from, to);
    const shown = `${from} to ${to}: ${JSON.stringify(changes)}`;
    assert.deepEqual(patched(from, to, changes), to, shown);
    assert.equal(editsIn(changes), fewestEdits(from, to), shown);
  }
});

Deno.test("C 29 texts that differ in thousands of lines are replaced part by part, within bounds", async () => {
  const random = seededRandom(1);
  const text = () => Array.from({ length: 60_000 }, () => String(random(40_000)));
  const [from, to] = [["same", ...text(), "end"], ["same", ...text(), "end"]];
  const changes = await diffLines(from, to);
  assert.deepEqual(patched(from, to, changes), to);
  assert.ok(changes.every(({ from: [start] }) => start > 0));
  const { hunks, leftOut } = await compareTexts(from.join("\n"), to.join("\n"), 100);
  const shown = hunks.flatMap(({ lines }) => lines).filter((line) => !line.startsWith(" "));
  assert.equal(shown.length, 100);
  assert.equal(leftOut, editsIn(changes) - 100);
});

Deno.test("C 29 long lines are cut, and a missing end of line is a difference", async () => {
  const { hunks } = await compareTexts("x".repeat(10_000), `${"x".repeat(10_000)}\n`, 10);
  assert.deepEqual(hunks.map(({ lines }) => lines.map((line) => line.length)), [[502, 23, 502]]);
  const windows = await compareTexts("a\r\n", "a\n", 10);
  assert.deepEqual(windows.hunks[0]?.lines, ["-a\r", "+a"]);
});
