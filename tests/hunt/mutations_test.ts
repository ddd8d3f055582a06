import * as assert from "node:assert/strict";
import { ALLOWED_USES } from "../../core/scanner/knowledge/python/allowed_names.ts";
import { MAKER } from "../../core/scanner/knowledge/python/uses.ts";
import { CRITICAL } from "../core/scanner/formats/pickle/hostile_pickles.ts";
import { ORDINARY } from "../core/scanner/formats/pickle/ordinary_pickles.ts";
import { bytes, gl, short } from "../core/scanner/formats/pickle/pickle_bytes.ts";
import { P2, T1 } from "../core/scanner/formats/pickle/pickle_parts.ts";
import { seededRandom } from "../support/random.ts";
import { hasProgram } from "../support/tools.ts";
import { Fence } from "./fence.ts";
import { instructionsOf } from "./mutate.ts";
import { type Miss, Mutations } from "./mutations.ts";
import { nameOf } from "./programs.ts";

const isIgnored = Deno.build.os !== "linux" || !await hasProgram("python3", "--version");
/** Names of Python alone: the packages that a Python has take seconds to load. */
const NAMES = [...ALLOWED_USES.keys()].filter((path) => /^(?:builtins|collections)\./.test(path));

async function misses(seeds: readonly Uint8Array[], count: number) {
  const python = "python3";
  await using fence = await Fence.start({ python, names: NAMES.map(nameOf), files: true });
  const mutations = new Mutations(fence, seededRandom(1), seeds);
  const missed: Miss[] = [];
  for await (const miss of mutations.run(count)) missed.push(miss);
  return { missed, progress: mutations.progress, seen: mutations.seen };
}

Deno.test({
  name: "scanning 2.1: what a mutated pickle runs in Python was flagged",
  ignore: isIgnored,
  async fn() {
    const seeds = [...CRITICAL.map(({ content }) => content), ...ORDINARY.map(([, it]) => it)];
    const { missed, progress, seen } = await misses(seeds, 250);
    // What takes too long depends on the machine, and on the packages that it has to import.
    const done = missed.filter(({ ran, isConfirmed }) => isConfirmed && ran !== "hangs");
    assert.deepEqual(done.map(({ pickle, ran }) => `${ran}: ${pickle.toHex()}`), []);
    assert.ok(progress.ran > 15, `${progress.ran} ran something`);
    assert.ok(seen.has("calls os.getpid"), [...seen.keys()].join());
  },
});

Deno.test({
  name: "scanning 2.1: mutated pickles show a name that is allowed and should not be",
  ignore: isIgnored,
  async fn() {
    assert.ok(ALLOWED_USES instanceof Map);
    const evaluation = bytes(P2, gl("builtins", "eval"), short("1+1"), T1, "R.");
    ALLOWED_USES.set("builtins.eval", MAKER);
    try {
      const { missed } = await misses([evaluation], 250);
      assert.ok(missed.some(({ ran }) => ran.startsWith("compile")), JSON.stringify(missed));
    } finally {
      ALLOWED_USES.delete("builtins.eval");
    }
  },
});

Deno.test("mutations are made of whole instructions", () => {
  const pickle = bytes(P2, "cos\nsystem\nI1\nX\x02\x00\x00\x00abU\x01aK\x05tR.rest");
  const parts = instructionsOf(pickle).map((part) => new TextDecoder("latin1").decode(part));
  assert.deepEqual(parts.slice(1, 9), [
    "cos\nsystem\n",
    "I1\n",
    "X\x02\x00\x00\x00ab",
    "U\x01a",
    "K\x05",
    "t",
    "R",
    ".",
  ]);
  assert.equal(parts.join(""), new TextDecoder("latin1").decode(pickle));
});
