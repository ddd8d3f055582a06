import * as assert from "node:assert/strict";
import { ALLOWED_USES } from "../../core/scanner/knowledge/python/allowed_names.ts";
import { seededRandom } from "../support/random.ts";
import { hasProgram, pythonWith } from "../support/tools.ts";
import { type Fact, isFound, keysOf, lineOf, observe, parseFacts } from "./facts.ts";
import { Fence } from "./fence.ts";
import { nameOf, partsOf } from "./programs.ts";
import { Search } from "./search.ts";

const FACTS = parseFacts(await Deno.readTextFile(new URL("facts.tsv", import.meta.url)));
const SEEDED = ["Mean", "Sum", "Norm", "Attentive"].map((kind) =>
  `chemprop.nn.agg.${kind}Aggregation`
);
/** Names whose facts are observed anew in each test: those of Python and NumPy that pickles call. */
const SHORT = [...ALLOWED_USES].filter(([path, { call }]) =>
  call !== undefined && /^(?:builtins|collections|copyreg|functools|numpy|_codecs)\./.test(path)
).map(([path]) => path);
const MAX_PROGRAMS = 40_000;

const describe = (facts: readonly Fact[]) => facts.map(lineOf).join("\n");

Deno.test("scanning 2.1: nothing that an allowed name was seen to do goes beyond its uses", () => {
  assert.ok(FACTS.length > 500);
  for (const { path } of FACTS) assert.ok(ALLOWED_USES.has(path), `${path} is allowed no more`);
  assert.equal(describe(FACTS.filter((fact) => !isFound(fact))), "");
});

Deno.test({
  name: "scanning 2.1: nothing that names of Python and NumPy do here goes beyond their uses",
  ignore: Deno.build.os !== "linux" || await pythonWith("numpy") === undefined,
  async fn() {
    const python = await pythonWith("numpy") ?? "";
    await using fence = await Fence.start({ python, names: SHORT.map(nameOf) });
    const lacking = new Set(fence.packages.lacking);
    const facts = await observe(SHORT.filter((path) => !lacking.has(path)), fence);
    assert.ok(facts.some(({ what }) => what.startsWith("calls argument 1")));
    assert.equal(describe(facts.filter((fact) => !isFound(fact))), "");
  },
});

Deno.test({
  name: "scanning 2.1: the hunt finds the holes of a package: alone, and in a chain",
  ignore: Deno.build.os !== "linux" || !await hasProgram("python3", "--version"),
  async fn(t) {
    const modules = `${import.meta.dirname}/seeded`;
    const names = SEEDED.map(nameOf);
    await using fence = await Fence.start({ python: "python3", names, modules });
    const facts = await observe(SEEDED, fence);
    await t.step("as facts", () => {
      const holes = facts.filter((fact) => !isFound(fact)).map(({ path, what }) =>
        `${path} ${what}`
      );
      assert.deepEqual([...new Set(holes)], [
        "chemprop.nn.agg.AttentiveAggregation crashes SIGSEGV",
        "chemprop.nn.agg.MeanAggregation evaluates expression",
      ]);
    });
    await t.step("as programs", async () => {
      const lacking = new Set([...ALLOWED_USES.keys()].filter((path) => !SEEDED.includes(path)));
      const search = new Search(fence, seededRandom(1), keysOf(facts), lacking);
      const wanted = new Set(["Attentive", "Mean", "Norm Sum"]);
      const { progress } = search;
      for await (
        const { program, isConfirmed } of search.run(() =>
          wanted.size === 0 || progress.programs > MAX_PROGRAMS
        )
      ) {
        if (!isConfirmed) continue;
        const used = partsOf(program).flatMap(({ name }) =>
          name?.[1].replace("Aggregation", "") ?? []
        );
        wanted.delete(used.sort().join(" "));
      }
      assert.deepEqual([...wanted], []);
    });
  },
});
