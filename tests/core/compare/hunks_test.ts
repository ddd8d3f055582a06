import * as assert from "node:assert/strict";
import { compareTexts } from "../../../core/compare/hunks.ts";
import { seededRandom } from "../../support/random.ts";

/** What is at a place of the texts is on each line of a hunk. */
function requireTrue(from: string, to: string, found: Awaited<ReturnType<typeof compareTexts>>) {
  const [before, after] = [from.split("\n"), to.split("\n")];
  for (const hunk of found.hunks) {
    let [old, now] = [hunk.from - 1, hunk.to - 1];
    for (const line of hunk.lines) {
      const text = line.slice(1);
      if (line[0] !== "+") assert.equal(before[old++], text, `${line} in ${JSON.stringify(found)}`);
      if (line[0] !== "-") assert.equal(after[now++], text, `${line} in ${JSON.stringify(found)}`);
    }
  }
}

Deno.test("C 29 lines that are different and not reported are not shown as equal", async () => {
  const removed = await compareTexts("a\nb\nc\nd\n", "", 2);
  assert.deepEqual(removed, { hunks: [{ from: 1, to: 1, lines: ["-a", "-b"] }], leftOut: 2 });
  const random = seededRandom(30);
  for (let round = 0; round < 2000; round++) {
    const text = () => Array.from({ length: random(20) }, () => `${random(6)}\n`).join("");
    const [from, to] = [text(), text()];
    requireTrue(from, to, await compareTexts(from, to, 1 + random(6)));
  }
});
