import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { onnxScanner } from "../../../../../core/scanner/formats/onnx/scanner.ts";
import { bytes, int, message } from "../../readers/protobuf/protobuf_bytes.ts";
import { BENIGN, node } from "./onnx_bytes.ts";

Deno.test("C 16 matches ONNX models by structure and by name", async (t) => {
  const matches = (content: Uint8Array, name = "data") =>
    onnxScanner.matches({ source: memorySource(content), name, depth: 0 });
  await t.step("by structure under any name", () => {
    assert.equal(matches(BENIGN, "model.bin"), true);
    const hidden = Array.from({ length: 6000 }, () => bytes(14, bytes(1, "a"), bytes(2, "b")));
    assert.equal(matches(message(int(1, 8), ...hidden, bytes(7, node("Add"))), "a.txt"), true);
    assert.equal(matches(message(bytes(7, node("Add")), int(1, 8), int(200, 4)), "a.txt"), true);
  });
  await t.step("by name with any content", () => {
    assert.equal(matches(BENIGN.subarray(0, 50), "Model.ONNX"), true);
    assert.equal(matches(new Uint8Array(), "model.onnx"), false);
  });
  const others: [string, Uint8Array][] = [
    ["nothing", new Uint8Array()],
    ["text", message("ir_version: 8\ngraph { node { } }\n")],
    ["zeros", new Uint8Array(4096)],
    ["a model without a version", message(bytes(7, node("Add")))],
    ["a model without a graph", message(int(1, 8), bytes(2, "pytorch"))],
    ["a string as the graph", message(int(1, 8), bytes(7, "graph"))],
    ["an empty graph", message(int(1, 8), bytes(7))],
    ["a graph of numbers", message(int(1, 8), bytes(7, int(1, 5)))],
    ["a field of the wrong type", message(int(1, 8), int(2, 8), bytes(7, node("Add")))],
    ["an absurd version", message(int(1, 2n ** 40n), bytes(7, node("Add")))],
    ["a truncated model", BENIGN.subarray(0, -1)],
    [
      "a SavedModel",
      message(int(1, 1), bytes(2, bytes(2, bytes(1, bytes(1, "a"), bytes(2, "Add"))))),
    ],
  ];
  for (const [name, content] of others) {
    await t.step(`not ${name}`, () => assert.equal(matches(content), false));
  }
});
