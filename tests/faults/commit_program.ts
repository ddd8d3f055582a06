/**
 * Makes commits of the hub in a data directory, step by step: before each, it waits for a line of input. It
 * prints `ready`, `parked` and `committed`. commit_kill_test.ts kills it in between.
 */

import { callerWith, commitTo, park } from "../support/commits.ts";
import { TestServer } from "../support/server.ts";
import { OBJECTS, OPERATIONS } from "./commit_steps.ts";

const [dataDir, maxDirectRecords] = Deno.args;
if (dataDir === undefined) throw new Error("Usage: commit_program.ts DATA_DIR MAX_DIRECT_RECORDS");

const input = Deno.stdin.readable.getReader();
await using server = await TestServer.start({
  dataDir,
  maxDirectRecords: Number(maxDirectRecords),
});
const caller = callerWith(1);
console.log("ready");
await input.read();
for (const object of OBJECTS) await park(server.hub, caller, object);
console.log("parked");
await input.read();
await commitTo(server.hub, caller, OPERATIONS());
console.log("committed");
await input.read();
