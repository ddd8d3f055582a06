/**
 * Makes the repository of {@link BEFORE} in an empty data directory, then a commit of the hub, step by step:
 * before each, it waits for a line of input. It prints `ready`, `parked` and `committed`.
 * commit_kill_test.ts kills it in between.
 */

import * as assert from "node:assert/strict";
import { callerWith, commitTo, park, REPOSITORY } from "../support/commits.ts";
import { TestServer } from "../support/server.ts";
import { BEFORE, OBJECTS, OPERATIONS } from "./commit_steps.ts";

const [dataDir, maxDirectRecords] = Deno.args;
if (dataDir === undefined) throw new Error("Usage: commit_program.ts DATA_DIR MAX_DIRECT_RECORDS");

const input = Deno.stdin.readable.getReader();
await using server = await TestServer.start({
  dataDir,
  maxDirectRecords: Number(maxDirectRecords),
});
const client = await server.as(1);
for (const [path, content] of Object.entries(BEFORE)) {
  assert.equal((await client.put(`${REPOSITORY}/${path}`, content)).status, 201);
}
const caller = callerWith(1);
console.log("ready");
await input.read();
for (const object of OBJECTS) await park(server.hub, caller, object);
console.log("parked");
await input.read();
await commitTo(server.hub, caller, OPERATIONS());
console.log("committed");
await input.read();
