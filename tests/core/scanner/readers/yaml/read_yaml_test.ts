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
  [
    "in a list after an explicit key",
    "? a\n: - !!python/object/apply:os.getpid []",
    `${PYTHON}/object/apply:os.getpid`,
  ],
  [
    "with a default handle that another document declares",
    "%TAG !! tag:example.org,2026:\n---\na: 1\n---\n!!python/object/apply:os.getpid []",
    `${PYTHON}/object/apply:os.getpid`,
  ],
  [
    "with a handle of a directive after a block scalar",
    "|\n x\n%TAG !t! tag:yaml.org,2002:python/\n---\n!t!object/apply:os.getpid []",
    `${PYTHON}/object/apply:os.getpid`,
  ],
  [
    "after 200 handles",
    Array.from({ length: 200 }, (_, n) => `%TAG !h${n}! tag:yaml.org,2002:python/\n`).join("") +
    "---\n!h199!name:os.system",
    `${PYTHON}/name:os.system`,
  ],
  ["with percent signs for a character", "!<a%C3%A9> x", "aé"],
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

const BLOCKS: readonly (readonly [text: string, value: string])[] = [
  ["a: |\n  x\n   y\n\n", "x\n y\n"],
  ["a: |-\n  x\n\n", "x"],
  ["a: |+\n  x\n\n", "x\n\n"],
  ["a: |1\n   x\n y\n", "  x\ny\n"],
  ["a: |2-\n    x\n  y", "  x\ny"],
  ["a: >+1 # c\n x\n y\n\n  z\n", "x y\n\n z\n"],
  ["- - |1\n    x\n   y\n", " x\ny\n"],
  ["a: |\n\n\n x\n", "\n\nx\n"],
  ["|\n x\n---\n", "x\n"],
  ["a: >\n x\r\n y\r\n", "x y\n"],
];

Deno.test("readYaml() reads block scalars as their headers say", () => {
  for (const [text, value] of BLOCKS) {
    assert.deepEqual(valuesOf(read(text)).map(([, it]) => it), [value], JSON.stringify(text));
  }
});

Deno.test("readYaml() takes the columns of indicators for those of collections", () => {
  const rows: readonly (readonly [text: string, values: readonly [string, unknown][]])[] = [
    ["b:\n? d\n: e\n", [["d", "e"]]],
    ["b:\n  ? d\n  : e\nf: g\n", [["b.d", "e"], ["f", "g"]]],
    ["? a\n: - b: c\n    d: e\n  - f\ng: h\n", [
      ["a.b", "c"],
      ["a.d", "e"],
      ["a", "f"],
      ["g", "h"],
    ]],
    ["a:\n- b: c\n- d\ne: f\n", [["a.b", "c"], ["a", "d"], ["e", "f"]]],
    ["? a: b\n: c\nd: e\n", [["a", "b"], ["", "c"], ["d", "e"]]],
    ["? [a]\n: b\n[c]: d\n", [["", "a"], ["", "b"], ["", "c"], ["", "d"]]],
    ["{a: {b: c}, ? d : e, [f: g, h]: i}", [
      ["a.b", "c"],
      ["d", "e"],
      ["f", "g"],
      ["", "h"],
      ["", "i"],
    ]],
    ["a: &x\n  b: c\nd: *x\ne: {<<: *x, f: g}\n", [
      ["a.b", "c"],
      ["d.b", "c"],
      ["e.b", "c"],
      ["e.f", "g"],
    ]],
    ["a: b\n c\n\n d\ne: 'f\n  g'\n", [["a", "b c\nd"], ["e", "f g"]]],
    ["a: b\n--- c\n...\n---\nd: e\n", [["a", "b"], ["", "c"], ["d", "e"]]],
  ];
  for (const [text, values] of rows) assert.deepEqual(valuesOf(read(text)), values, text);
});

Deno.test("readYaml() yields what PyYAML, libyaml and YAML 1.2 read where they disagree", () => {
  const tags = (text: string) =>
    Array.from(read(text)).flatMap((event) => event.kind === "tag" ? event.tag : []);
  assert.deepEqual(tags("[!!python/name:os.system, a]"), [
    `${PYTHON}/name:os.system,`,
    `${PYTHON}/name:os.system`,
  ]);
  assert.deepEqual(valuesOf(read("{a: !x,_target_: os.system}")), [
    ["a", "os.system"],
    ["_target_", "os.system"],
  ]);
  assert.deepEqual(valuesOf(read("a: 'b\u0085 c'\n")), [["a", "b c"], ["a", "b\u0085 c"]]);
});

Deno.test("readYaml() counts the scalars that aliases expand to", () => {
  const aliases = (text: string) =>
    Array.from(read(text)).flatMap((it) => it.kind === "aliases" ? it.expandedScalars : []);
  assert.deepEqual(aliases("a: b"), []);
  assert.deepEqual(aliases("a: &a [x, y]\nb: *a\nc: *a\n"), [4]);
  assert.deepEqual(aliases("a: &a [x, y]\nb: &b [*a, *a]\nc: *b\n"), [8]);
  assert.deepEqual(aliases("a: &a [*a]\n"), [1e12]);
});

Deno.test("C 15 nested aliases of a short text are repeated only some times its length", () => {
  const list = (item: string) => `[${Array(9).fill(item).join(",")}]`;
  const lines = Array.from({ length: 7 }, (_, level) => {
    const item = level === 0 ? "x" : `*a${level - 1}`;
    return `a${level}: &a${level} ${list(item)}\n`;
  });
  const events = Array.from(read(lines.join("")));
  assert.ok(events.length < 2000, `${events.length} events`);
  const reasons = events.flatMap((it) => it.kind === "defect" ? it.incomplete : []);
  assert.deepEqual(reasons, ["too_many_aliases"]);
});

Deno.test("C 16 aliases that are not followed are inconclusive", async (t) => {
  const anchors = Array.from({ length: 10_001 }, (_, n) => `- &a${n} x${n}\n`).join("");
  const long = "x".repeat(2 ** 20);
  const rows: readonly (readonly [string, string, string[]])[] = [
    ["of the last of too many anchors", `${anchors}- *a10000\n`, ["too_many_aliases"]],
    ["of an anchor among few", `${anchors.slice(0, 90_000)}- *a0\n`, []],
    ["that repeat too much", `- &a ${long}\n${"- *a\n".repeat(20)}`, ["too_many_aliases"]],
    ["of a collection that is too large", `- &a [${`${long},`.repeat(5)}]\n- *a\n`, [
      "too_many_aliases",
    ]],
    ["of a scalar in a large collection", `&a\n- &b c\n${`- ${long}\n`.repeat(5)}- *b\n`, []],
    ["that have no anchor", "- *a\n", ["malformed_yaml"]],
  ];
  for (const [title, text, words] of rows) {
    await t.step(title, () => assert.deepEqual(incompleteWords(read(text)), words));
  }
});

Deno.test("C 16 YAML that is not read to its end is inconclusive", async (t) => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["an unclosed string", 'a: "b', "malformed_yaml"],
    ["an unclosed list", "a: [b", "malformed_yaml"],
    ["a document separator in a string", 'a: "b\n---\n"', "malformed_yaml"],
    ["a key in a value", "a: b: c", "malformed_yaml"],
    ["a value without a key", "a: b\nc\n", "malformed_yaml"],
    ["two values", "a: 'b' 'c'", "malformed_yaml"],
    ["a list in a mapping", "a: b\n- c\n", "malformed_yaml"],
    ["a mapping in a list", "- a\nb: c\n", "malformed_yaml"],
    ["a wrong indentation", "a:\n  b: c\n d: e\n", "malformed_yaml"],
    ["an undeclared handle", "a: !b!c d\n", "malformed_yaml"],
    ["a directive without a document", "%TAG ! tag:x\n", "malformed_yaml"],
    ["an unknown escape", 'a: "\\q"', "malformed_yaml"],
    ["a control character", "a: b\x01", "malformed_yaml"],
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
