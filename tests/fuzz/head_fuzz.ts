/**
 * `deno task fuzz:heads [--requests=N] [--seed=N]`: sends heads of requests that no well-behaved client
 * sends, and prints how many had each status. Stops at the first internal error.
 */

import { parseArgs } from "node:util";
import { TestServer } from "../support/server.ts";
import { checkHeads, HEADS_SERVER, type Statuses } from "./request_heads.ts";

/** Requests between two progress lines. */
const BATCH_REQUESTS = 2000;

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "50000" },
    seed: { type: "string" },
  },
});
const requests = Number(values.requests);
let seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);

await using server = await TestServer.start(HEADS_SERVER);
const total: Statuses = new Map();
for (let done = 0; done < requests; done += BATCH_REQUESTS) {
  // Printed first, so that the seed is known even after a crash.
  console.log(`${done} requests; the next seed is ${seed}`);
  const statuses = await checkHeads(server, { seed, requests: BATCH_REQUESTS });
  for (const [status, count] of statuses) total.set(status, (total.get(status) ?? 0) + count);
  seed++;
}
for (const [status, count] of [...total].sort()) {
  console.log(`${String(count).padStart(8)} ${status}`);
}
