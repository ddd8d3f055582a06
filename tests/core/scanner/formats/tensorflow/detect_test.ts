import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { savedModelScanner } from "../../../../../core/scanner/formats/tensorflow/scanner.ts";
import { bytes, int, message, varint } from "../../readers/protobuf/protobuf_bytes.ts";
import {
  BENIGN,
  kerasMetadata,
  library,
  metaGraph,
  node,
  nodes,
  savedModel,
  USUAL_NODES,
} from "./tensorflow_bytes.ts";

Deno.test("C 16 matches TensorFlow models by name or by structure", async (t) => {
  const matches = (content: Uint8Array, name = "data") =>
    savedModelScanner.matches({ source: memorySource(content), name, depth: 0 });
  const table: [string, Uint8Array, string, boolean][] = [
    ["a SavedModel under any name", BENIGN, "x.bin", true],
    ["a SavedModel with functions only", savedModel([library(node("Relu"))]), "x", true],
    ["a SavedModel after other fields", message(...Array(2000).fill(int(9, 1)), BENIGN), "x", true],
    ["a MetaGraph under any name", metaGraph(USUAL_NODES), "x", true],
    ["a truncated MetaGraph", metaGraph(USUAL_NODES).subarray(0, -3), "x.meta", true],
    ["Keras metadata", kerasMetadata("{}"), "x", true],
    ["a frozen graph", message(...USUAL_NODES), "frozen.pb", true],
    ["any content by its name", Uint8Array.of(1), "variables/saved_model.pb", true],
    ["the text format", Uint8Array.of(1), "saved_model.pbtxt", true],
    ["nothing", new Uint8Array(), "saved_model.pb", false],
    ["two strings in a message", message(...USUAL_NODES), "x.bin", false],
    ["a truncated SavedModel", BENIGN.subarray(0, -3), "x", false],
    ["another file with that suffix", message("{}"), "x.meta", false],
    [
      "an ONNX model",
      message(int(1, 8), bytes(2, "pytorch"), bytes(7, nodes("Add")[0] ?? "")),
      "x",
      false,
    ],
    ["zeros", new Uint8Array(1000), "x.pb", false],
    ["a number as the graph", message(int(1, 1), int(2, 1), varint(1)), "x.pb", false],
  ];
  for (const [name, content, file, expected] of table) {
    await t.step(name, () => assert.equal(matches(content, file), expected));
  }
});
