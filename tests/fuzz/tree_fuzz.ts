/**
 * `deno task fuzz [--minutes=N] [--seed=N]`: compares the service with the model of RS on random
 * sequences of operations: on 2000 of them, or for so many minutes.
 */

import { parseArgs } from "node:util";
import { checkSequences, type Tally } from "./tree_model.ts";

/** Sequences between two lines of progress. */
const BATCH = 100;
const STEPS = 30;

const { values } = parseArgs({
  options: { minutes: { type: "string" }, seed: { type: "string" } },
});
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
let seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);

const started = performance.now();
const elapsed = () => (performance.now() - started) / 60_000;
const total: Tally = new Map();
let done = 0;
while (minutes === undefined ? done < 2000 : elapsed() < minutes) {
  // Said before, so that it is known whatever happens; a disagreement names the sequence as well.
  console.log(`${elapsed().toFixed(1)} min: ${done} sequences agree; the next seed is ${seed}`);
  const tally = await checkSequences({ seed, sequences: BATCH, steps: STEPS });
  for (const [what, count] of tally) total.set(what, (total.get(what) ?? 0) + count);
  done += BATCH;
  seed++;
}
console.log(`${elapsed().toFixed(1)} min: ${done} sequences of ${STEPS} steps agree`);
for (const [what, count] of [...total].sort()) console.log(`${String(count).padStart(8)} ${what}`);
