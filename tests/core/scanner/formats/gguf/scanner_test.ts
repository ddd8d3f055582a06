import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { seeded } from "../../mutation.ts";
import { counted, withZeros } from "../../sources.ts";
import { verdict } from "../../verdict.ts";
import { describeFailures } from "../format_scan.ts";
import {
  bytesOf,
  count,
  entry,
  file,
  type Form,
  nested,
  num,
  scanFile,
  tensor,
  text,
  V3,
} from "./gguf_bytes.ts";

function textEntry(key: string, value: string, form: Form = V3): Uint8Array {
  return entry(key, 8, text(value, form), form);
}

const FORMS: readonly Form[] = [
  { version: 1, little: true },
  { version: 2, little: true },
  V3,
  { version: 3, little: false },
];

Deno.test("C 16 a benign GGUF file of each version passes every check", async (t) => {
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
      const { checks, metadata, tensors, members } = scanFile(bytes);
      assert.equal(describeFailures(checks), "");
      assert.equal(new Set(checks.map(({ name }) => name)).size, checks.length);
      assert.ok(checks.length >= 9);
      assert.deepEqual(tensors, ["a", "b", "empty"]);
      assert.deepEqual(members, []);
      assert.equal(metadata["version"], form.version);
      assert.equal(metadata["n_tensors"], 3);
      assert.equal(metadata["n_kv"], 18);
      assert.equal(metadata["is_model"], true);
      assert.deepEqual(metadata["ml_context"], {
        frameworks: { ggml: { name: "ggml", confidence: 1, indicators: ["GGUF magic"] } },
        overall_confidence: 1,
        is_ml_content: true,
        optimization_hints: ["quantization"],
        model_type: "llama",
        layer_count_estimate: 2,
        parameter_count_estimate: 515,
        precision_type: "Q4_K",
      });
      const reported = JSON.stringify(metadata["metadata"]);
      assert.match(reported, /"general.architecture":"llama"/);
      assert.match(reported, /"n.10":1,"n.11":1/);
      assert.match(reported, /"tokenizer.ggml.tokens":"2 × string"/);
    });
  }
});

Deno.test("files without tensors and files with custom alignments pass", () => {
  assert.equal(describeFailures(scanFile(file({})).checks), "");
  for (const alignment of [1, 8, 64, 4096]) {
    const bytes = file({
      entries: [entry("general.alignment", 4, num(4, alignment))],
      tensors: [tensor("a", [4], 0, 0), tensor("b", [4], 0, Math.max(16, alignment))],
      data: Math.max(16, alignment) + 16,
      alignment,
    });
    assert.equal(describeFailures(scanFile(bytes).checks), "");
  }
});

Deno.test("a malformed or hostile GGUF file gets its verdict", async (t) => {
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
      "evasion 56: a hostile template under another name",
      file({ entries: [textEntry("tokenizer.chat_template.tool_use", ssti)] }),
      "C",
    ],
    [
      "evasion 56: a hostile template under an unrelated key",
      file({ entries: [textEntry("general.note", "{{ x|attr('__class__') }}")] }),
      "C",
    ],
    [
      "evasion 56: a hostile template in a list",
      file({ entries: [entry("tokenizer.chat_template", 9, list(ssti))] }),
      "C",
    ],
    [
      "evasion 56: an escaped template",
      file({
        entries: [
          textEntry("tokenizer.chat_template", "{{ x|attr('\\x5f\\x5fclass\\x5f\\x5f') }}"),
        ],
      }),
      "C",
    ],
    [
      "evasion 56: the second template of one name",
      file({
        entries: [
          textEntry("tokenizer.chat_template", "{{ x }}"),
          textEntry("tokenizer.chat_template", ssti),
        ],
      }),
      "C",
    ],
    [
      "evasion 56: a hostile template before truncation",
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
      "evasion 57: an array of 2^64-1 strings",
      file({ entries: [entry("a", 9, bytesOf(num(4, 8), num(8, 2n ** 64n - 1n)))] }),
      "I",
    ],
    [
      "evasion 57: an array of 5 million strings",
      file({
        entries: [entry("a", 9, bytesOf(num(4, 8), num(8, 5_000_000), new Uint8Array(40_000_000)))],
      }),
      "I",
    ],
    [
      "evasion 57: 10 000 nested arrays",
      file({ entries: [entry("a", 9, nested(10_000))] }),
      "I",
    ],
    [
      "evasion 57: an alignment of 0",
      file({ entries: [entry("general.alignment", 4, num(4, 0))], tensors: [one], data: 32 }),
      "I",
    ],
    ["an alignment of 24", file({ entries: [entry("general.alignment", 4, num(4, 24))] }), "I"],
    ["a string as the alignment", file({ entries: [textEntry("general.alignment", "32")] }), "I"],
    ["a string of 2^63 bytes", file({ entries: [entry("a", 8, num(8, 2n ** 63n))] }), "I"],
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
    ["only the magic", bytesOf("GGUF"), "I"],
    ["an empty file", new Uint8Array(), "I"],
    ["a pickle named .gguf", bytesOf("\x80\x04K\x01."), "W"],
    ["a path as a key", file({ entries: [textEntry("../a", "")] }), "W"],
    ["a duplicate key", file({ entries: [textEntry("a", ""), textEntry("a", "")] }), "W"],
    [
      "a duplicate key that Object.prototype has",
      file({ entries: [textEntry("__proto__", "1"), textEntry("__proto__", "2")] }),
      "W",
    ],
    [
      "code in the metadata",
      file({ entries: [textEntry("general.name", "__import__('os')")] }),
      "C",
    ],
    ["evasion 54: data after the last tensor", file({ tensors: [one], data: 64 }), "W"],
    ["data without a tensor", file({ data: 8 }), "W"],
    ["overlapping tensors", file({ tensors: [one, tensor("b", [8], 0, 0)], data: 32 }), "W"],
    ["a hole between tensors", file({ tensors: [one, tensor("b", [8], 0, 64)], data: 96 }), "W"],
    ["an unaligned offset", file({ tensors: [one, tensor("b", [8], 0, 40)], data: 72 }), "W"],
    ["a duplicate tensor name", file({ tensors: [one, tensor("a", [8], 0, 32)], data: 64 }), "W"],
    [
      "a path as a tensor name",
      file({ tensors: [tensor("../../a", [8], 0, 0)], data: 32 }),
      "W",
    ],
    ["a tensor beyond the file", file({ tensors: [one], data: 31 }), "C"],
    [
      "an offset near 2^64",
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
    ["a row of partial blocks", file({ tensors: [tensor("a", [33], 2, 0)], data: 32 }), "W"],
    ["GGML, whose tensors are not read", bytesOf("lmgg", num(4, 128_256), new Uint8Array(40)), "I"],
    ["GGJT of version 3", bytesOf("tjgg", num(4, 3), new Uint8Array(40)), "I"],
    ["GGJT of version 99999", bytesOf("tjgg", num(4, 99_999), new Uint8Array(40)), "W"],
    ["truncated GGLA", bytesOf("GGLA", num(4, 1)), "I"],
  ];
  for (const [title, bytes, expected] of rows) {
    await t.step(`${title}: ${expected}`, () => {
      const { checks } = scanFile(bytes);
      assert.equal(verdict(checks), expected, describeFailures(checks));
    });
  }
});

Deno.test("evasion 54 data after the last tensor is scanned", () => {
  const bytes = file({ tensors: [tensor("a", [8], 0, 0)], data: 45 });
  const { members, checks } = scanFile(bytes);
  assert.deepEqual(members.map(({ name, source }) => [name, source.size]), [["trailing data", 13]]);
  assert.equal(checks.find(({ ruleCode }) => ruleCode === "S908")?.position, bytes.length - 13);
});

Deno.test("reads only the part before the tensors of a 1 GiB file", () => {
  const size = 2 ** 30;
  const head = file({
    entries: [
      textEntry("general.architecture", "llama"),
      entry("scores", 9, bytesOf(num(4, 6), num(8, 250_000), new Uint8Array(1_000_000))),
    ],
    tensors: [tensor("a", [size / 4], 0, 0)],
  });
  const source = counted(withZeros(head, size));
  assert.equal(describeFailures(scanFile(source).checks), "");
  assert.ok(source.bytesRead < 200_000, `${source.bytesRead} bytes were read`);
});

Deno.test("thousands of mutations of a GGUF file throw nothing", () => {
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
    const { checks } = scanFile(source);
    const { bytesRead } = source;
    assert.ok(bytesRead <= 3 * bytes.length + 100, `${bytesRead} of ${bytes.length} bytes read`);
    assert.ok(checks.length > 0 && checks.length < 300);
    verdicts.add(verdict(checks));
  }
  assert.deepEqual([...verdicts].sort(), ["C", "I", "OK", "W"]);
});
