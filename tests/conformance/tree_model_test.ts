import * as assert from "node:assert/strict";
import { checkSequences } from "../fuzz/tree_model.ts";
import { IN_SQLITE } from "../support/engines.ts";

Deno.test("RS 3 and C 5 the service agrees with its model on random operations", async () => {
  const tally = await checkSequences({ seed: 20261121, sequences: 8, steps: 30 });
  for (const outcome of ["move 200", "copy 200", "move 409", "copy 409", "move 400", "move 404"]) {
    assert.ok((tally.get(outcome) ?? 0) > 0, outcome);
  }
});

Deno.test({
  name: "C 5 the service agrees with its model when every change takes steps",
  // With PostgreSQL, none does.
  ignore: !IN_SQLITE,
  async fn() {
    const server = { maxDirectRecords: 0 };
    await checkSequences({ seed: 20261122, sequences: 3, steps: 30, server });
  },
});

for (const maxDirectRecords of [10_000, 0]) {
  Deno.test(`C 26 every version of a tree is as its model was, in changes of ${maxDirectRecords}`, async () => {
    const server = { settings: { history: 86_400_000 }, maxDirectRecords };
    await checkSequences({ seed: 20261124, sequences: 2, steps: 30, server });
  });
}
