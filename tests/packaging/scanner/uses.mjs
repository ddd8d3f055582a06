/** Uses the package in each way that its README names, and prints what came of it. */

import { readFileSync } from "node:fs";
import { argv } from "node:process";

const [scanner, pickle, endless] = argv.slice(2);
const { scan } = await import(scanner);
const bytes = readFileSync(pickle);
const codes = ({ issues }) => issues.map(({ rule_code }) => rule_code);
const problem = (scanning) =>
  scanning.then(() => "none", ({ name, message }) => `${name}: ${message}`);

async function* pieces() {
  yield bytes.subarray(0, 5);
  yield bytes.subarray(5);
}
// deno-lint-ignore require-yield -- it stalls before its first piece
async function* stalled() {
  await new Promise(() => {});
}

/** Aborts once the scan has had a turn to begin. */
function aborting() {
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error("enough")), 100);
  return { signal: abort.signal };
}

console.log(JSON.stringify({
  path: codes(await scan("a.pkl", pickle)),
  blob: codes(await scan("a.pkl", new Blob([bytes]))),
  bytes: codes(await scan("a.pkl", pieces())),
  beside: (await Promise.all([1, 2, 3].map(() => scan("a.pkl", pickle)))).map(codes),
  limited: (await scan("a.pkl", pickle, { limits: { maxOpcodes: 1 } })).has_errors,
  missing: await problem(scan("a.pkl", `${pickle}.missing`)),
  aborted: await problem(scan("a.bin", endless, aborting())),
  abortedBefore: await problem(
    scan("a.pkl", pickle, { signal: AbortSignal.abort(new Error("no")) }),
  ),
  stalled: await problem(scan("a.bin", stalled(), aborting())),
  after: codes(await scan("a.pkl", pickle)),
}));
