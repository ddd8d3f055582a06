import * as assert from "node:assert/strict";
import { readYaml } from "../../../../../core/scanner/readers/yaml/read_yaml.ts";
import { seeded } from "../../mutation.ts";
import { asLatin1, incompleteWords, valuesOf } from "../document_events.ts";

const read = (text: string) => readYaml(asLatin1(text));

const PYTHON = "tag:yaml.org,2002:python";

const TAGS: readonly (readonly [title: string, text: string, tag: string])[] = [
  ...["\r", "\u0085", "\u2028", "\u2029"].map((mark) =>
    [
      `after a comment that ends at ${mark.codePointAt(0)}`,
      `a: # b${mark} !!python/object/apply:os.system [id]`,
      `${PYTHON}/object/apply:os.system`,
    ] as const
  ),
  [
    "after a block that ends at a line separator",
    "a: |\n  x\u2028b: !!python/object/apply:os.system [id]",
    `${PYTHON}/object/apply:os.system`,
  ],
  [
    "on the value of a key that is a block",
    "? |\n  x\n: !!python/object/apply:os.system [id]",
    `${PYTHON}/object/apply:os.system`,
  ],
  [
    "verbatim",
    "a: !<tag:yaml.org,2002:python/object/apply:os.system> [id]",
    `${PYTHON}/object/apply:os.system`,
  ],
  [
    "with a handle of a directive",
    "%TAG !p! tag:yaml.org,2002:python/\n---\na: !p!object/apply:os.system [id]",
    `${PYTHON}/object/apply:os.system`,
  ],
  [
    "with the primary handle",
    "%TAG ! tag:yaml.org,2002:\n---\n!python/module:os x",
    `${PYTHON}/module:os`,
  ],
  ["with percent signs", "a: !!%70ython/object:x.Y {}", `${PYTHON}/object:x.Y`],
  [
    "after an anchor in a flow collection",
    "[1, &a !!python/object/apply:os.system [id]]",
    `${PYTHON}/object/apply:os.system`,
  ],
  [
    "after a quoted scalar that spans lines",
    'a: "x\n  # no comment"\nb: !!python/name:os.system',
    `${PYTHON}/name:os.system`,
  ],
  ["on a key", "!!python/name:os.system : 1", `${PYTHON}/name:os.system`],
];

Deno.test("scanning 2.11, 3: readYaml() resolves tags wherever parsers see them", async (t) => {
  for (const [title, text, tag] of TAGS) {
    await t.step(title, () => {
      const tags = new Set(Array.from(read(text)).flatMap((it) => it.kind === "tag" ? it.tag : []));
      assert.deepEqual([...tags], [tag]);
    });
  }
});

Deno.test("readYaml() yields values with their paths", () => {
  const text = `a:
  b: [1, {c: yes}]
  d: 'it''s'
e: >-
  one
  two
f: &x null
g: *x
`;
  assert.deepEqual(valuesOf(read(text)), [
    ["a.b", 1],
    ["a.b.c", true],
    ["a.d", "it's"],
    ["e", "one two"],
    ["f", null],
    ["g", null],
  ]);
});

Deno.test("readYaml() counts the scalars that aliases expand to", () => {
  const aliases = (text: string) =>
    Array.from(read(text)).flatMap((it) => it.kind === "aliases" ? it.expandedScalars : []);
  assert.deepEqual(aliases("a: b"), []);
  assert.deepEqual(aliases("a: &a [x, y]\nb: *a\nc: *a\n"), [4]);
  assert.deepEqual(aliases("a: &a [x, y]\nb: &b [*a, *a]\nc: *b\n"), [8]);
  assert.deepEqual(aliases("a: &a [*a]\n"), [1e12]);
});

Deno.test("C 16 YAML that is not read to its end is inconclusive", async (t) => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["an unclosed string", 'a: "b', "malformed_yaml"],
    ["deep nesting", "[".repeat(100_000), "nesting_too_deep"],
  ];
  for (const [title, text, word] of rows) {
    await t.step(title, () => {
      const words = incompleteWords(read(text));
      assert.ok(words.includes(word), String(words));
    });
  }
});

Deno.test("readYaml() ends without an exception on mutated text", () => {
  const next = seeded(20261122);
  for (let round = 0; round < 3000; round++) {
    let text = asLatin1(TAGS[next(TAGS.length)]?.[1] ?? "");
    for (let change = 0; change < 1 + next(6); change++) {
      const at = next(text.length + 1);
      const piece = next(3) === 0 ? text.slice(0, at) : String.fromCharCode(next(256));
      text = text.slice(0, at) + piece + text.slice(at + next(2));
    }
    for (const event of readYaml(text)) assert.ok(event.position <= text.length, text);
  }
});
