import * as assert from "node:assert/strict";
import { readToml } from "../../../../../core/scanner/readers/toml/read_toml.ts";
import { asLatin1, incompleteWords, valuesOf } from "../document_events.ts";

const read = (text: string) => readToml(asLatin1(text));

Deno.test("readToml() ends the keys of a table with the table", () => {
  const inner = 'a = {b = [{c = 1}], _target_ = "os.system"}\n_target_ = 2\n';
  assert.deepEqual(valuesOf(read(`auto_map = {x = {}, y = []}\nz = "a.B"\n${inner}`)), [
    ["z", "a.B"],
    ["a.b.c", 1],
    ["a._target_", "os.system"],
    ["_target_", 2],
  ]);
  assert.deepEqual(valuesOf(read('a = {auto_map = {b = 1}, c = "d"}\n')), [
    ["a.auto_map.b", 1],
    ["a.c", "d"],
  ]);
});

Deno.test("readToml() reads tables, dotted keys and all kinds of strings", () => {
  const text = `[x."y z"]
a.b = true
c = 'C:\\n'
d = "\\u00e9\\t"
e = """
one \\
  two"""
f = 1_000
`;
  assert.deepEqual(valuesOf(read(text)), [
    ["x.y z.a.b", true],
    ["x.y z.c", "C:\\n"],
    ["x.y z.d", "é\t"],
    ["x.y z.e", "\none two"],
    ["x.y z.f", 1000],
  ]);
});

Deno.test("readToml() reads keys with any number of blanks after them", () => {
  const blanks = " ".repeat(1000);
  assert.deepEqual(valuesOf(read(`a${blanks}.${blanks}"b"${blanks}= 1\nc = {d${blanks}= 2}\n`)), [
    ["a.b", 1],
    ["c.d", 2],
  ]);
});

Deno.test("readToml() decodes the names of tables", () => {
  const rows: readonly (readonly [string, string])[] = [
    ['["auto\\u005fmap"]', "auto_map.a"],
    ["[ x . \"y.z\" . '\\n' ] # [b]", "x.y.z.\\n.a"],
    ["[[x.y]]", "x.y.a"],
    ['["]"."#"]', "].#.a"],
    ["[é]", "é.a"],
  ];
  for (const [header, path] of rows) {
    assert.deepEqual(valuesOf(read(`${header}\na = 1\n`)), [[path, 1]], header);
  }
});

Deno.test("C 16 TOML that is not read to its end is inconclusive", async (t) => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["an unclosed string", 'a = "b', "malformed_toml"],
    ["deep nesting", `a = ${"[".repeat(100_000)}`, "nesting_too_deep"],
  ];
  for (const [title, text, word] of rows) {
    await t.step(title, () => {
      const words = incompleteWords(read(text));
      assert.ok(words.includes(word), String(words));
    });
  }
});
