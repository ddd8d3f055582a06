import * as assert from "node:assert/strict";
import { rDataScanner } from "../../../../../core/scanner/formats/rdata/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { verdict } from "../../verdict.ts";
import { assertNeverThrows, failures, scan } from "../format_scan.ts";

type Part = number | string | readonly Part[];

/** Bytes of numbers and of texts, each text after the flags of a string of characters and its length. */
function bytesOf(part: Part, littleEndian: boolean): number[] {
  if (typeof part === "number") {
    const view = new DataView(new ArrayBuffer(4));
    view.setInt32(0, part, littleEndian);
    return [...new Uint8Array(view.buffer)];
  }
  if (typeof part !== "string") return part.flatMap((each) => bytesOf(each, littleEndian));
  const text = [...part].map((letter) => letter.charCodeAt(0));
  return [...bytesOf([9, text.length], littleEndian), ...text];
}

/** The same as text: a word a line, and texts with spaces and other letters escaped. */
function textOf(part: Part): string {
  if (typeof part === "number") return `${part}\n`;
  if (typeof part !== "string") return part.map(textOf).join("");
  return `9\n${part.length}\n${part.replaceAll(" ", "\\040").replaceAll("\n", "\\n")}\n`;
}

function object(
  item: Part,
  { letter = "X", version = 2, workspace = "" } = {},
): Uint8Array<ArrayBuffer> {
  if (letter === "A") {
    const encoding = version === 3 ? "5\nUTF-8\n" : "";
    const header = `${workspace}A\n${textOf([version, 0x040202, 0x020300])}${encoding}`;
    return new TextEncoder().encode(header + textOf(item));
  }
  const littleEndian = letter === "B";
  const start = [...`${workspace}${letter}\n`].map((each) => each.charCodeAt(0));
  const header = bytesOf([version, 0x040202, 0x020300], littleEndian);
  const encoding = version === 3
    ? [...bytesOf(5, littleEndian), ...new TextEncoder().encode("UTF-8")]
    : [];
  return Uint8Array.from([...start, ...header, ...encoding, ...bytesOf(item, littleEndian)]);
}

const NULL = 254;
const GLOBAL = 253;
const SYMBOL = [1, "x"];
/** A promise of a variable, in the global environment, without a value so far. */
const PROMISE = [5 + 1024, GLOBAL, 252, SYMBOL];
const list = (...items: readonly Part[]) => [19, items.length, ...items];
const binding = (value: Part) => [2 + 1024, SYMBOL, value, NULL];
const environment = (frame: Part, table: Part = NULL) => [4, 0, GLOBAL, frame, table, NULL];
const LONG = Array.from({ length: 50_000 }, () => [2, 254]).flat();

const OBJECTS: readonly (readonly [string, Part, "C" | "I" | "OK"])[] = [
  ["a number", [13, 1, 7], "OK"],
  ["texts, one of them missing", [16, 3, "a", [9, -1], "b"], "OK"],
  ["a promise after texts with white space", list([16, 2, "a 1 b", "\n\n7"], PROMISE), "C"],
  ["a vector with attributes", [13 + 512, 1, 7, binding(NULL)], "OK"],
  ["an environment", environment(binding([13, 1, 7])), "OK"],
  ["an argument of a function", environment(binding(PROMISE)), "OK"],
  ["an argument in a table", environment(NULL, list(binding(PROMISE), NULL)), "OK"],
  ["further arguments", environment(binding([17, PROMISE, NULL])), "OK"],
  ["a long list of pairs", [...LONG, NULL], "OK"],
  ["a namespace and references", list([249, 0, 2, "stats", "4.2"], 255 + 256, [255, 1]), "OK"],
  ["a promise", PROMISE, "C"],
  ["a promise in a list", list(PROMISE), "C"],
  ["a promise that is a variable of a workspace", binding(PROMISE), "C"],
  ["a promise in an attribute", [13 + 512, 1, 7, binding(PROMISE)], "C"],
  ["a promise in a list of an environment's attribute", list(environment(NULL), PROMISE), "C"],
  ["a promise before an unknown type", list(PROMISE, 99), "C"],
  ["an unknown type", list(99, PROMISE), "I"],
  ["the end within a vector", [13, 2, 7], "I"],
  ["a negative length", [13, -5], "I"],
];

Deno.test("evasion 79: a promise among the values of an R object is critical", async (t) => {
  for (const [title, item, expected] of OBJECTS) {
    for (const letter of ["A", "B", "X"]) {
      for (const version of [2, 3]) {
        await t.step(`${title}, ${letter} ${version}`, () => {
          const { checks } = scan(rDataScanner, object(item, { letter, version }));
          assert.equal(verdict(checks), expected, JSON.stringify(failures(checks)));
        });
      }
    }
  }
});

Deno.test("C 16 nested R objects are read up to a limit", () => {
  const deep = Array.from({ length: 150_000 }, () => [19, 2]).flat();
  const { checks } = scan(rDataScanner, object(deep));
  assert.equal(verdict(checks), "I");
});

Deno.test("evasion 79: R objects as text are read as R reads them", async (t) => {
  const cases: readonly (readonly [string, string, "C" | "I" | "OK"])[] = [
    ["words between other white space", "19 1\t\r\n1029 253\v252\f1 9 1 x", "C"],
    ["missing numbers", "13 2 NA 1\n", "OK"],
    ["a text with octal letters of several lengths", "16 1 9 4 \\0071\\18x\n", "OK"],
    ["a text of letters that need no escape", "19 2 16 1 9 3 a\nb 1029 253 252 1 9 1 x", "C"],
    ["fractions and complex numbers", "19 3 14 2 1.5 -Inf 15 1 1 NaN 24 2 ff 00", "OK"],
    ["a word of two numbers", "13 1x 1", "I"],
    ["a long word", `14 1 ${"1".repeat(200)}`, "I"],
    ["the end after a backslash", "16 1 9 3 a\\", "I"],
    ["many words", `19 2 14 100000 ${"0.5 ".repeat(100_000)} 1029 253 252 1 9 1 x`, "C"],
  ];
  for (const [title, item, expected] of cases) {
    await t.step(title, () => {
      const { checks } = scan(
        rDataScanner,
        new TextEncoder().encode(`A\n2\n262658\n131840\n${item}`),
      );
      assert.equal(verdict(checks), expected, JSON.stringify(failures(checks)));
    });
  }
});

Deno.test("files of R are recognized by their first bytes", () => {
  const matches = (content: Uint8Array) =>
    rDataScanner.matches({ name: "x", depth: 0, source: memorySource(content) });
  assert.ok(matches(object(NULL)));
  assert.ok(matches(object(NULL, { letter: "B", version: 3 })));
  assert.ok(matches(object(NULL, { workspace: "RDX2\n" })));
  assert.ok(matches(new TextEncoder().encode("A\n3\n262658\n197888\n")));
  assert.ok(!matches(new TextEncoder().encode("X\nis a text of several lines")));
  assert.ok(!matches(new Uint8Array()));
});

Deno.test("C 16 no mutation of an R object makes the scanner throw", () => {
  const item = list(PROMISE, environment(binding(PROMISE)), "text");
  const contents = [object(item), object(item, { letter: "A" })];
  assertNeverThrows(rDataScanner, contents, { mutations: 3000 });
});
