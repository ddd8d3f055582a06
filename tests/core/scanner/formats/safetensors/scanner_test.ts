import * as assert from "node:assert/strict";
import { seeded } from "../../mutation.ts";
import { counted, withZeros } from "../../sources.ts";
import { verdict } from "../../verdict.ts";
import { describeFailures } from "../format_scan.ts";
import { AWS_KEY, file, scanFile, tensor } from "./safetensors_bytes.ts";

Deno.test("C 16 a benign safetensors file passes every check and reports its tensors", () => {
  const header = `{"__metadata__":{"format":"pt"},"a":${tensor("BF16", [2, 3], 0, 12)},` +
    `"empty":${tensor("F32", [0, 4], 12, 12)},"b":${tensor("F32", [1], 12, 16)}}  `;
  const { checks, metadata, tensors, members } = scanFile(file(header, 16));
  assert.deepEqual(checks.filter((check) => check.status !== "passed"), []);
  assert.equal(new Set(checks.map((check) => check.name)).size, checks.length);
  assert.ok(checks.length >= 8);
  assert.equal(metadata["tensor_count"], 3);
  assert.equal(metadata["is_model"], true);
  assert.deepEqual(metadata["ml_context"], {
    frameworks: {
      safetensors: { name: "safetensors", confidence: 1, indicators: ["safetensors header"] },
    },
    overall_confidence: 1,
    is_ml_content: true,
    parameter_count_estimate: 7,
    precision_type: "BF16",
    optimization_hints: ["half precision"],
  });
  assert.deepEqual(tensors, ["a", "empty", "b"]);
  assert.deepEqual(members, []);
});

Deno.test("a malformed or hostile safetensors file gets its verdict", async (t) => {
  const one = tensor("U8", [4], 0, 4);
  const rows: [string, Uint8Array, string][] = [
    ["evasion 54: data after the last tensor", file(`{"a":${one}}`, 9), "W"],
    [
      "evasion 55: overlapping tensors",
      file(`{"a":${one},"b":${tensor("U8", [4], 2, 6)}}`, 6),
      "W",
    ],
    [
      "evasion 55: a hole between tensors",
      file(`{"a":${one},"b":${tensor("U8", [4], 6, 10)}}`, 10),
      "W",
    ],
    [
      "evasion 55: a hole before the first tensor",
      file(`{"a":${tensor("U8", [4], 2, 6)}}`, 6),
      "W",
    ],
    ["evasion 55: a duplicate tensor", file(`{"a":${one},"a":${one}}`, 4), "W"],
    [
      "evasion 55: a duplicate key in an entry",
      file(`{"a":${one.replace("{", '{"dtype":"F64",')}}`, 4),
      "W",
    ],
    ["evasion 55: a header length of 2^63", file(`{"a":${one}}`, 4, 2n ** 63n), "I"],
    ["a header longer than the file", file(`{"a":${one}}`, 4, 1000n), "I"],
    ["an empty header", file("", 4), "W"],
    ["an empty file", new Uint8Array(), "I"],
    ["a file of 7 bytes", new Uint8Array(7), "I"],
    ["a header that is not JSON", file(`{"a":${one},}`, 4), "I"],
    ["a header that is not an object", file("[]      ", 4), "W"],
    ["a header of deep arrays", file(`{"a":${"[".repeat(5000)}`, 4), "I"],
    [
      "evasion 37: a pickle named .safetensors",
      Uint8Array.of(0x80, 4, 0x4b, 1, 0x2e, 0, 0, 0, 0, 0),
      "W",
    ],
    ["an entry that is not an object", file('{"a":[]}'), "W"],
    ["an entry without a shape", file('{"a":{"dtype":"U8","data_offsets":[0,0]}}'), "W"],
    ["three offsets", file(`{"a":${one.replace("0,4", "0,4,4")}}`, 4), "W"],
    ["a negative dimension", file(`{"a":${tensor("U8", [-4], 0, 4)}}`, 4), "W"],
    ["a fractional dimension", file(`{"a":${tensor("U8", [4.5], 0, 4)}}`, 4), "W"],
    [
      "a shape that overflows",
      file(`{"a":${tensor("U8", ["4294967296", "4294967296"], 0, 0)}}`),
      "C",
    ],
    [
      "a shape that would overflow if it were rounded",
      file(`{"a":${tensor("U8", ["18446744073709551617"], 0, 1)}}`, 1),
      "W",
    ],
    ["offsets beyond the file", file(`{"a":${tensor("U8", [9], 0, 9)}}`, 4), "C"],
    ["offsets in reverse order", file(`{"a":${tensor("U8", [0], 4, 0)}}`, 4), "C"],
    [
      "offsets near 2^64",
      file(`{"a":${tensor("U8", [1], "18446744073709551614", "18446744073709551615")}}`, 4),
      "C",
    ],
    ["an unknown type", file(`{"a":${tensor("Q3", [4], 0, 4)}}`, 4), "I"],
    ["sub-byte elements that fill no whole byte", file(`{"a":${tensor("F4", [3], 0, 1)}}`, 1), "C"],
    ["an unexpected key", file(`{"a":${one.replace("{", '{"x":1,')}}`, 4), "OK"],
    ["a path as a tensor name", file(`{"../../x":${one}}`, 4), "W"],
    ["metadata that is not an object", file(`{"__metadata__":[],"a":${one}}`, 4), "W"],
    ["a metadata value that is not a string", file(`{"__metadata__":{"n":1},"a":${one}}`, 4), "W"],
    ["code in the metadata", file(`{"__metadata__":{"x":"os.system('id')"},"a":${one}}`, 4), "C"],
    [
      "markup in the metadata",
      file(`{"__metadata__":{"x":"<script>a</script>"},"a":${one}}`, 4),
      "C",
    ],
    [
      "a path in the metadata",
      file(`{"__metadata__":{"x":"../../../etc/passwd"},"a":${one}}`, 4),
      "W",
    ],
    [
      "an AWS key in the metadata",
      file(`{"__metadata__":{"x":"${AWS_KEY}"},"a":${one}}`, 4),
      "C",
    ],
  ];
  for (const [title, bytes, expected] of rows) {
    await t.step(`${title}: ${expected}`, () => {
      const { checks } = scanFile(bytes);
      assert.equal(verdict(checks), expected, describeFailures(checks));
      const failed = new Set(
        checks.filter(({ status }) => status === "failed").map(({ name }) => name),
      );
      assert.ok(checks.every(({ status, name }) => status === "failed" || !failed.has(name)));
    });
  }
});

Deno.test("evasion 54 data after the last tensor is scanned", () => {
  const bytes = file(`{"a":${tensor("U8", [4], 0, 4)}}`, 10);
  bytes.set([0x80, 4, 0x4b, 1, 0x2e, 9], bytes.length - 6);
  const { members, checks } = scanFile(bytes);
  assert.deepEqual(members.map(({ name, source }) => ({ name, bytes: source.read(0, 100) })), [
    { name: "trailing data", bytes: Uint8Array.of(0x80, 4, 0x4b, 1, 0x2e, 9) },
  ]);
  const trailing = checks.find((check) => check.ruleCode === "S908");
  assert.equal(trailing?.position, bytes.length - 6);
});

Deno.test("reads only the header of a 1 GiB file", () => {
  const size = 2 ** 30;
  const header = file(`{"a":${tensor("U8", [size], 0, size)}}`);
  const source = counted(withZeros(header, size));
  assert.equal(verdict(scanFile(source).checks), "OK");
  assert.ok(source.bytesRead < 1000, `${source.bytesRead} bytes read`);
});

Deno.test("thousands of mutations of a safetensors file throw nothing", () => {
  const good = file(
    `{"__metadata__":{"format":"pt"},"a":${tensor("BF16", [2, 3], 0, 12)},"b":${
      tensor("F32", [1], 12, 16)
    }}`,
    16,
  );
  const random = seeded(7);
  const verdicts = new Set<string>();
  for (let round = 0; round < 5000; round++) {
    const bytes = good.slice(0, random(5) === 0 ? random(good.length) : good.length);
    const changes = 1 + random(4);
    for (let i = 0; i < changes; i++) {
      bytes[random(bytes.length)] = random(256);
    }
    const { checks } = scanFile(bytes);
    assert.ok(checks.length > 0 && checks.length < 200);
    verdicts.add(verdict(checks));
  }
  assert.deepEqual([...verdicts].sort(), ["C", "I", "OK", "W"]);
});
