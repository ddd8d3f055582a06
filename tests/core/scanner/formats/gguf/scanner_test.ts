import * as assert from "node:assert/strict";
import { ggufScanner } from "../../../../../core/scanner/formats/gguf/scanner.ts";
import type { Check } from "../../../../../core/scanner/contract/scanner.ts";
import { type ByteSource, memorySource } from "../../../../../core/scanner/contract/source.ts";
import { seeded } from "../../mutation.ts";
import { RecordingContext } from "../../recording_context.ts";
import { counted, withZeros } from "../../sources.ts";
import { verdict } from "../../verdict.ts";

interface Scanned {
  readonly checks: readonly Check[];
  readonly facts: Record<string, unknown>;
  readonly tensors: readonly string[];
  readonly members: readonly { name: string; size: number }[];
}

function scan(source: ByteSource): Scanned {
  const context = new RecordingContext();
  const checks = [...ggufScanner.scan({ source, name: "model.gguf", depth: 0 }, context)];
  return {
    checks,
    facts: context.facts,
    tensors: context.assets.flatMap(({ tensors }) => tensors ?? []),
    members: context.members.map(({ name, source }) => ({ name, size: source.size })),
  };
}

function worst(checks: readonly Check[]): string {
  const failed = checks.filter((check) => check.status === "failed");
  return failed.map((check) => `${check.severity} ${check.message}`).join("; ");
}

/** A way to write numbers, in the byte order and the width of counts of a version. */
interface Form {
  readonly version: number;
  readonly little: boolean;
}

const V3: Form = { version: 3, little: true };

function num(size: 1 | 2 | 4 | 8, value: number | bigint, { little }: Form = V3): Uint8Array {
  const view = new DataView(new ArrayBuffer(size));
  if (size === 8) view.setBigUint64(0, BigInt(value), little);
  else if (size === 4) view.setUint32(0, Number(value), little);
  else if (size === 2) view.setUint16(0, Number(value), little);
  else view.setUint8(0, Number(value));
  return new Uint8Array(view.buffer);
}

function count(value: number | bigint, form: Form = V3): Uint8Array {
  return num(form.version === 1 ? 4 : 8, value, form);
}

function bytesOf(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const encoded = parts.map((part) =>
    typeof part === "string" ? new TextEncoder().encode(part) : part
  );
  const joined = new Uint8Array(encoded.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of encoded) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function text(value: string, form: Form = V3): Uint8Array {
  return bytesOf(count(new TextEncoder().encode(value).length, form), value);
}

function entry(key: string, type: number, value: Uint8Array, form: Form = V3): Uint8Array {
  return bytesOf(text(key, form), num(4, type, form), value);
}

function textEntry(key: string, value: string, form: Form = V3): Uint8Array {
  return entry(key, 8, text(value, form), form);
}

function tensor(
  name: string,
  dimensions: readonly (number | bigint)[],
  type: number,
  offset: number | bigint,
  form: Form = V3,
): Uint8Array {
  return bytesOf(
    text(name, form),
    num(4, dimensions.length, form),
    ...dimensions.map((dimension) => count(dimension, form)),
    num(4, type, form),
    num(8, offset, form),
  );
}

interface Parts {
  readonly entries?: readonly Uint8Array[];
  readonly tensors?: readonly Uint8Array[];
  readonly data?: number;
  readonly alignment?: number;
  readonly form?: Form;
}

function file({ entries = [], tensors = [], data = 0, alignment = 32, form = V3 }: Parts) {
  const head = bytesOf(
    "GGUF",
    num(4, form.version, form),
    count(tensors.length, form),
    count(entries.length, form),
    ...entries,
    ...tensors,
  );
  const padding = (alignment - head.length % alignment) % alignment;
  return bytesOf(head, new Uint8Array(padding + data));
}

function nested(depth: number): Uint8Array {
  return bytesOf(
    ...Array.from({ length: depth }, () => bytesOf(num(4, 9), num(8, 1))),
    num(4, 0),
    num(8, 0),
  );
}

const FORMS: readonly Form[] = [
  { version: 1, little: true },
  { version: 2, little: true },
  V3,
  { version: 3, little: false },
];

Deno.test("C 16 A plain GGUF file of any version passes every check", async (t) => {
  for (const form of FORMS) {
    await t.step(`version ${form.version}, ${form.little ? "little" : "big"}-endian`, () => {
      const numbers = [[0, 1], [1, 1], [2, 2], [3, 2], [4, 4], [5, 4], [6, 4], [7, 1], [10, 8], [
        11,
        8,
      ], [12, 8]] as const;
      const bytes = file({
        form,
        entries: [
          textEntry("general.architecture", "llama", form),
          entry("llama.block_count", 4, num(4, 2, form), form),
          textEntry("tokenizer.chat_template", "{{ bos_token }}{{ x['role'] }}", form),
          ...numbers.map(([type, size]) => entry(`n.${type}`, type, num(size, 1, form), form)),
          entry(
            "tokenizer.ggml.tokens",
            9,
            bytesOf(num(4, 8, form), count(2, form), text("<script", form), text("eval(", form)),
            form,
          ),
          textEntry("tokenizer.huggingface.json", "<script> eval(x)", form),
          entry(
            "tokenizer.ggml.scores",
            9,
            bytesOf(num(4, 6, form), count(2, form), new Uint8Array(8)),
            form,
          ),
          entry(
            "a.nested",
            9,
            bytesOf(
              num(4, 9, form),
              count(1, form),
              num(4, 0, form),
              count(3, form),
              new Uint8Array(3),
            ),
            form,
          ),
        ],
        tensors: [
          tensor("a", [256, 2], 12, 0, form),
          tensor("b", [3], 0, 288, form),
          tensor("empty", [0], 0, 320, form),
        ],
        data: 320,
      });
      const { checks, facts, tensors, members } = scan(memorySource(bytes));
      assert.equal(worst(checks), "");
      assert.equal(new Set(checks.map(({ name }) => name)).size, checks.length);
      assert.ok(checks.length >= 9);
      assert.deepEqual(tensors, ["a", "b", "empty"]);
      assert.deepEqual(members, []);
      assert.equal(facts["version"], form.version);
      assert.equal(facts["n_tensors"], 3);
      assert.equal(facts["n_kv"], 18);
      assert.equal(facts["is_model"], true);
      assert.deepEqual(facts["ml_context"], {
        frameworks: { ggml: { name: "ggml", confidence: 1, indicators: ["GGUF magic"] } },
        overall_confidence: 1,
        is_ml_content: true,
        model_type: "llama",
        layer_count_estimate: 2,
        parameter_count_estimate: 515,
        precision_type: "Q4_K",
      });
      const told = JSON.stringify(facts["metadata"]);
      assert.match(told, /"general.architecture":"llama"/);
      assert.match(told, /"n.10":1,"n.11":1/);
      assert.match(told, /"tokenizer.ggml.tokens":"2 × string"/);
    });
  }
});

Deno.test("A vocabulary without tensors, and alignments of its own, are fine", () => {
  assert.equal(worst(scan(memorySource(file({}))).checks), "");
  for (const alignment of [1, 8, 64, 4096]) {
    const bytes = file({
      entries: [entry("general.alignment", 4, num(4, alignment))],
      tensors: [tensor("a", [4], 0, 0), tensor("b", [4], 0, Math.max(16, alignment))],
      data: Math.max(16, alignment) + 16,
      alignment,
    });
    assert.equal(worst(scan(memorySource(bytes)).checks), "");
  }
});

Deno.test("What is wrong with a GGUF file has its verdict", async (t) => {
  const one = tensor("a", [8], 0, 0);
  const ssti = "{{ ''.__class__.__mro__[1].__subclasses__() }}";
  const list = (value: string) => bytesOf(num(4, 8), num(8, 1), text(value));
  const rows: [string, Uint8Array, string][] = [
    [
      "evasion 56: a hostile template",
      file({ entries: [textEntry("tokenizer.chat_template", ssti)] }),
      "C",
    ],
    [
      "evasion 56: under another name",
      file({ entries: [textEntry("tokenizer.chat_template.tool_use", ssti)] }),
      "C",
    ],
    [
      "evasion 56: under a key of no template",
      file({ entries: [textEntry("general.note", "{{ x|attr('__class__') }}")] }),
      "C",
    ],
    [
      "evasion 56: in a list",
      file({ entries: [entry("tokenizer.chat_template", 9, list(ssti))] }),
      "C",
    ],
    [
      "evasion 56: escaped",
      file({
        entries: [
          textEntry("tokenizer.chat_template", "{{ x|attr('\\x5f\\x5fclass\\x5f\\x5f') }}"),
        ],
      }),
      "C",
    ],
    [
      "evasion 56: the second of one name",
      file({
        entries: [
          textEntry("tokenizer.chat_template", "{{ x }}"),
          textEntry("tokenizer.chat_template", ssti),
        ],
      }),
      "C",
    ],
    [
      "evasion 56: then truncated",
      bytesOf(
        "GGUF",
        num(4, 3),
        num(8, 0),
        num(8, 2),
        textEntry("tokenizer.chat_template", ssti),
        new Uint8Array(9),
      ),
      "C",
    ],
    [
      "evasion 57: an array of 2^63 numbers",
      file({ entries: [entry("a", 9, bytesOf(num(4, 12), num(8, 2n ** 63n)))] }),
      "I",
    ],
    [
      "evasion 57: an array of 2^64-1 texts",
      file({ entries: [entry("a", 9, bytesOf(num(4, 8), num(8, 2n ** 64n - 1n)))] }),
      "I",
    ],
    [
      "evasion 57: an array of 5 million texts",
      file({
        entries: [entry("a", 9, bytesOf(num(4, 8), num(8, 5_000_000), new Uint8Array(40_000_000)))],
      }),
      "I",
    ],
    [
      "evasion 57: 10 000 arrays in each other",
      file({ entries: [entry("a", 9, nested(10_000))] }),
      "I",
    ],
    [
      "evasion 57: an alignment of 0",
      file({ entries: [entry("general.alignment", 4, num(4, 0))], tensors: [one], data: 32 }),
      "I",
    ],
    ["an alignment of 24", file({ entries: [entry("general.alignment", 4, num(4, 24))] }), "I"],
    ["an alignment that is text", file({ entries: [textEntry("general.alignment", "32")] }), "I"],
    ["a text of 2^63 bytes", file({ entries: [entry("a", 8, num(8, 2n ** 63n))] }), "I"],
    [
      "a key of 2^64-1 bytes",
      bytesOf("GGUF", num(4, 3), num(8, 0), num(8, 1), num(8, 2n ** 64n - 1n), new Uint8Array(9)),
      "I",
    ],
    ["a key of 70 000 bytes", file({ entries: [textEntry("k".repeat(70_000), "")] }), "I"],
    [
      "2^60 entries",
      bytesOf("GGUF", num(4, 3), num(8, 0), num(8, 2n ** 60n), new Uint8Array(99)),
      "I",
    ],
    [
      "30 000 entries",
      file({ entries: Array.from({ length: 30_000 }, (_, i) => entry(`${i}`, 0, num(1, 0))) }),
      "I",
    ],
    [
      "2^60 tensors",
      bytesOf("GGUF", num(4, 3), num(8, 2n ** 60n), num(8, 0), new Uint8Array(99)),
      "I",
    ],
    ["a value of type 13", file({ entries: [entry("a", 13, num(8, 0))] }), "I"],
    ["version 4", file({ form: { version: 4, little: true } }), "I"],
    ["version 0", file({ form: { version: 0, little: true } }), "I"],
    ["magic and no more", bytesOf("GGUF"), "I"],
    ["an empty file", new Uint8Array(), "I"],
    ["another content of this name", bytesOf("\x80\x04K\x01."), "W"],
    ["a key that is a path", file({ entries: [textEntry("../a", "")] }), "W"],
    ["a key that occurs twice", file({ entries: [textEntry("a", ""), textEntry("a", "")] }), "W"],
    [
      "a key of Object twice",
      file({ entries: [textEntry("__proto__", "1"), textEntry("__proto__", "2")] }),
      "W",
    ],
    [
      "code in the metadata",
      file({ entries: [textEntry("general.name", "__import__('os')")] }),
      "C",
    ],
    ["evasion 54: data after the last tensor", file({ tensors: [one], data: 64 }), "W"],
    ["data of no tensor", file({ data: 8 }), "W"],
    ["tensors that overlap", file({ tensors: [one, tensor("b", [8], 0, 0)], data: 32 }), "W"],
    ["a hole", file({ tensors: [one, tensor("b", [8], 0, 64)], data: 96 }), "W"],
    ["an offset of no alignment", file({ tensors: [one, tensor("b", [8], 0, 40)], data: 72 }), "W"],
    ["two tensors of one name", file({ tensors: [one, tensor("a", [8], 0, 32)], data: 64 }), "W"],
    [
      "a tensor name that is a path",
      file({ tensors: [tensor("../../a", [8], 0, 0)], data: 32 }),
      "W",
    ],
    ["a tensor beyond the file", file({ tensors: [one], data: 31 }), "C"],
    [
      "an offset of all ones",
      file({ tensors: [tensor("a", [8], 0, 2n ** 64n - 32n)], data: 32 }),
      "C",
    ],
    [
      "a shape that overflows",
      file({ tensors: [tensor("a", [2n ** 32n, 2n ** 32n], 0, 0)], data: 32 }),
      "C",
    ],
    [
      "a shape that overflows to 0",
      file({ tensors: [tensor("a", [2n ** 63n, 2], 0, 0)], data: 32 }),
      "C",
    ],
    [
      "9 dimensions",
      file({ tensors: [tensor("a", [8, 1, 1, 1, 1, 1, 1, 1, 1], 0, 0)], data: 32 }),
      "W",
    ],
    [
      "4 billion dimensions",
      bytesOf(
        "GGUF",
        num(4, 3),
        num(8, 1),
        num(8, 0),
        text("a"),
        num(4, 2 ** 32 - 1),
        new Uint8Array(99),
      ),
      "C",
    ],
    ["an unknown tensor type", file({ tensors: [tensor("a", [8], 99, 0)], data: 32 }), "I"],
    ["a row of no whole blocks", file({ tensors: [tensor("a", [33], 2, 0)], data: 32 }), "W"],
    ["GGML without its tensors read", bytesOf("lmgg", num(4, 128_256), new Uint8Array(40)), "I"],
    ["GGJT of version 3", bytesOf("tjgg", num(4, 3), new Uint8Array(40)), "I"],
    ["GGJT of version 99999", bytesOf("tjgg", num(4, 99_999), new Uint8Array(40)), "W"],
    ["GGLA cut short", bytesOf("GGLA", num(4, 1)), "I"],
  ];
  for (const [title, bytes, expected] of rows) {
    await t.step(`${title}: ${expected}`, () => {
      const { checks } = scan(memorySource(bytes));
      assert.equal(verdict(checks), expected, worst(checks));
    });
  }
});

Deno.test("Why a file is not read on is told, and whether a bound of ours is the reason", async (t) => {
  const texts = (count: number | bigint, size: number) =>
    entry("a", 9, bytesOf(num(4, 8), num(8, count), new Uint8Array(size)));
  const dimensions = bytesOf("GGUF", num(4, 3), num(8, 1), num(8, 0), text("a"), num(4, 5000));
  const rows: [string, Uint8Array, string, boolean][] = [
    ["too few bytes", file({ entries: [texts(2n ** 64n - 1n, 0)] }), "truncated", false],
    [
      "numbers",
      file({ entries: [entry("a", 9, bytesOf(num(4, 12), num(8, 9)))] }),
      "truncated",
      false,
    ],
    ["elements", file({ entries: [texts(5_000_000, 40_000_000)] }), "arrays_too_long", true],
    ["depth", file({ entries: [entry("a", 9, nested(9))] }), "arrays_too_deep", true],
    ["dimensions", bytesOf(dimensions, new Uint8Array(99)), "too_many_dimensions", false],
  ];
  for (const [title, bytes, reason, operational] of rows) {
    await t.step(title, () => {
      const failed = scan(memorySource(bytes)).checks.filter((check) => check.incomplete);
      assert.deepEqual(failed.map((check) => [check.incomplete, check.operational ?? false]), [
        [reason, operational],
      ]);
    });
  }
});

Deno.test("What is wrong with a tensor is told by the check of it", async (t) => {
  const rows: [string, Uint8Array, string][] = [
    ["alignment", file({ tensors: [tensor("a", [8], 0, 8)], data: 40 }), "GGUF Alignment"],
    [
      "overflow",
      file({ tensors: [tensor("a", [2n ** 32n, 2n ** 32n], 0, 0)] }),
      "GGUF Tensor Shapes",
    ],
  ];
  for (const [title, bytes, name] of rows) {
    await t.step(title, () => {
      const failed = scan(memorySource(bytes)).checks.filter(({ status }) => status === "failed");
      assert.ok(failed.some((check) => check.name === name), worst(failed));
    });
  }
});

Deno.test("Every ggml type has its block size", async (t) => {
  const types: [number, number, number][] = [
    [0, 1, 4],
    [1, 1, 2],
    [2, 32, 18],
    [3, 32, 20],
    [6, 32, 22],
    [7, 32, 24],
    [8, 32, 34],
    [9, 32, 36],
    [10, 256, 84],
    [11, 256, 110],
    [12, 256, 144],
    [13, 256, 176],
    [14, 256, 210],
    [15, 256, 292],
    [16, 256, 66],
    [17, 256, 74],
    [18, 256, 98],
    [19, 256, 50],
    [20, 32, 18],
    [21, 256, 110],
    [22, 256, 82],
    [23, 256, 136],
    [24, 1, 1],
    [25, 1, 2],
    [26, 1, 4],
    [27, 1, 8],
    [28, 1, 8],
    [29, 256, 56],
    [30, 1, 2],
    [34, 256, 54],
    [35, 256, 66],
    [39, 32, 17],
    [40, 64, 36],
    [41, 128, 18],
  ];
  for (const [type, block, size] of types) {
    await t.step(`type ${type}`, () => {
      const whole = file({ tensors: [tensor("a", [block, 32], type, 0)], data: size * 32 });
      assert.equal(worst(scan(memorySource(whole)).checks), "");
      const short = whole.subarray(0, whole.length - 1);
      assert.equal(verdict(scan(memorySource(short)).checks), "C");
    });
  }
});

Deno.test("evasion 54 What follows the last tensor is scanned", () => {
  const bytes = file({ tensors: [tensor("a", [8], 0, 0)], data: 45 });
  const { members, checks } = scan(memorySource(bytes));
  assert.deepEqual(members, [{ name: "trailing data", size: 13 }]);
  assert.equal(checks.find(({ ruleCode }) => ruleCode === "S908")?.position, bytes.length - 13);
});

Deno.test("The content says that it is GGUF or GGML, whatever its name is", () => {
  const claims = (bytes: Uint8Array, name = "x.bin") =>
    ggufScanner.matches({ name, source: memorySource(bytes), depth: 0 });
  assert.equal(claims(file({})), true);
  assert.equal(claims(file({ form: { version: 3, little: false } })), true);
  assert.equal(claims(bytesOf("lmgg", num(4, 32_000))), true);
  assert.equal(claims(bytesOf("GGJT", num(4, 3))), true);
  assert.equal(claims(new Uint8Array(), "A.GGUF"), true);
  assert.equal(claims(bytesOf("GGUF is a format")), false);
  assert.equal(claims(new Uint8Array(3)), false);
});

Deno.test("Of a file of 1 GB only what is before the tensors is read", () => {
  const size = 2 ** 30;
  const head = file({
    entries: [
      textEntry("general.architecture", "llama"),
      entry("scores", 9, bytesOf(num(4, 6), num(8, 250_000), new Uint8Array(1_000_000))),
    ],
    tensors: [tensor("a", [size / 4], 0, 0)],
  });
  const source = counted(withZeros(head, size));
  assert.equal(worst(scan(source).checks), "");
  assert.ok(source.bytesRead < 200_000, `${source.bytesRead} bytes were read`);
});

Deno.test("Thousands of mutations of a GGUF file throw nothing", () => {
  const good = file({
    entries: [
      textEntry("general.architecture", "llama"),
      textEntry("tokenizer.chat_template", "{{ x.a }}"),
      entry("general.alignment", 4, num(4, 32)),
      entry("a", 9, bytesOf(num(4, 8), num(8, 2), text("x"), text("y"))),
    ],
    tensors: [tensor("a", [256, 2], 12, 0), tensor("b", [3], 0, 288)],
    data: 300,
  });
  const random = seeded(3);
  const verdicts = new Set<string>();
  for (let round = 0; round < 5000; round++) {
    const bytes = good.slice(0, random(5) === 0 ? random(good.length) : good.length);
    for (let change = 1 + random(4); change > 0; change--) {
      const value = random(3) === 0 ? 255 : random(256);
      bytes[4 + random(bytes.length - 4)] = value;
    }
    const source = counted(memorySource(bytes));
    const { checks } = scan(source);
    const { bytesRead } = source;
    assert.ok(bytesRead <= 3 * bytes.length + 100, `${bytesRead} of ${bytes.length} were read`);
    assert.ok(checks.length > 0 && checks.length < 300);
    verdicts.add(verdict(checks));
  }
  assert.deepEqual([...verdicts].sort(), ["C", "I", "OK", "W"]);
});
