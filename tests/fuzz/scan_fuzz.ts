/**
 * `deno task fuzz:scan`: scans mutations of the fixtures, `--mutations=` of them from `--seed=` on, and
 * says what took longest and how much memory the process had at most.
 */

import { parseArgs } from "node:util";
import { scanMutation } from "./scan_mutations.ts";

const MIB = 2 ** 20;
/** What a process that scans may take, all of it. */
const MAX_MEMORY = 512 * MIB;
/** From here on what earlier scans left behind is taken away, which a process of one scan never has. */
const CLEAN_UP = 300 * MIB;

const { values } = parseArgs({
  options: {
    mutations: { type: "string", default: "10000" },
    seed: { type: "string", default: "0" },
  },
});
/** V8's own, where the task has asked for it. */
const collectGarbage: () => void = Reflect.get(globalThis, "gc") ?? (() => {});

const first = Number(values.seed);
const count = Number(values.mutations);
let slowest = { path: "", seed: 0, milliseconds: 0 };
let memory = 0;
for (let seed = first; seed < first + count; seed++) {
  if (Deno.memoryUsage().rss > CLEAN_UP) collectGarbage();
  const result = await scanMutation(seed);
  if (result.milliseconds > slowest.milliseconds) slowest = result;
  const { rss } = Deno.memoryUsage();
  if (rss > memory) {
    memory = rss;
    if (rss > MAX_MEMORY) throw new Error(`${rss / MIB} MiB with seed ${seed}, ${result.path}`);
  }
}
console.log(`${count} mutations from seed ${first}: each gave a report of SR`);
console.log(
  `slowest: ${slowest.milliseconds.toFixed(0)} ms, ${slowest.path}, seed ${slowest.seed}`,
);
console.log(`most memory: ${(memory / MIB).toFixed(0)} MiB`);
