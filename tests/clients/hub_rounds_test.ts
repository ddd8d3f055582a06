import * as assert from "node:assert/strict";
import { hubTest } from "../support/hub_clients.ts";
import { readByHf, readCommits } from "./hub_rounds.ts";

hubTest("C 26 hf download has what a commit had, beside four clients that commit", async ({
  server,
  client,
}) => {
  const { read, gone } = await readCommits(server, { rounds: 4, seed: 26, read: readByHf(client) });
  assert.deepEqual([read, gone], [4, 0]);
  await server.tree.records.history?.giveUp({ before: Date.now() + 60_000, maxBytes: 0 });
  assert.equal(await readByHf(client)("0".repeat(40)), undefined);
}, { settings: { history: 86_400_000 } });
