import * as assert from "node:assert/strict";
import { onnxScanner } from "../../../../../core/scanner/formats/onnx/scanner.ts";
import { verdict } from "../../verdict.ts";
import { bytes, int, message } from "../../readers/protobuf/protobuf_bytes.ts";
import { failures, scan } from "../format_scan.ts";
import { attribute, entry, external, initializer, model, node } from "./onnx_bytes.ts";

Deno.test("evasion 61 every part that can contain a tensor is walked", async (t) => {
  const bad = external("a/../../x");
  const subgraph = message(initializer(bad));
  const inNode = (...attributes: Uint8Array[]) => model(node("If", ...attributes));
  const parts: [string, Uint8Array][] = [
    ["an attribute graph", inNode(attribute(6, subgraph))],
    ["one of several attribute graphs", inNode(attribute(11, "x"), attribute(11, subgraph))],
    ["a nested graph", inNode(attribute(6, node("Loop", attribute(6, subgraph))))],
    ["a constant", inNode(attribute(5, bad))],
    ["one of several tensors", inNode(attribute(10, bad))],
    ["a sparse tensor of an attribute", inNode(attribute(22, bytes(1, bad)))],
    ["one of several sparse tensors", inNode(attribute(23, bytes(2, bad)))],
    ["the values of a sparse initializer", model(bytes(15, bytes(1, bad)))],
    ["the indices of a sparse initializer", model(bytes(15, bytes(2, bad)))],
    [
      "a function",
      message(
        model(node("Add")),
        bytes(25, bytes(7, node("If").subarray(2), bytes(5, bytes(5, bad)))),
      ),
    ],
    [
      "an attribute default of a function",
      message(model(node("Add")), bytes(25, bytes(11, bytes(5, bad)))),
    ],
    [
      "the initialization of training",
      message(model(node("Add")), bytes(20, bytes(1, initializer(bad)))),
    ],
    [
      "the algorithm of training",
      message(model(node("Add")), bytes(20, bytes(2, initializer(bad)))),
    ],
    ["a second graph", message(model(node("Add")), bytes(7, initializer(bad)))],
    [
      "a tensor in two parts",
      inNode(bytes(5, bytes(5, entry("location", "../x")), bytes(5, int(14, 1)))),
    ],
    ["a repeated location", model(initializer(external("w", entry("location", "../x"))))],
  ];
  for (const [name, content] of parts) {
    await t.step(name, () => assert.equal(verdict(scan(onnxScanner, content).checks), "C"));
  }
});

/** An attribute with a text or a number. */
const named = (name: string, value: string | number) =>
  bytes(5, bytes(1, name), typeof value === "string" ? bytes(4, value) : int(3, value));

Deno.test("evasion 61 a compiled graph is in the folder of the model", async (t) => {
  const inFile = named("embed_mode", 0);
  const context = (path: string) => named("ep_cache_context", path);
  const cases: [string, Uint8Array[], verdict: "C" | ""][] = [
    ["an absolute path", [context("/etc/x.bin"), inFile], "C"],
    ["a path that leads up, after its kind", [inFile, context("../x.bin")], "C"],
    [
      "a kind whose zero is left out",
      [context("a/../../x"), bytes(5, bytes(1, "embed_mode"))],
      "C",
    ],
    ["a drive of Windows", [context("C:\\x.bin"), inFile], "C"],
    ["two paths", [context("x.bin"), context("../x.bin"), inFile], "C"],
    ["the model of weights", [named("onnx_model_filename", "../../model.onnx")], "C"],
    ["a file beside the model", [context("model_ctx.bin"), inFile], ""],
    ["the context itself", [named("embed_mode", 1), context("../\0\x01")], ""],
    ["the context itself, by default", [context("../\0\x01")], ""],
  ];
  for (const [name, attributes, expected] of cases) {
    await t.step(name, () => {
      const { checks } = scan(onnxScanner, model(node("EPContext", ...attributes)));
      assert.equal(failures(checks, "ONNX External Data").length > 0 ? "C" : "", expected);
    });
  }
  const other = model(node("Custom", context("../x.bin"), inFile));
  assert.deepEqual(failures(scan(onnxScanner, other).checks, "ONNX External Data"), []);
});

Deno.test("C 16 Python is critical as a node type only", async (t) => {
  for (const operator of ["PythonOp", "com_python_call", "PyOp"]) {
    await t.step(operator, () => {
      const { checks } = scan(onnxScanner, model(node(operator)));
      assert.equal(verdict(checks), "C");
      assert.equal(failures(checks, "ONNX Python Operator")[0]?.ruleCode, "S1104");
    });
  }
  await t.step("in an attribute graph", () => {
    const content = model(node("If", attribute(6, node("PythonOp"))));
    assert.equal(verdict(scan(onnxScanner, content).checks), "C");
  });
  await t.step("in a function", () => {
    const inner = bytes(7, bytes(4, "PythonOp"));
    const content = message(model(node("Add")), bytes(25, inner));
    assert.equal(verdict(scan(onnxScanner, content).checks), "C");
  });
  await t.step("not in names, documentation or weights", () => {
    const named = bytes(5, int(1, 8), int(2, 2), bytes(8, "python"), bytes(9, "PythonOp"));
    const content = model(node("Add", bytes(3, "PythonOp"), bytes(6, "python")), named);
    assert.equal(verdict(scan(onnxScanner, content).checks), "OK");
  });
  await t.step("the last of duplicate node types counts, as in protobuf parsers", () => {
    const content = model(node("PythonOp", bytes(4, "Add")), node("Add", bytes(4, "PythonOp")));
    assert.equal(failures(scan(onnxScanner, content).checks, "ONNX Python Operator").length, 1);
  });
});
