import * as assert from "node:assert/strict";
import { scan } from "../../../../../core/scanner/scan.ts";
import { type ByteSource, memorySource } from "../../../../../core/scanner/contract/source.ts";
import { encodingOf } from "../../../../../core/scanner/formats/weights/encodings.ts";
import { ROOT } from "../../../../support/child_server.ts";
import { isObject } from "../../../../../schemas/json.ts";
import { file, tensor } from "../safetensors/safetensors_bytes.ts";
import { counted } from "../../sources.ts";

const fixture = (path: string) =>
  memorySource(Deno.readFileSync(`${ROOT}tests/fixtures/models/${path}`));

/** `weight_analysis` of content, if it is asked for. */
function analysisOf(source: ByteSource, name: string, weights = true) {
  const result = scan(source, { name, ...weights && { skip: [] } });
  const { ml_context: context } = result.metadata;
  const analysis = isObject(context) ? context.weight_analysis : undefined;
  return { analysis: isObject(analysis) ? analysis : undefined, result };
}

/** A safetensors file with one tensor. */
function oneTensor(dtype: string, bytes: Uint8Array, elements: number): ByteSource {
  const content = file(`{"w":${tensor(dtype, [elements], 0, bytes.length)}}`, bytes.length);
  content.set(bytes, content.length - bytes.length);
  return memorySource(content);
}

/** Numbers of a bell curve, always the same ones. */
function bellCurve(count: number, scale: number): Float32Array {
  let state = 7;
  const random = () => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  return Float32Array.from(
    { length: count },
    () => scale * Math.sqrt(-2 * Math.log(random() + 1e-9)) * Math.cos(2 * Math.PI * random()),
  );
}

const bytesOf = (array: Float32Array) => new Uint8Array(array.buffer);

Deno.test("SR 2.10 weights are analyzed on request alone", () => {
  const source = fixture("safetensors/perceptron.safetensors");
  assert.equal(analysisOf(source, "m.safetensors", false).analysis, undefined);
  const { scanners, checks } = analysisOf(source, "m.safetensors", false).result;
  assert.deepEqual([
    scanners.includes("weights"),
    checks.some((it) => it.scanner === "file" && it.status === "skipped"),
  ], [false, false]);
  const { analysis, result } = analysisOf(source, "m.safetensors");
  assert.equal(analysis?.appears_to_be_weights, true);
  assert.ok(result.scanners.includes("weights"));
});

Deno.test("SR 2.10 weights of each format are analyzed", async (t) => {
  const files = [
    "safetensors/perceptron.safetensors",
    "torch/state_dict.pt",
    "numpy/stored.npz",
    "numpy/compressed.npz",
    "numpy/float16.npy",
    "gguf/chat.gguf",
  ];
  for (const path of files) {
    await t.step(`SR 2.10 ${path}`, () => {
      const { analysis } = analysisOf(fixture(path), path.slice(path.indexOf("/") + 1));
      assert.ok(analysis !== undefined);
      assert.ok(Number(analysis.float_ratio) > 0, JSON.stringify(analysis));
      assert.ok(Number(analysis.pattern_density) > 0.9, JSON.stringify(analysis));
      assert.ok(Number(analysis.file_size_factor) > 0, JSON.stringify(analysis));
    });
  }
});

Deno.test("SR 2.10 values that vary around zero are weights, and other data is not", () => {
  const confidence = (bytes: Uint8Array, dtype = "F32", size = 4) => {
    const { analysis } = analysisOf(oneTensor(dtype, bytes, bytes.length / size), "m.safetensors");
    return [analysis?.appears_to_be_weights, analysis?.weight_confidence] as const;
  };
  const [isWeights, high] = confidence(bytesOf(bellCurve(100_000, 0.02)));
  assert.equal(isWeights, true);
  assert.ok(Number(high) > 0.95, String(high));
  // Encrypted or compressed data, as if it were numbers.
  const noise = new Uint8Array(400_000);
  for (let at = 0; at < noise.length; at += 65_536) {
    crypto.getRandomValues(noise.subarray(at, Math.min(noise.length, at + 65_536)));
  }
  assert.equal(confidence(noise)[0], false);
  // Text, as if it were numbers.
  assert.equal(confidence(new TextEncoder().encode("import os\n".repeat(40_000)))[0], false);
  assert.equal(confidence(new Uint8Array(400_000).fill(7), "U8", 1)[0], false);
  assert.equal(Number(confidence(new Uint8Array(400_000))[1]) < Number(high), true);
});

Deno.test("SR 2.10 values that are no numbers are reported", () => {
  const values = bellCurve(1000, 1);
  values[5] = NaN;
  values[6] = -Infinity;
  const { result } = analysisOf(oneTensor("F32", bytesOf(values), 1000), "m.safetensors");
  const [check] = result.checks.filter(({ scanner }) => scanner === "weights");
  assert.deepEqual([check?.status, check?.severity], ["failed", "info"]);
  assert.match(check?.message ?? "", /^2 of 1000 values/);
});

Deno.test("SR 2.10 the encodings of numbers are read as their formats define them", () => {
  const decode = (type: string, bytes: number[]) => {
    const encoding = encodingOf(type);
    assert.ok(encoding !== undefined, type);
    const count = bytes.length / encoding.stride;
    const into = new Float32Array(count);
    // An offset that typed arrays cannot start at.
    const shifted = Uint8Array.of(0, ...bytes).subarray(1);
    encoding.decode(shifted, count, into);
    return [...into];
  };
  assert.deepEqual(decode("F32", [0, 0, 0x80, 0x3f, 0, 0, 0x40, 0xc0]), [1, -3]);
  assert.deepEqual(decode("f8", [0, 0, 0, 0, 0, 0, 0xf8, 0x3f]), [1.5]);
  assert.deepEqual(decode("BF16", [0x80, 0x3f, 0x40, 0xc0]), [1, -3]);
  const halves = [0, 0x3c, 0, 0xc2, 1, 0, 0, 0x7c, 0, 0x80];
  assert.deepEqual(decode("Half", halves), [1, -3, 2 ** -24, Infinity, -0]);
  assert.deepEqual(decode("Q4_0", [0, 0x3c, ...Array<number>(16).fill(9)]), [1]);
  assert.deepEqual(decode("Q6_K", [...Array<number>(208).fill(9), 0, 0xbc]), [-1]);
});

Deno.test("SR 2.10 tensors are read once and in blocks", () => {
  const values = bellCurve(2_000_000, 1);
  const source = counted(oneTensor("F32", bytesOf(values), values.length));
  const { result } = analysisOf(source, "m.safetensors");
  assert.equal(result.operationalError, undefined);
  // Once for the hashes, once for the values, and a little to recognize the format.
  assert.ok(source.bytesRead < 2.5 * source.size, `${source.bytesRead} of ${source.size}`);
});
