import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { parseTensorLine } from "../../../core/scanner/contract/tensor_list.ts";
import { memorySource } from "../../../core/scanner/scan.ts";
import { listTensors } from "../../../core/scanner/tensors.ts";
import { zipBytes, zipOf } from "./formats/zip/zip_builder.ts";

function listed(name: string, bytes: Uint8Array<ArrayBuffer>) {
  const { lines, ...list } = listTensors(memorySource(bytes), { name, checkpoint() {} });
  return { ...list, tensors: lines === "" ? [] : lines.split("\n").map(parseTensorLine) };
}

/** A file of NumPy with this shape, and no data. */
function arrayOf(shape: string): Uint8Array<ArrayBuffer> {
  const header = `{'descr': '|u1', 'fortran_order': False, 'shape': ${shape}, }\n`;
  const length = header.length;
  return new Uint8Array([
    ...[0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, length & 255, length >> 8],
    ...new TextEncoder().encode(header),
  ]);
}

Deno.test("C 29 a shape that is too large is left out of the list, and said", () => {
  for (const size of [`${2 ** 53}`, "10000000000000000000"]) {
    const list = listed("a.npy", arrayOf(`(${size},)`));
    assert.deepEqual(list.tensors, []);
    assert.equal(list.problem, "A tensor has a shape that is too large to compare");
  }
  assert.deepEqual(listed("a.npy", arrayOf(`(${2 ** 53 - 1},)`)).tensors.length, 1);
});

/** A field of a message of ONNX with bytes. */
function field(number: number, ...bytes: readonly number[]): number[] {
  return [number << 3 | 2, bytes.length, ...bytes];
}

Deno.test("C 29 elements of ONNX that are in several pieces have no digest", () => {
  const raw = field(9, 1, 2, 3, 4);
  const single = [4 << 3 | 5, 0, 0, 128, 63];
  const modelOf = (...data: readonly number[]) =>
    new Uint8Array(
      field(7, ...field(5, 1 << 3, 1, 2 << 3, 1, ...field(8, "x".charCodeAt(0)), ...data)),
    );
  const digestOf = (...data: readonly number[]) =>
    listed("a.onnx", modelOf(...data)).tensors.map(({ digest }) => digest !== null);
  assert.deepEqual(digestOf(...raw), [true]);
  assert.deepEqual(digestOf(...raw, ...single), [false]);
  assert.deepEqual(digestOf(...single), [false]);
  assert.deepEqual(digestOf(...raw, ...raw), [false]);
});

Deno.test("C 29 storages that the pickle of an archive does not name are said to be missing", () => {
  const archive = (...storages: readonly string[]) =>
    new Uint8Array(zipOf([
      // An empty dictionary: it names no storage.
      { name: "m/data.pkl", data: zipBytes(0x80, 2, "}.") },
      ...storages.map((key) => ({ name: `m/data/${key}`, data: zipBytes(1, 2) })),
    ]));
  assert.equal(listed("a.pt", archive()).problem, undefined);
  assert.equal(
    listed("a.pt", archive("0")).problem,
    "Not all storages of the archive are named by its pickle",
  );
});

const fixture = (path: string) =>
  Deno.readFileSync(new URL(`../../fixtures/models/${path}`, import.meta.url));

Deno.test("C 29 tensors of TensorFlow Lite have the shapes and bytes that were converted", () => {
  const { tensors, problem } = listed("dense.tflite", fixture("tflite/dense.tflite"));
  // See tests/fixtures/makers/mobile_models.py: the converter has transposed it.
  const elements = new Uint8Array(Float32Array.of(1, 3, 5, 2, 4, 6).buffer);
  const digest = createHash("sha256").update(elements).digest("hex");
  assert.deepEqual([tensors, problem], [
    [{ name: "matmul", dtype: "float32", shape: [2, 3], bytes: 24, digest }],
    undefined,
  ]);
});

Deno.test("C 29 the weights of a model of Keras are the same in an archive and alone", () => {
  const archive = fixture("keras/sequential.keras");
  const byName = (name: string, bytes: Uint8Array<ArrayBuffer>) =>
    new Map(listed(name, bytes).tensors.map((it) => [it.name, it.digest]));
  const digests = byName("a.keras", archive);
  const names = [...digests.keys()].filter((it) => it.startsWith("layers/dense"));
  assert.equal(names.length, 4);
  const alone = byName("a.weights.h5", fixture("keras/sequential.weights.h5"));
  assert.deepEqual(names.map((it) => alone.get(it)), names.map((it) => digests.get(it)));
});

Deno.test("C 29 files that are not what their names say have no tensors, and it is said why", () => {
  const problems = ["a.h5", "a.keras", "a.tflite"].map((name) => {
    const { tensors, problem } = listed(name, new TextEncoder().encode("nothing of this"));
    assert.deepEqual(tensors, []);
    return problem;
  });
  assert.deepEqual(problems, [
    "The file is not an HDF5 file",
    "The file is not an archive of Keras",
    "The file does not have the identifier of TensorFlow Lite",
  ]);
});
