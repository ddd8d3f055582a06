import * as assert from "node:assert/strict";
import { seeded } from "../../mutation.ts";
import { counted, withZeros } from "../../sources.ts";
import { verdict } from "../../verdict.ts";
import { describeFailures, type Scanned } from "../format_scan.ts";
import { file, header, scanFile } from "./npy_bytes.ts";

/** The members by name, with their first bytes. */
function contentsOf(members: Scanned["members"]): { name: string; bytes: Uint8Array }[] {
  return members.map(({ name, source }) => ({ name, bytes: source.read(0, 100) }));
}

/** A pickle that calls `os.getpid()`. */
const PAYLOAD = new TextEncoder().encode("cos\ngetpid\n)R.");

Deno.test("C 16 a benign array of each version passes every check", async (t) => {
  for (const version of [1, 2, 3]) {
    await t.step(`version ${version}`, () => {
      const bytes = file(header("'<f4'", "(2, 3)"), 24, version);
      const { checks, metadata, members } = scanFile(bytes);
      assert.equal(describeFailures(checks), "");
      assert.deepEqual(checks.map(({ name }) => name), [
        "NumPy Header",
        "NumPy Object Type",
        "NumPy Shape",
        "NumPy Data Size",
      ]);
      assert.deepEqual(members, []);
      assert.deepEqual(metadata, {
        format: "npy",
        version,
        dtype: "<f4",
        shape: "(2, 3)",
        ml_context: {
          frameworks: { numpy: { name: "numpy", confidence: 1, indicators: ["npy magic"] } },
          overall_confidence: 0.5,
          is_ml_content: true,
          precision_type: "<f4",
          parameter_count_estimate: 6,
        },
      });
    });
  }
});

Deno.test("evasions 52, 53 the pickle of an object array is scanned", async (t) => {
  const types = [
    "'|O'",
    "'O'",
    "'|O8'",
    "'<O'",
    "'object'",
    "'object_'",
    "'Object0'",
    "'f4,O'",
    "'(2,)O'",
    "[('a', '<f4'), ('b', '|O')]",
    "[('a', [('b', 'O')])]",
    "[('a', ('O', (2,)))]",
    "[('a', 'O', (2,))]",
    "('|O', (2,))",
    "[['a', 'O']]",
    "['aO']",
    "{'aO': 1}",
    "{'names': ['a'], 'formats': ['O']}",
  ];
  for (const descr of types) {
    await t.step(descr, () => {
      const bytes = file(header(descr, "(1,)"), PAYLOAD);
      const { members, checks } = scanFile(bytes);
      assert.deepEqual(contentsOf(members), [{ name: "objects.pkl", bytes: PAYLOAD }]);
      const found = checks.find(({ name }) => name === "NumPy Object Type");
      assert.equal(found?.status, "failed");
      assert.equal(found?.severity, "info");
      assert.equal(found?.position, bytes.length - PAYLOAD.length);
    });
  }
});

Deno.test("data after the array is scanned", () => {
  const data = new Uint8Array(8 + PAYLOAD.length);
  data.set(PAYLOAD, 8);
  const { members, checks } = scanFile(file(header("'<f4'", "(2,)"), data));
  assert.deepEqual(contentsOf(members), [{ name: "trailing data", bytes: PAYLOAD }]);
  assert.equal(checks.find(({ severity }) => severity === "warning")?.ruleCode, "S908");
});

Deno.test("a malformed or hostile array file gets its verdict", async (t) => {
  const plain = header("'<f4'", "(2,)");
  const rows: [string, Uint8Array, string][] = [
    ["too little data", file(plain, 7), "W"],
    ["a shape that overflows", file(header("'<f4'", "(4294967296, 4294967296)"), 8), "C"],
    ["a shape of 2^63", file(header("'<f4'", "(9223372036854775808,)"), 8), "C"],
    ["a negative dimension", file(header("'<f4'", "(-1,)"), 8), "W"],
    ["a string as a dimension", file(header("'<f4'", "('2',)"), 8), "W"],
    ["65 dimensions", file(header("'<f4'", `(${"1,".repeat(65)})`), 4), "W"],
    ["a dimension of many digits", file(header("'<f4'", `(${"9".repeat(999)},)`), 8), "I"],
    [
      "a large item size",
      file(header("'|V9999999999'", "(9223372036854775807,)"), 8),
      "W",
    ],
    ["an unknown type", file(header("'<x9'", "(2,)"), 8), "I"],
    ["a number as the type", file(header("4", "(2,)"), 8), "I"],
    ["a duplicate key", file(plain.replace("{", "{'descr': '|O',"), 8), "W"],
    ["an undefined key", file(plain.replace("{", "{'x': 1,"), 8), "W"],
    ["a key that is not a string", file(plain.replace("{", "{1: 1,"), 8), "W"],
    ["an order that is not a boolean", file(plain.replace("False", "0"), 8), "W"],
    ["no type", file("{'shape': (2,), 'fortran_order': True}", 8), "I"],
    ["a call", file(header("__import__('os').getpid()", "(2,)"), 8), "I"],
    ["an escape", file(header("'\\x7cO'", "(2,)"), 8), "I"],
    ["a concatenation", file(header("'<f'+'4'", "(2,)"), 8), "I"],
    ["a list as the header", file("[1]", 8), "I"],
    ["an empty header", file("", 8), "I"],
    ["an expression after the literal", file(`${plain} + 1`, 8), "I"],
    ["missing commas", file("{'descr': '<f4' 'shape': (2,)}", 8), "I"],
    ["nested lists", file(header("[".repeat(10_000), "(2,)"), 0), "I"],
    ["a long header", file(plain + " ".repeat(20_000), 8), "W"],
    ["a header of 2 MiB", file(plain + " ".repeat(2 ** 21), 8, 2), "I"],
    ["a header beyond the file", file(plain, 8, 2).fill(255, 8, 12), "I"],
    ["a header 5 bytes longer than the file", file(plain).fill(plain.length + 6, 8, 9), "I"],
    ["version 9", file(plain, 8).fill(9, 6, 7), "I"],
    ["only the magic", file(plain).subarray(0, 6), "I"],
    ["a truncated header length", file(plain, 0, 2).subarray(0, 11), "I"],
    ["an empty file", new Uint8Array(), "I"],
    ["a pickle named .npy", PAYLOAD, "W"],
    ["many fields", file(header(`[${"('a', 'b'),".repeat(5000)}]`, "(2,)"), 10_000, 2), "W"],
  ];
  for (const [title, bytes, expected] of rows) {
    await t.step(`${title}: ${expected}`, () => {
      const { checks } = scanFile(bytes);
      assert.equal(verdict(checks), expected, describeFailures(checks));
    });
  }
});

Deno.test("reads only the header of a 1 GiB file", () => {
  const size = 2 ** 30;
  const head = file(header("'|u1'", `(${size},)`));
  const source = counted(withZeros(head, size));
  assert.equal(describeFailures(scanFile(source).checks), "");
  assert.ok(source.bytesRead < 500, `${source.bytesRead} bytes read`);
});

Deno.test("thousands of mutations of an array file throw nothing", () => {
  const good = file(header("[('a', '<f4'), ('b', '<i8', (2,))]", "(2, 3)"), 120);
  const random = seeded(5);
  const verdicts = new Set<string>();
  for (let round = 0; round < 5000; round++) {
    const bytes = good.slice(0, random(5) === 0 ? random(good.length) : good.length);
    for (let change = 1 + random(3); change > 0; change--) {
      const letters = "'(),[]{}0123456789O:<>|\\-";
      const value = random(2) === 0 ? letters.charCodeAt(random(letters.length)) : random(256);
      bytes[random(bytes.length)] = value;
    }
    const { checks } = scanFile(bytes);
    assert.ok(checks.length > 0 && checks.length < 50);
    verdicts.add(verdict(checks));
  }
  assert.deepEqual([...verdicts].sort(), ["I", "OK", "W"]);
});
