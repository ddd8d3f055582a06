import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { onnxScanner } from "../../../../../core/scanner/formats/onnx/scanner.ts";
import { counted } from "../../sources.ts";
import { verdict } from "../../verdict.ts";
import { bytes, int, message } from "../../readers/protobuf/protobuf_bytes.ts";
import { assertNeverThrows, failures, scan } from "../format_scan.ts";
import {
  attribute,
  BENIGN,
  external,
  FLOAT,
  initializer,
  model,
  node,
  opset,
  raw,
} from "./onnx_bytes.ts";

Deno.test("C 16 a benign ONNX model passes every check, with com.microsoft as a domain", () => {
  const { checks, metadata } = scan(onnxScanner, BENIGN, { name: "model.onnx" });
  assert.deepEqual(checks.map(({ status, name }) => `${status} ${name}`), [
    "passed ONNX Model Structure",
    "passed ONNX External Data",
    "passed ONNX Tensor Size",
    "passed ONNX Python Operator",
    "passed Credential",
    "passed ONNX Operator Domain",
  ]);
  assert.equal(verdict(checks), "OK");
  assert.deepEqual(metadata, {
    is_model: true,
    ir_version: 10,
    producer_name: "pytorch",
    node_count: 3,
    custom_domains: [],
    ml_context: {
      frameworks: { onnx: { name: "onnx", confidence: 1, indicators: ["ModelProto"] } },
      overall_confidence: 1,
      is_ml_content: true,
      parameter_count_estimate: 11,
      precision_type: "float32",
      training_framework: "pytorch",
    },
  });
});

Deno.test("C 16 custom operator domains are reported as info", () => {
  const content = message(
    model(node("Foo", bytes(7, "org.example")), node("Bar", bytes(7, "local"))),
    bytes(25, bytes(1, "Bar"), bytes(7, bytes(4, "Add")), bytes(10, "local")),
  );
  const { checks, metadata } = scan(onnxScanner, content);
  assert.equal(verdict(checks), "OK");
  const reported = failures(checks, "ONNX Operator Domain");
  assert.deepEqual(reported.map(({ severity }) => severity), ["info"]);
  assert.match(reported[0]?.message ?? "", /"org\.example"/);
  assert.deepEqual(metadata.custom_domains, ["org.example"]);
  assert.equal(metadata.node_count, 3);
});

Deno.test("C 16 a partly unreadable model is inconclusive and keeps its findings", async (t) => {
  await t.step("a model truncated anywhere", () => {
    for (let length = 5; length < BENIGN.length - opset().length; length++) {
      const { checks } = scan(onnxScanner, BENIGN.subarray(0, length));
      assert.ok(failures(checks, "ONNX Model Structure")[0]?.incomplete, String(length));
      assert.notEqual(verdict(checks), "C");
    }
    const { checks } = scan(onnxScanner, BENIGN.subarray(0, -40));
    assert.equal(verdict(checks), "I");
    assert.equal(failures(checks, "ONNX Model Structure")[0]?.incomplete, "malformed_protobuf");
  });
  await t.step("a dangerous tensor in a truncated graph", () => {
    const content = model(initializer(external("../x")), bytes(2, "name of the graph"));
    assert.equal(verdict(scan(onnxScanner, content.subarray(0, -15)).checks), "C");
  });
  await t.step("junk after a dangerous tensor", () => {
    const { checks } = scan(onnxScanner, message(model(initializer(external("../x"))), "\xff\xff"));
    assert.equal(verdict(checks), "C");
    assert.equal(failures(checks, "ONNX Model Structure").length, 1);
  });
  await t.step("no model", () => {
    assert.equal(verdict(scan(onnxScanner, new Uint8Array()).checks), "I");
    assert.equal(verdict(scan(onnxScanner, message(int(1, 8))).checks), "I");
  });
  await t.step("graphs nested too deeply", () => {
    let graph: Uint8Array = node("PythonOp");
    for (let depth = 0; depth < 60; depth++) graph = node("If", attribute(6, graph));
    const { checks } = scan(onnxScanner, model(graph));
    assert.equal(verdict(checks), "I");
    assert.equal(failures(checks, "ONNX Model Structure")[0]?.incomplete, "protobuf_depth_limit");
  });
});

Deno.test("C 16 a flood of findings is reported in part and counted", () => {
  const nodes = Array.from({ length: 300 }, (_, index) => node(`Python${index}`));
  const reported = failures(scan(onnxScanner, model(...nodes)).checks, "ONNX Python Operator");
  assert.equal(reported.length, 51);
  assert.deepEqual(reported.at(-1)?.details, { count: 250 });
});

Deno.test("C 16 tensor data is not read", () => {
  const large = model(initializer(raw([2 ** 22], FLOAT, 2 ** 24)));
  const source = counted(memorySource(large));
  assert.equal(verdict(scan(onnxScanner, source).checks), "OK");
  assert.ok(source.bytesRead < 200_000, String(source.bytesRead));
});

Deno.test("C 16 mutations of ONNX models throw nothing", () => {
  const deep = model(
    node("If", attribute(6, node("Loop", attribute(11, initializer(external("../x")))))),
  );
  assertNeverThrows(onnxScanner, [BENIGN, deep]);
});
