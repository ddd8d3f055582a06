/**
 * `deno task fuzz:scan [--mutations=N] [--seed=N]`: scans mutations of the fixtures, starting at a seed,
 * and prints the slowest scan and the peak memory.
 */

import { parseArgs } from "node:util";
import { MIB } from "../../schemas/units.ts";
import { scanMutation } from "./scan_mutations.ts";

/** Limit on the resident memory of a scanning process. */
const MAX_MEMORY_BYTES = 512 * MIB;
/** Above this, garbage of earlier scans is collected. A process that scans once does not need it. */
const COLLECT_GARBAGE_BYTES = 300 * MIB;

const { values } = parseArgs({
  options: {
    mutations: { type: "string", default: "10000" },
    seed: { type: "string", default: "0" },
  },
});
/** V8's garbage collector, if the task exposes it. */
const collectGarbage: () => void = Reflect.get(globalThis, "gc") ?? (() => {});

const first = Number(values.seed);
const count = Number(values.mutations);
let slowest = { path: "", seed: 0, milliseconds: 0 };
let peakBytes = 0;
for (let seed = first; seed < first + count; seed++) {
  if (Deno.memoryUsage().rss > COLLECT_GARBAGE_BYTES) collectGarbage();
  const result = await scanMutation(seed);
  if (result.milliseconds > slowest.milliseconds) slowest = result;
  const { rss } = Deno.memoryUsage();
  if (rss > peakBytes) {
    peakBytes = rss;
    if (rss > MAX_MEMORY_BYTES) {
      throw new Error(`${rss / MIB} MiB with seed ${seed}, ${result.path}`);
    }
  }
}
console.log(`${count} mutations from seed ${first}: every report conforms to SR`);
console.log(
  `slowest: ${slowest.milliseconds.toFixed(0)} ms, ${slowest.path}, seed ${slowest.seed}`,
);
console.log(`peak memory: ${(peakBytes / MIB).toFixed(0)} MiB`);
