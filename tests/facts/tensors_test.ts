import * as assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { parseTensorLine } from "../../core/scanner/contract/tensor_list.ts";
import { MAX_LIST_CHARS } from "../../core/scanner/mod.ts";
import { memorySource } from "../../core/scanner/scan.ts";
import { listTensors } from "../../core/scanner/tensors.ts";
import { seededRandom } from "../support/random.ts";
import { TempDir } from "../support/temp_dir.ts";
import { pythonWith, run } from "../support/tools.ts";

const python = await pythonWith("gguf, h5py, numpy, onnx, safetensors");
const LIBRARIES = fileURLToPath(new URL("tensors.py", import.meta.url));
const FIXTURES = fileURLToPath(new URL("../fixtures/models/", import.meta.url));
/** More of both, for a longer run: `TENSOR_FILES=10000 TENSOR_MUTATIONS=5000`. */
const FILES = Deno.env.get("TENSOR_FILES") ?? "350";
const MUTATIONS = Number(Deno.env.get("TENSOR_MUTATIONS") ?? "600");

const Read = v.object({
  path: v.string(),
  tensors: v.array(v.object({
    name: v.string(),
    shape: v.array(v.number()),
    sha256: v.string(),
  })),
});

function listed(path: string, bytes = Deno.readFileSync(path)) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const list = listTensors(memorySource(bytes), { name, checkpoint() {} });
  const lines = list.lines.split("\n").filter((line) => line !== "");
  return { ...list, tensors: lines.map(parseTensorLine) };
}

Deno.test({
  name: "C 29 tensors have the names, shapes and bytes that the formats' own libraries read",
  ignore: python === undefined,
  async fn() {
    await using directory = await TempDir.make();
    const { code, stdout, stderr } = await run(python ?? "", [
      ...[LIBRARIES, directory.path, FILES, "1"],
    ]);
    assert.equal(code, 0, stderr);
    const read = stdout.trimEnd().split("\n").map((line) => v.parse(Read, JSON.parse(line)));
    assert.equal(read.length, Number(FILES));
    for (const { path, tensors: expected } of read) {
      const { tensors, problem } = listed(path);
      const found = tensors.map(({ name, shape, digest }) => ({ name, shape, sha256: digest }));
      const byName = (a: { name: string }, b: { name: string }) => a.name < b.name ? -1 : 1;
      assert.deepEqual([found.sort(byName), problem], [expected.sort(byName), undefined], path);
    }
  },
});

Deno.test("C 29 lists of tensors keep their limits, whatever a header says", () => {
  const paths = [
    "gguf/chat.gguf",
    "gguf/quantized.gguf",
    "keras/arrays.h5",
    "keras/functional.h5",
    "keras/functional.keras",
    "numpy/structured.npy",
    "numpy/compressed.npz",
    "onnx/perceptron.onnx",
    "safetensors/dtypes.safetensors",
    "tflite/dense.tflite",
    "torch/state_dict.pt",
  ].map((path) => `${FIXTURES}${path}`);
  const random = seededRandom(1);
  for (let index = 0; index < MUTATIONS; index++) {
    const path = paths[index % paths.length] ?? "";
    const bytes = Deno.readFileSync(path);
    for (let change = 0; change <= random(8) && bytes.length > 0; change++) {
      bytes[random(random(2) === 0 ? bytes.length : Math.min(bytes.length, 256))] = random(256);
    }
    const { tensors, lines } = listed(path, bytes);
    assert.ok(lines.length <= MAX_LIST_CHARS);
    assert.equal(new Set(tensors.map(({ name }) => name)).size, tensors.length, path);
  }
});
