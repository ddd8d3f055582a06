/**
 * `deno task fuzz:s3 [--requests=N] [--seed=N]`: sends forged requests to the S3 door, and prints how many of each
 * kind were refused. Stops at the first that is not.
 */

import { parseArgs } from "node:util";
import { TestServer } from "../support/server.ts";
import { sendForged } from "./s3_forged.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
  },
});
console.log(`The seed is ${values.seed}`);
await using server = await TestServer.start();
const sent = await sendForged(server, {
  seed: Number(values.seed),
  requests: Number(values.requests),
});
for (const [kind, count] of sent) console.log(`${String(count).padStart(8)} ${kind}`);
