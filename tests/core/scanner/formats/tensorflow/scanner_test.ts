import * as assert from "node:assert/strict";
import { savedModelScanner } from "../../../../../core/scanner/formats/tensorflow/scanner.ts";
import { verdict } from "../../verdict.ts";
import { bytes, int, message } from "../../readers/protobuf/protobuf_bytes.ts";
import { assertNeverThrows } from "../format_scan.ts";
import { HARMFUL_CODE } from "../marshalled_code.ts";
import {
  attribute,
  BENIGN,
  called,
  kerasMetadata,
  library,
  metadataOf,
  node,
  nodes,
  savedModel,
  scanModel,
  USUAL_NODES,
} from "./tensorflow_bytes.ts";

Deno.test("C 16 a benign SavedModel passes every check, with SaveV2 and RestoreV2 in it", () => {
  const { checks, metadata } = scanModel(BENIGN);
  assert.deepEqual(checks.map(({ status, name }) => `${status} ${name}`), [
    "passed TensorFlow Model Structure",
    "passed TensorFlow Operations",
    "passed TensorFlow Asset Path",
  ]);
  assert.equal(metadata.is_model, true);
  assert.equal(metadata.node_count, USUAL_NODES.length + 1);
  assert.deepEqual(Object.entries(metadata.op_counts ?? {}).slice(0, 2), [["Placeholder", 1], [
    "Const",
    1,
  ]]);
  assert.match(JSON.stringify(metadata.ml_context), /"version":"2\.15\.0"/);
});

Deno.test("C 16 a partly unreadable model is inconclusive and keeps its findings", async (t) => {
  const incomplete = (content: Uint8Array, name?: string) =>
    scanModel(content, name).checks.flatMap((check) => check.incomplete ?? []);
  await t.step("a truncated model", () => {
    assert.deepEqual(incomplete(BENIGN.subarray(0, -5)), ["malformed_protobuf"]);
    assert.equal(verdict(scanModel(BENIGN.subarray(0, -5)).checks), "I");
    const bad = savedModel([...nodes("PyFunc"), ...USUAL_NODES]);
    assert.equal(verdict(scanModel(bad.subarray(0, -5)).checks), "C");
  });
  await t.step("no model", () => {
    assert.deepEqual(incomplete(int(1, 1)), ["no_tensorflow_graph"]);
    assert.deepEqual(
      incomplete(message("\xff\xff"), "keras_metadata.pb"),
      ["malformed_protobuf", "no_tensorflow_graph"],
    );
  });
  await t.step("the text format, which is searched for operations", () => {
    const text = message('meta_graphs { graph_def { node { name: "a" op: "Relu" } } }');
    assert.deepEqual(incomplete(text, "saved_model.pbtxt"), ["protobuf_text_format"]);
    assert.equal(verdict(scanModel(text, "saved_model.pbtxt").checks), "I");
    const bad = message("node { op : 'PyFunc' }");
    assert.equal(verdict(scanModel(bad, "saved_model.pbtxt").checks), "C");
  });
  await t.step("function references nested too deeply", () => {
    let nested: Uint8Array = called("PyFunc");
    for (let depth = 0; depth < 60; depth++) {
      nested = called("f", bytes(2, bytes(1, "g"), bytes(2, nested)));
    }
    const content = savedModel([bytes(1, node("Map", attribute("f", nested)))]);
    assert.deepEqual(incomplete(content), ["protobuf_depth_limit"]);
  });
});

Deno.test("C 16 mutations of TensorFlow models throw nothing", () => {
  const bad = savedModel(
    [library(node("PyFunc", attribute("f", called("g"))))],
    bytes(6, bytes(2, "../x")),
  );
  assertNeverThrows(savedModelScanner, [BENIGN, bad], { name: "saved_model.pb" });
  assertNeverThrows(savedModelScanner, [kerasMetadata(metadataOf(HARMFUL_CODE))], {
    name: "keras_metadata.pb",
  });
});
