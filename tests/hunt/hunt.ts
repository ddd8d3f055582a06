/**
 * `deno task hunt`: observes what allowed names can do, and searches for pickles that do something and in
 * which the scanner finds nothing: programs of allowed uses, or mutated pickles. CONTRIBUTING.md has its
 * options.
 */

import { parseArgs } from "node:util";
import { ALLOWED_USES } from "../../core/scanner/knowledge/python/allowed_names.ts";
import { seededRandom } from "../support/random.ts";
import { isFound, keysOf, lineOf, observe, parseFacts } from "./facts.ts";
import { Fence } from "./fence.ts";
import { Mutations, seedPickles } from "./mutations.ts";
import { assemble, nameOf } from "./programs.ts";
import { Search } from "./search.ts";

const FACTS = new URL("facts.tsv", import.meta.url);
const PROGRESS_MILLISECONDS = 60_000;

const { values } = parseArgs({
  options: {
    facts: { type: "boolean", default: false },
    mutations: { type: "string" },
    programs: { type: "string", default: "100000" },
    minutes: { type: "string" },
    seed: { type: "string", default: "1" },
    python: { type: "string", default: "python3" },
  },
});
const { python } = values;

const files = values.mutations !== undefined;
const names = [...ALLOWED_USES.keys()].map(nameOf);
await using fence = await Fence.start({ python, names, files });
const { versions, lacking } = fence.packages;
const head = Object.entries({ CPython: fence.packages.python, ...versions })
  .map(([name, version]) => `${name} ${version}`).sort().join(", ");
const absent = new Set(lacking);
const paths = [...ALLOWED_USES.keys()].filter((path) => !absent.has(path));
console.log(`${paths.length} of ${ALLOWED_USES.size} names, of ${head}`);

let isHole = false;
if (values.facts) {
  const facts = await observe(paths, fence);
  const text = [
    "# What names can do that pickles may import, as `deno task hunt --facts` saw it.",
    "# Name, opcodes, arguments, what they do.",
    `# ${paths.length} names, of ${head}`,
    ...facts.map(lineOf),
  ];
  await Deno.writeTextFile(FACTS, `${text.join("\n")}\n`);
  for (const fact of facts.filter((fact) => !isFound(fact))) {
    isHole = true;
    console.log(`not found: ${lineOf(fact)}`);
  }
} else if (files) {
  const seeds = await seedPickles(python);
  const hunt = new Mutations(fence, seededRandom(Number(values.seed)), seeds);
  const report = () => console.log(`seed ${values.seed}:`, hunt.progress);
  const timer = setInterval(report, PROGRESS_MILLISECONDS);
  for await (const { pickle, ran, isConfirmed } of hunt.run(Number(values.mutations))) {
    isHole ||= isConfirmed;
    const kind = isConfirmed ? "missed" : "unconfirmed";
    console.log(`${kind}: ${ran}\n${pickle.toHex()}\n${await Fence.list(python, pickle)}`);
  }
  clearInterval(timer);
  report();
  console.log(hunt.seen);
} else {
  const seed = Number(values.seed);
  const keys = keysOf(parseFacts(await Deno.readTextFile(FACTS)));
  const search = new Search(
    fence,
    seededRandom(seed),
    keys,
    absent,
  );
  const { progress } = search;
  const start = performance.now();
  const end = values.minutes === undefined ? Infinity : start + Number(values.minutes) * 60_000;
  const count = values.minutes === undefined ? Number(values.programs) : Infinity;
  const report = () => {
    const seconds = (performance.now() - start) / 1000;
    const numbers = Object.entries(progress).map(([name, number]) => `${number} ${name}`).join(
      ", ",
    );
    console.log(`seed ${seed}: ${numbers}, ${Math.round(progress.programs / seconds)} programs/s`);
  };
  const timer = setInterval(report, PROGRESS_MILLISECONDS);
  for await (
    const { program, harm, isConfirmed } of search.run(() =>
      progress.programs >= count || performance.now() > end
    )
  ) {
    isHole ||= isConfirmed;
    const kind = isConfirmed ? "hole" : "unconfirmed";
    const pickle = assemble(program, false);
    console.log(`${kind}: ${harm}\n${pickle.toHex()}\n${await Fence.list(python, pickle)}`);
  }
  clearInterval(timer);
  report();
}
if (isHole) Deno.exitCode = 1;
