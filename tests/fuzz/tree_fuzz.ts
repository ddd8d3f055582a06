/**
 * `deno task fuzz:tree [--minutes=N] [--sequences=N] [--seed=N]`: compares the service with the model of RS
 * on random sequences of operations: on 2000 sequences, or for the given number of minutes. The service uses
 * the engines that TEST_ENGINES names.
 */

import { parseArgs } from "node:util";
import { checkSequences, type Tally } from "./tree_model.ts";

/** Sequences between two progress lines. */
const BATCH_SEQUENCES = 100;
const STEPS = 30;
/** Each version of each tree is kept, and read back (C 26). With every other seed, all changes take steps. */
const serverOf = (seed: number) => ({
  settings: { history: 86_400_000 },
  ...(seed % 2 === 0 && { maxDirectRecords: 0 }),
});

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    sequences: { type: "string", default: "2000" },
    seed: { type: "string" },
  },
});
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
let seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);

const started = performance.now();
const elapsed = () => (performance.now() - started) / 60_000;
const total: Tally = new Map();
let done = 0;
while (minutes === undefined ? done < Number(values.sequences) : elapsed() < minutes) {
  // Printed first, so that the seed is known even after a crash.
  console.log(`${elapsed().toFixed(1)} min: ${done} sequences agree; the next seed is ${seed}`);
  const sequences = minutes === undefined
    ? Math.min(BATCH_SEQUENCES, Number(values.sequences) - done)
    : BATCH_SEQUENCES;
  const tally = await checkSequences({
    seed,
    sequences,
    steps: STEPS,
    server: serverOf(seed),
  });
  for (const [what, count] of tally) total.set(what, (total.get(what) ?? 0) + count);
  done += sequences;
  seed++;
}
console.log(`${elapsed().toFixed(1)} min: ${done} sequences of ${STEPS} steps agree`);
for (const [what, count] of [...total].sort()) console.log(`${String(count).padStart(8)} ${what}`);
