import * as assert from "node:assert/strict";
import { TempDir } from "../../../../support/temp_dir.ts";
import { pythonWith, run } from "../../../../support/tools.ts";
import { assemble, call, name, type Term } from "./assembler.ts";
import { bytes } from "./pickle_bytes.ts";

const shared: Term = { list: [1, "two", bytes("three")] };

/** Terms with what Python shows of them. */
const TERMS: readonly (readonly [Term, string])[] = [
  [
    { tuple: [0, -1, 70_000, 2 ** 40, 1.5, true, false, null] },
    "(0, -1, 70000, 1099511627776, 1.5, True, False, None)",
  ],
  [{ list: [shared, shared] }, "[[1, 'two', b'three'], [1, 'two', b'three']]"],
  [{ dict: [["a\\b\nc", { tuple: [1, 2, 3, 4] }]] }, "{'a\\\\b\\nc': (1, 2, 3, 4)}"],
  [
    call(name("collections", "OrderedDict"), { list: [{ list: ["a", 1] }] }),
    "OrderedDict({'a': 1})",
  ],
  [
    {
      of: call(name("collections", "defaultdict"), name("builtins", "list")),
      set: [["a", 1], ["b", 2]],
    },
    "defaultdict(<class 'list'>, {'a': 1, 'b': 2})",
  ],
  [{ of: call(name("collections", "deque")), append: [1, 2] }, "deque([1, 2])"],
  [
    { of: { make: name("argparse", "Namespace") }, state: { dict: [["a", 1]] } },
    "Namespace(a=1)",
  ],
  [{ each: [shared, call(name("builtins", "len"), shared)] }, "3"],
];

Deno.test("CPython loads what the assembler of these tests writes, in every protocol", async (t) => {
  const python = await pythonWith("pickle");
  await t.step({
    name: "with and without a memo",
    ignore: python === undefined,
    async fn() {
      await using directory = await TempDir.make();
      const expected: string[] = [];
      for (const [term, shown] of TERMS) {
        for (const protocol of [0, 1, 2, 3, 4, 5]) {
          for (const memo of [true, false]) {
            const path = `${directory.path}/${String(expected.push(shown)).padStart(3, "0")}`;
            await Deno.writeFile(path, assemble(term, { protocol, memo }));
          }
        }
      }
      const { code, stdout, stderr } = await run(python ?? "", ["-c", LOAD, directory.path]);
      assert.equal(code, 0, stderr);
      assert.deepEqual(stdout.trim().split("\n"), expected);
    },
  });
});

const LOAD = `
import os, pickle, re, sys
for name in sorted(os.listdir(sys.argv[1])):
    with open(os.path.join(sys.argv[1], name), "rb") as file:
        print(re.sub(r"OrderedDict\\(\\[\\('a', 1\\)\\]\\)", "OrderedDict({'a': 1})", repr(pickle.load(file))))
`;
