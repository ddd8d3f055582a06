import * as assert from "node:assert/strict";
import { numpyScanner } from "../../../../../core/scanner/formats/numpy/scanner.ts";
import type { Check } from "../../../../../core/scanner/contract/scanner.ts";
import { type ByteSource, memorySource } from "../../../../../core/scanner/contract/source.ts";
import { seeded } from "../../mutation.ts";
import { RecordingContext } from "../../recording_context.ts";
import { counted, withZeros } from "../../sources.ts";
import { verdict } from "../../verdict.ts";

interface Scanned {
  readonly checks: readonly Check[];
  readonly facts: Record<string, unknown>;
  readonly members: readonly { name: string; bytes: Uint8Array }[];
}

function scan(source: ByteSource): Scanned {
  const context = new RecordingContext();
  const checks = [...numpyScanner.scan({ source, name: "a.npy", depth: 0 }, context)];
  return {
    checks,
    facts: context.facts,
    members: context.members.map(({ name, source }) => ({ name, bytes: source.read(0, 100) })),
  };
}

function worst(checks: readonly Check[]): string {
  const failed = checks.filter((check) => check.status === "failed");
  return failed.map((check) => `${check.severity} ${check.message}`).join("; ");
}

function file(header: string, data: number | Uint8Array = 0, version = 1): Uint8Array {
  const text = new TextEncoder().encode(`${header}\n`);
  const content = typeof data === "number" ? new Uint8Array(data) : data;
  const start = version === 1 ? 10 : 12;
  const bytes = new Uint8Array(start + text.length + content.length);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0]);
  const view = new DataView(bytes.buffer);
  if (version === 1) view.setUint16(8, text.length, true);
  else view.setUint32(8, text.length, true);
  bytes.set(text, start);
  bytes.set(content, start + text.length);
  return bytes;
}

function header(descr: string, shape: string): string {
  return `{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }   `;
}

/** What runs `os.getpid()` when it is unpickled. */
const PAYLOAD = new TextEncoder().encode("cos\ngetpid\n)R.");

Deno.test("C 16 A plain array of each version passes every check", async (t) => {
  for (const version of [1, 2, 3]) {
    await t.step(`version ${version}`, () => {
      const bytes = file(header("'<f4'", "(2, 3)"), 24, version);
      const { checks, facts, members } = scan(memorySource(bytes));
      assert.equal(worst(checks), "");
      assert.deepEqual(checks.map(({ name }) => name), [
        "NumPy Header",
        "NumPy Object Type",
        "NumPy Shape",
        "NumPy Data Size",
      ]);
      assert.deepEqual(members, []);
      assert.deepEqual(facts, {
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

Deno.test("Types and shapes of arrays have their sizes", async (t) => {
  const rows: [string, string, number][] = [
    ["'|b1'", "(3,)", 3],
    ["'?'", "(3,)", 3],
    ["'|i1'", "()", 1],
    ["'>u2'", "(2,)", 4],
    ["'<c16'", "(1,)", 16],
    ["'<f2'", "(0, 5)", 0],
    ["'<U10'", "(2,)", 80],
    ["'|S5'", "(2,)", 10],
    ["'|S0'", "(2,)", 0],
    ["'|V16'", "(2,)", 32],
    ["'<M8[ns]'", "(2,)", 16],
    ["'<m8[25us]'", "(2,)", 16],
    ["'float64'", "(2L, 3L)", 48],
    ["'f'", "[2]", 8],
    ["[('a', '<f4'), ('b', '<i8', (2,))]", "(2,)", 40],
    ["[(('title', 'Object'), '<f4')]", "(2,)", 8],
    ["[('Over', [('O', '<i2')])]", "(2,)", 4],
    ["('<f4', (2, 2))", "(1,)", 16],
    ['"<f8"', "(1,)", 8],
  ];
  for (const [descr, shape, size] of rows) {
    await t.step(`${descr} ${shape}`, () => {
      assert.equal(worst(scan(memorySource(file(header(descr, shape), size))).checks), "");
      const longer = scan(memorySource(file(header(descr, shape), size + 1)));
      assert.equal(verdict(longer.checks), "W");
      assert.equal(longer.members[0]?.name, "trailing data");
    });
  }
});

Deno.test("evasions 52, 53 The pickle of an array of objects is scanned", async (t) => {
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
      const { members, checks } = scan(memorySource(bytes));
      assert.deepEqual(members, [{ name: "objects.pkl", bytes: PAYLOAD }]);
      const found = checks.find(({ name }) => name === "NumPy Object Type");
      assert.equal(found?.status, "failed");
      assert.equal(found?.severity, "info");
      assert.equal(found?.position, bytes.length - PAYLOAD.length);
    });
  }
});

Deno.test("What follows the data is scanned", () => {
  const data = new Uint8Array(8 + PAYLOAD.length);
  data.set(PAYLOAD, 8);
  const { members, checks } = scan(memorySource(file(header("'<f4'", "(2,)"), data)));
  assert.deepEqual(members, [{ name: "trailing data", bytes: PAYLOAD }]);
  assert.equal(checks.find(({ severity }) => severity === "warning")?.ruleCode, "S908");
});

Deno.test("What is wrong with an array file has its verdict", async (t) => {
  const plain = header("'<f4'", "(2,)");
  const rows: [string, Uint8Array, string][] = [
    ["data that are too short", file(plain, 7), "W"],
    ["a shape that overflows", file(header("'<f4'", "(4294967296, 4294967296)"), 8), "C"],
    ["a shape of 2^63", file(header("'<f4'", "(9223372036854775808,)"), 8), "C"],
    ["a negative dimension", file(header("'<f4'", "(-1,)"), 8), "W"],
    ["a dimension that is text", file(header("'<f4'", "('2',)"), 8), "W"],
    ["65 dimensions", file(header("'<f4'", `(${"1,".repeat(65)})`), 4), "W"],
    ["a dimension of many digits", file(header("'<f4'", `(${"9".repeat(999)},)`), 8), "I"],
    [
      "an item size that is large",
      file(header("'|V9999999999'", "(9223372036854775807,)"), 8),
      "W",
    ],
    ["an unknown type", file(header("'<x9'", "(2,)"), 8), "I"],
    ["a type that is a number", file(header("4", "(2,)"), 8), "I"],
    ["a key twice", file(plain.replace("{", "{'descr': '|O',"), 8), "W"],
    ["a key of its own", file(plain.replace("{", "{'x': 1,"), 8), "W"],
    ["a key that is no text", file(plain.replace("{", "{1: 1,"), 8), "W"],
    ["an order that is no word", file(plain.replace("False", "0"), 8), "W"],
    ["no type", file("{'shape': (2,), 'fortran_order': True}", 8), "I"],
    ["a call", file(header("__import__('os').getpid()", "(2,)"), 8), "I"],
    ["an escape", file(header("'\\x7cO'", "(2,)"), 8), "I"],
    ["a sum", file(header("'<f'+'4'", "(2,)"), 8), "I"],
    ["a list for a header", file("[1]", 8), "I"],
    ["an empty header", file("", 8), "I"],
    ["more after the header", file(`${plain} + 1`, 8), "I"],
    ["missing commas", file("{'descr': '<f4' 'shape': (2,)}", 8), "I"],
    ["nested lists", file(header("[".repeat(10_000), "(2,)"), 0), "I"],
    ["a long header", file(plain + " ".repeat(20_000), 8), "W"],
    ["a header of 2 MiB", file(plain + " ".repeat(2 ** 21), 8, 2), "I"],
    ["a header beyond the file", file(plain, 8, 2).fill(255, 8, 12), "I"],
    ["a header 5 bytes longer than the file", file(plain).fill(plain.length + 6, 8, 9), "I"],
    ["version 9", file(plain, 8).fill(9, 6, 7), "I"],
    ["magic and no more", file(plain).subarray(0, 6), "I"],
    ["a cut header length", file(plain, 0, 2).subarray(0, 11), "I"],
    ["an empty file", new Uint8Array(), "I"],
    ["another content of this name", PAYLOAD, "W"],
    ["many fields", file(header(`[${"('a', 'b'),".repeat(5000)}]`, "(2,)"), 10_000, 2), "W"],
  ];
  for (const [title, bytes, expected] of rows) {
    await t.step(`${title}: ${expected}`, () => {
      const { checks } = scan(memorySource(bytes));
      assert.equal(verdict(checks), expected, worst(checks));
    });
  }
});

Deno.test("The content says that it is an array, whatever its name is", () => {
  const claims = (bytes: Uint8Array, name = "x.bin") =>
    numpyScanner.matches({ name, source: memorySource(bytes), depth: 0 });
  assert.equal(claims(file(header("'<f4'", "()"), 4)), true);
  assert.equal(claims(new Uint8Array(), "A.NPY"), true);
  assert.equal(claims(Uint8Array.of(0x93, 0x4e, 0x55)), false);
});

Deno.test("Of a file of 1 GB only the header is read", () => {
  const size = 2 ** 30;
  const head = file(header("'|u1'", `(${size},)`));
  const source = counted(withZeros(head, size));
  assert.equal(worst(scan(source).checks), "");
  assert.ok(source.bytesRead < 500, `${source.bytesRead} bytes were read`);
});

Deno.test("Thousands of mutations of an array file throw nothing", () => {
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
    const { checks } = scan(memorySource(bytes));
    assert.ok(checks.length > 0 && checks.length < 50);
    verdicts.add(verdict(checks));
  }
  assert.deepEqual([...verdicts].sort(), ["I", "OK", "W"]);
});
