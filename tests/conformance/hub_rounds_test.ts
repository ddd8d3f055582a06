import * as assert from "node:assert/strict";
import { readCommits } from "../clients/hub_rounds.ts";
import { TestServer } from "../support/server.ts";

Deno.test("C 26 a commit has what it had or is refused as a whole, beside four clients that commit", async () => {
  await using server = await TestServer.start({ settings: { history: 86_400_000 } });
  const { read, gone } = await readCommits(server, { rounds: 40, seed: 20261127 });
  assert.equal(read + gone, 40);
  assert.ok(read > 0);
});
