import * as assert from "node:assert/strict";
import { verdict } from "../../verdict.ts";
import { bytes, message } from "../../readers/protobuf/protobuf_bytes.ts";
import { failures } from "../format_scan.ts";
import {
  anyAsset,
  attribute,
  BENIGN,
  called,
  library,
  metaGraph,
  node,
  savedModel,
  scanModel,
  USUAL_NODES,
} from "./tensorflow_bytes.ts";

Deno.test("evasion 62 a dangerous operation is found in every part of a model", async (t) => {
  const pyFunc = node("PyFunc");
  const parts: [string, Uint8Array][] = [
    ["the graph", savedModel([bytes(1, pyFunc)])],
    ["only a function in the library", savedModel([...USUAL_NODES, library(node("Relu"), pyFunc)])],
    ["a second MetaGraph", message(BENIGN, bytes(2, metaGraph([bytes(1, pyFunc)])))],
    ["a second graph", savedModel(USUAL_NODES, bytes(2, bytes(1, pyFunc)))],
    [
      "a function that a node refers to",
      savedModel([bytes(1, node("Map", attribute("f", called("PyFunc"))))]),
    ],
    [
      "a list of functions",
      savedModel([
        bytes(1, node("Case", attribute("branches", bytes(1, bytes(9, bytes(1, "PyFunc")))))),
      ]),
    ],
    [
      "an attribute of a referenced function",
      savedModel([
        bytes(
          1,
          node(
            "Map",
            attribute("f", called("g", bytes(2, bytes(1, "h"), bytes(2, called("PyFunc"))))),
          ),
        ),
      ]),
    ],
    [
      "an attribute of a function in the library",
      savedModel([
        bytes(2, bytes(1, bytes(1, bytes(1, "f")), attribute("a", called("PyFunc")))),
      ]),
    ],
    ["a duplicate operation name", savedModel([bytes(1, node("Relu", bytes(2, "PyFunc")))])],
  ];
  for (const [name, content] of parts) {
    await t.step(name, () => {
      const { checks } = scanModel(content);
      assert.equal(failures(checks, "TensorFlow Operations")[0]?.severity, "critical");
    });
  }
});

Deno.test("C 16 an asset outside the model's folder is critical", async (t) => {
  for (const path of ["../x", "a/../../x", "/etc/passwd", "..\\x"]) {
    await t.step(path, () => {
      const [failure] = failures(
        scanModel(savedModel(USUAL_NODES, bytes(6, bytes(2, path)))).checks,
        "TensorFlow Asset Path",
      );
      assert.equal(failure?.severity, "critical");
      assert.equal(failure.ruleCode, "S405");
    });
  }
  await t.step("in a collection of TensorFlow 1", () => {
    const collection = bytes(4, bytes(1, "assets"), bytes(2, bytes(5, bytes(1, anyAsset("../x")))));
    assert.equal(verdict(scanModel(savedModel(USUAL_NODES, collection)).checks), "C");
  });
});
