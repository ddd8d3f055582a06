/**
 * `deno task fuzz:tree [--minutes=N] [--sequences=N] [--seed=N] [--servers=N]`: compares the service with the model
 * of RS on random sequences of operations: on 2000 sequences, or for the given number of minutes, on several servers
 * at once. The service uses the engines that TEST_ENGINES names.
 */

import { parseArgs } from "node:util";
import { checkSequences, type Tally } from "./tree_model.ts";

/** Sequences of a server, between two progress lines. */
const BATCH_SEQUENCES = 50;
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
    // A sequence mostly waits for one thread or the other.
    servers: { type: "string", default: "3" },
  },
});
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
let seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);

const started = performance.now();
const elapsed = () => (performance.now() - started) / 60_000;
const servers = Number(values.servers);
const wanted = Number(values.sequences);
const total: Tally = new Map();
let begun = 0;
let done = 0;
await Promise.all(Array.from({ length: servers }, compareBatches));
console.log(`${elapsed().toFixed(1)} min: ${done} sequences of ${STEPS} steps agree`);
for (const [what, count] of [...total].sort()) console.log(`${String(count).padStart(8)} ${what}`);

/** Compares sequences, some with each server, until all of them have begun or the time is over. */
async function compareBatches(): Promise<void> {
  while (minutes === undefined ? begun < wanted : elapsed() < minutes) {
    const own = seed++;
    const sequences = minutes === undefined
      ? Math.min(BATCH_SEQUENCES, Math.ceil(wanted / servers), wanted - begun)
      : BATCH_SEQUENCES;
    begun += sequences;
    // Printed first, so that the seed is known even after a crash.
    console.log(`${elapsed().toFixed(1)} min: ${done} sequences agree; the next seed is ${own}`);
    const tally = await checkSequences({
      seed: own,
      sequences,
      steps: STEPS,
      server: serverOf(own),
    });
    for (const [what, count] of tally) total.set(what, (total.get(what) ?? 0) + count);
    done += sequences;
  }
}
