import * as assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { TempDir } from "../support/temp_dir.ts";
import { pythonWith } from "../support/tools.ts";
import { differences, libraryFacts, mutated } from "./differential.ts";

const python = await pythonWith("gguf, h5py, numpy, onnx, safetensors");
const FIXTURES = fileURLToPath(new URL("../fixtures/models/", import.meta.url));

Deno.test({
  name: "C 29 facts are those that the formats' own libraries read",
  ignore: python === undefined,
  async fn() {
    await using directory = await TempDir.make();
    const read = await libraryFacts(python ?? "", "generate", directory.path, "250", "1");
    assert.equal(read.length, 250);
    assert.deepEqual(differences(read), []);
  },
});

Deno.test("C 29 facts keep their limits, whatever a header or a card says", () => {
  const paths = [
    "gguf/chat.gguf",
    "huggingface/model/README.md",
    "huggingface/model/config.json",
    "keras/functional.h5",
    "numpy/structured.npy",
    "onnx/perceptron.onnx",
    "safetensors/dtypes.safetensors",
    "torch/state_dict.pt",
  ].map((path) => `${FIXTURES}${path}`);
  assert.deepEqual(mutated(paths, 400, 1), []);
});
