import * as assert from "node:assert/strict";
import type { JsonObject } from "../../schemas/json.ts";
import { report } from "../../core/scanner/mod.ts";
import { scan } from "../../core/scanner/scan.ts";
import { memorySource } from "../../core/scanner/contract/source.ts";
import { ROOT } from "../support/child_server.ts";

/** The metadata that a report has of a fixture. */
async function metadataOf(path: string) {
  const bytes = await Deno.readFile(`${ROOT}tests/fixtures/models/${path}`);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const files = [{ path, scan: scan(memorySource(bytes), { name }) }];
  return report({ files, startTime: 0, duration: 0, skip: [] }).file_metadata[path];
}

/** Framework, model, parameters, precision, layers and patterns of fixtures, as libraries wrote them. */
const ROWS: readonly (readonly [string, string, Readonly<JsonObject>])[] = [
  ["sklearn/forest.pkl", "scikit-learn", {
    model_type: "RandomForestClassifier",
    parameter_count_estimate: 32,
    precision_type: "float64",
    detected_patterns: ["arrays", "estimator", "trees"],
  }],
  ["joblib/pipeline.joblib", "scikit-learn", {
    model_type: "Pipeline",
    parameter_count_estimate: 16,
    precision_type: "float64",
  }],
  ["joblib/pipeline_compressed.joblib", "scikit-learn", { parameter_count_estimate: 16 }],
  ["torch/state_dict.pt", "pytorch", {
    parameter_count_estimate: 26,
    precision_type: "float32",
    training_framework: "pytorch",
    layer_count_estimate: 2,
  }],
  ["torch/state_dict_legacy.pt", "pytorch", {
    parameter_count_estimate: 26,
    layer_count_estimate: 2,
  }],
  ["torch/module.pt", "pytorch", {
    model_type: "Sequential",
    layer_count_estimate: 2,
    parameter_count_estimate: 8,
    detected_patterns: ["tensors", "modules"],
  }],
  ["keras/sequential.keras", "keras", {
    model_type: "Sequential",
    layer_count_estimate: 5,
    parameter_count_estimate: 44,
    precision_type: "float32",
    detected_patterns: ["dropout", "feed forward", "normalization"],
  }],
  ["keras/functional.h5", "keras", {
    model_type: "Functional",
    layer_count_estimate: 8,
    parameter_count_estimate: 39,
    precision_type: "float32",
  }],
  ["keras/sequential.weights.h5", "keras", {
    parameter_count_estimate: 26,
    precision_type: "float32",
  }],
  ["numpy/pickled_5.pkl", "numpy", { parameter_count_estimate: 12, precision_type: "float32" }],
  ["sklearn/pipeline_5.pkl", "scikit-learn", {
    parameter_count_estimate: 16,
    precision_type: "float64",
  }],
  ["safetensors/perceptron.safetensors", "safetensors", { layer_count_estimate: 2 }],
  ["skops/pipeline.skops", "scikit-learn", {
    model_type: "Pipeline",
    parameter_count_estimate: 17,
    training_framework: "scikit-learn",
  }],
  ["numpy/stored.npz", "numpy", { parameter_count_estimate: 6, precision_type: "<f8" }],
  ["xgboost/booster.pkl", "xgboost", { model_type: "Booster", detected_patterns: ["trees"] }],
  ["gguf/chat.gguf", "ggml", { model_type: "llama", detected_patterns: ["embeddings"] }],
  ["flax/perceptron.msgpack", "flax", {
    parameter_count_estimate: 8,
    precision_type: "float32",
    detected_patterns: ["feed forward"],
    optimization_hints: ["half precision"],
  }],
  ["tflite/dense.tflite", "tflite", { precision_type: "float32" }],
  ["mxnet/dense-0000.params", "mxnet", { parameter_count_estimate: 8 }],
];

Deno.test("SR 2.8 ml_context tells framework, model, parameters, precision and layers", async (t) => {
  for (const [path, framework, expected] of ROWS) {
    await t.step(`SR 2.8 ${path}`, async () => {
      const { ml_context: context } = await metadataOf(path) ?? {};
      assert.ok(context?.frameworks?.[framework], JSON.stringify(context));
      assert.equal(context.is_ml_content, true);
      const known = Object.fromEntries(
        Object.entries(context).filter(([name]) => Object.hasOwn(expected, name)),
      );
      assert.deepEqual(known, expected);
    });
  }
  await t.step("SR 2.8 HDF5 files of other programs have none", async () => {
    for (const path of ["keras/arrays.h5", "pytables/frame.h5"]) {
      assert.equal((await metadataOf(path))?.ml_context, undefined, path);
    }
  });
  await t.step("SR 2.8 a pickle of plain values has none", async () => {
    assert.equal((await metadataOf("pickle/plain_4.pkl"))?.ml_context, undefined);
  });
});

Deno.test("SR 2.9 file_patterns has the patterns that fit the name of the file", async () => {
  const patterns = async (path: string, framework: string) =>
    (await metadataOf(path))?.ml_context?.frameworks?.[framework]?.file_patterns;
  assert.deepEqual(await patterns("torch/state_dict.pt", "pytorch"), ["*.pt"]);
  assert.deepEqual(await patterns("mxnet/dense-symbol.json", "mxnet"), ["*-symbol.json"]);
  assert.deepEqual(await patterns("sklearn/forest.pkl", "numpy"), undefined);
});
