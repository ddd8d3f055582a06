import * as assert from "node:assert/strict";
import { onnxScanner } from "../../../../../core/scanner/formats/onnx/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { failures, scan, survives } from "../graph_scan.ts";
import { counted } from "../../sources.ts";
import { verdict } from "../../verdict.ts";
import {
  bytes,
  type Content,
  int,
  message,
  varint,
} from "../../readers/protobuf/protobuf_bytes.ts";

const FLOAT = 1;
const INT4 = 22;

function model(...graph: Content[]): Uint8Array {
  return message(int(1, 10), bytes(2, "pytorch"), bytes(3, "2.4"), bytes(7, ...graph), opset());
}

function opset(domain = ""): Uint8Array {
  return bytes(8, bytes(1, domain), int(2, 17));
}

function node(operator: string, ...rest: Content[]): Uint8Array {
  return bytes(1, bytes(1, "x"), bytes(2, "y"), bytes(4, operator), ...rest);
}

function entry(key: string, value: string): Uint8Array {
  return bytes(13, bytes(1, key), bytes(2, value));
}

function external(location: string, ...rest: Content[]): Uint8Array {
  const tensor = [int(1, 2), int(2, FLOAT), bytes(8, "w"), entry("location", location)];
  return message(...tensor, ...rest, int(14, 1));
}

function raw(dims: number[], type: number, size: number): Uint8Array {
  const shape = dims.map((dim) => int(1, dim));
  return message(...shape, int(2, type), bytes(8, "w"), bytes(9, new Uint8Array(size)));
}

const initializer = (tensor: Uint8Array) => bytes(5, tensor);
const attribute = (number: number, value: Content) =>
  bytes(5, bytes(1, "body"), bytes(number, value));

const BENIGN = model(
  node("Conv", attribute(5, raw([2, 2], FLOAT, 16))),
  node("FusedMatMul", bytes(7, "com.microsoft")),
  node("Gather", bytes(7, "ai.onnx.ml")),
  bytes(2, "main"),
  initializer(raw([2, 3], FLOAT, 24)),
  initializer(raw([3], INT4, 2)),
  initializer(raw([0, 5], FLOAT, 0)),
  initializer(external("model.onnx.data", entry("offset", "4096"), entry("length", "8"))),
  bytes(11, bytes(1, "x")),
  bytes(12, bytes(1, "y")),
);

Deno.test("C 16 a benign model of ONNX has passed checks only, com.microsoft among its domains", () => {
  const { checks, notes } = scan(onnxScanner, BENIGN, { name: "model.onnx" });
  assert.deepEqual(checks.map(({ status, name }) => `${status} ${name}`), [
    "passed ONNX Model Structure",
    "passed ONNX External Data",
    "passed ONNX Tensor Size",
    "passed ONNX Python Operator",
    "passed ONNX Operator Domain",
  ]);
  assert.equal(verdict(checks), "OK");
  assert.deepEqual(notes, {
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

Deno.test("evasion 60 external data outside of the folder of the model is critical", async (t) => {
  const paths = [
    "a/../../x",
    "../x",
    "a/..",
    "a\\..\\..\\x",
    "/etc/passwd",
    "\\\\server\\share",
    "C:\\x",
    "c:x",
    "file:///etc/passwd",
    "https://example.org/x",
    "a/%2e%2e/%2E./x",
    "a/.. /x",
    "x\0/../y",
    "*/_ORT_MEM_ADDR_/*",
  ];
  for (const path of paths) {
    await t.step(JSON.stringify(path), () => {
      const { checks } = scan(onnxScanner, model(initializer(external(path))));
      const [failure] = failures(checks, "ONNX External Data");
      assert.equal(failure?.severity, "critical");
      assert.equal(failure.ruleCode, "S405");
    });
  }
  for (const path of ["weights.bin", "data/a..b/w", "a/...", "weights:0", "./w"]) {
    await t.step(`${path} is not`, () => {
      assert.equal(verdict(scan(onnxScanner, model(initializer(external(path)))).checks), "OK");
    });
  }
});

Deno.test("evasion 61 every place that can hold a tensor is walked", async (t) => {
  const bad = external("a/../../x");
  const subgraph = message(initializer(bad));
  const inNode = (...attributes: Uint8Array[]) => model(node("If", ...attributes));
  const places: [string, Uint8Array][] = [
    ["the graph of an attribute", inNode(attribute(6, subgraph))],
    ["the graphs of an attribute", inNode(attribute(11, "x"), attribute(11, subgraph))],
    ["a graph in a graph", inNode(attribute(6, node("Loop", attribute(6, subgraph))))],
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
      "the default of an attribute of a function",
      message(model(node("Add")), bytes(25, bytes(11, bytes(5, bad)))),
    ],
    ["the start of training", message(model(node("Add")), bytes(20, bytes(1, initializer(bad))))],
    ["the step of training", message(model(node("Add")), bytes(20, bytes(2, initializer(bad))))],
    ["a second graph", message(model(node("Add")), bytes(7, initializer(bad)))],
    [
      "a tensor in two parts",
      inNode(bytes(5, bytes(5, entry("location", "../x")), bytes(5, int(14, 1)))),
    ],
    ["a repeated location", model(initializer(external("w", entry("location", "../x"))))],
  ];
  for (const [name, content] of places) {
    await t.step(name, () => assert.equal(verdict(scan(onnxScanner, content).checks), "C"));
  }
});

Deno.test("C 16 external data without a name, or of too few bytes, is a warning", async (t) => {
  const tensor = [int(1, 2), int(2, FLOAT), int(14, 1)];
  const flood = Array.from({ length: 101 }, () => entry("location", "w"));
  const table: [string, Uint8Array][] = [
    ["no entries", message(...tensor)],
    ["an empty location", external("")],
    ["a length below the size", external("w", entry("length", "7"))],
    ["a negative offset", external("w", entry("offset", "-1"))],
    ["a length that is no number", external("w", entry("length", "8x"))],
    ["more entries than anybody writes", external("w", ...flood)],
  ];
  for (const [name, content] of table) {
    await t.step(name, () => {
      const { checks } = scan(onnxScanner, model(initializer(content)));
      assert.equal(verdict(checks), "W");
      assert.equal(failures(checks, "ONNX External Data").length, 1);
    });
  }
});

Deno.test("C 16 Python is critical as the type of a node, and nowhere else", async (t) => {
  for (const operator of ["PythonOp", "com_python_call", "PyOp"]) {
    await t.step(operator, () => {
      const { checks } = scan(onnxScanner, model(node(operator)));
      assert.equal(verdict(checks), "C");
      assert.equal(failures(checks, "ONNX Python Operator")[0]?.ruleCode, "S1104");
    });
  }
  await t.step("in the graph of an attribute", () => {
    const content = model(node("If", attribute(6, node("PythonOp"))));
    assert.equal(verdict(scan(onnxScanner, content).checks), "C");
  });
  await t.step("in a function", () => {
    const inner = bytes(7, bytes(4, "PythonOp"));
    const content = message(model(node("Add")), bytes(25, inner));
    assert.equal(verdict(scan(onnxScanner, content).checks), "C");
  });
  await t.step("not in names, in documentation, or in weights", () => {
    const named = bytes(5, int(1, 8), int(2, 2), bytes(8, "python"), bytes(9, "PythonOp"));
    const content = model(node("Add", bytes(3, "PythonOp"), bytes(6, "python")), named);
    assert.equal(verdict(scan(onnxScanner, content).checks), "OK");
  });
  await t.step("of a type that comes twice, the last one counts, as in readers", () => {
    const content = model(node("PythonOp", bytes(4, "Add")), node("Add", bytes(4, "PythonOp")));
    assert.equal(failures(scan(onnxScanner, content).checks, "ONNX Python Operator").length, 1);
  });
});

Deno.test("C 16 a size that is not that of the dimensions is a warning", async (t) => {
  const table: [string, Uint8Array, string][] = [
    ["too few bytes", raw([2, 2], FLOAT, 15), "W"],
    ["too many bytes", raw([2, 2], FLOAT, 17), "W"],
    ["a negative dimension", raw([-1], FLOAT, 4), "W"],
    ["a product beyond all numbers", raw(Array(40).fill(2 ** 52), FLOAT, 4), "W"],
    [
      "packed dimensions",
      message(bytes(1, varint(2), varint(2)), int(2, FLOAT), bytes(9, "abc")),
      "W",
    ],
    ["an unknown type", raw([2], 99, 3), "OK"],
    ["a segment", message(raw([4], FLOAT, 8), bytes(3, int(1, 0))), "OK"],
    ["a scalar", raw([], FLOAT, 4), "OK"],
  ];
  for (const [name, tensor, wanted] of table) {
    await t.step(name, () => {
      const { checks } = scan(onnxScanner, model(initializer(tensor)));
      assert.equal(verdict(checks), wanted);
      assert.equal(failures(checks, "ONNX Tensor Size").length, wanted === "W" ? 1 : 0);
    });
  }
});

Deno.test("C 16 domains of foreign operators are told as info", () => {
  const content = message(
    model(node("Foo", bytes(7, "org.example")), node("Bar", bytes(7, "local"))),
    bytes(25, bytes(1, "Bar"), bytes(7, bytes(4, "Add")), bytes(10, "local")),
  );
  const { checks, notes } = scan(onnxScanner, content);
  assert.equal(verdict(checks), "OK");
  const told = failures(checks, "ONNX Operator Domain");
  assert.deepEqual(told.map(({ severity }) => severity), ["info"]);
  assert.match(told[0]?.message ?? "", /"org\.example"/);
  assert.deepEqual(notes.custom_domains, ["org.example"]);
  assert.equal(notes.node_count, 3);
});

Deno.test("C 16 what can't be read to its end is inconclusive, and what was found stays", async (t) => {
  await t.step("a model that is cut off anywhere", () => {
    for (let length = 5; length < BENIGN.length - opset().length; length++) {
      const { checks } = scan(onnxScanner, BENIGN.subarray(0, length));
      assert.ok(failures(checks, "ONNX Model Structure")[0]?.incomplete, String(length));
      assert.notEqual(verdict(checks), "C");
    }
    const { checks } = scan(onnxScanner, BENIGN.subarray(0, -40));
    assert.equal(verdict(checks), "I");
    assert.equal(failures(checks, "ONNX Model Structure")[0]?.incomplete, "malformed_protobuf");
  });
  await t.step("a bad tensor in a graph that is cut off", () => {
    const content = model(initializer(external("../x")), bytes(2, "name of the graph"));
    assert.equal(verdict(scan(onnxScanner, content.subarray(0, -15)).checks), "C");
  });
  await t.step("junk after a bad tensor", () => {
    const { checks } = scan(onnxScanner, message(model(initializer(external("../x"))), "\xff\xff"));
    assert.equal(verdict(checks), "C");
    assert.equal(failures(checks, "ONNX Model Structure").length, 1);
  });
  await t.step("no model at all", () => {
    assert.equal(verdict(scan(onnxScanner, new Uint8Array()).checks), "I");
    assert.equal(verdict(scan(onnxScanner, message(int(1, 8))).checks), "I");
  });
  await t.step("graphs nested deeper than readers go", () => {
    let graph: Uint8Array = node("PythonOp");
    for (let depth = 0; depth < 60; depth++) graph = node("If", attribute(6, graph));
    const { checks } = scan(onnxScanner, model(graph));
    assert.equal(verdict(checks), "I");
    assert.equal(failures(checks, "ONNX Model Structure")[0]?.incomplete, "protobuf_depth_limit");
  });
});

Deno.test("C 16 a flood of findings is told in part, and counted", () => {
  const nodes = Array.from({ length: 300 }, (_, index) => node(`Python${index}`));
  const told = failures(scan(onnxScanner, model(...nodes)).checks, "ONNX Python Operator");
  assert.equal(told.length, 51);
  assert.deepEqual(told.at(-1)?.details, { count: 250 });
});

Deno.test("C 16 a model of ONNX is claimed by its structure, and by its name", async (t) => {
  const claims = (content: Uint8Array, name = "data") =>
    onnxScanner.matches({ source: memorySource(content), name, depth: 0 });
  await t.step("by its structure under any name", () => {
    assert.equal(claims(BENIGN, "model.bin"), true);
    const hidden = Array.from({ length: 6000 }, () => bytes(14, bytes(1, "a"), bytes(2, "b")));
    assert.equal(claims(message(int(1, 8), ...hidden, bytes(7, node("Add"))), "a.txt"), true);
    assert.equal(claims(message(bytes(7, node("Add")), int(1, 8), int(200, 4)), "a.txt"), true);
  });
  await t.step("by its name, whatever it is", () => {
    assert.equal(claims(BENIGN.subarray(0, 50), "Model.ONNX"), true);
    assert.equal(claims(new Uint8Array(), "model.onnx"), false);
  });
  const others: [string, Uint8Array][] = [
    ["nothing", new Uint8Array()],
    ["text", message("ir_version: 8\ngraph { node { } }\n")],
    ["zeros", new Uint8Array(4096)],
    ["a model without a version", message(bytes(7, node("Add")))],
    ["a model without a graph", message(int(1, 8), bytes(2, "pytorch"))],
    ["a graph that is a text", message(int(1, 8), bytes(7, "graph"))],
    ["an empty graph", message(int(1, 8), bytes(7))],
    ["a graph of numbers", message(int(1, 8), bytes(7, int(1, 5)))],
    ["a field of the wrong type", message(int(1, 8), int(2, 8), bytes(7, node("Add")))],
    ["an absurd version", message(int(1, 2n ** 40n), bytes(7, node("Add")))],
    ["a model that is cut off", BENIGN.subarray(0, -1)],
    [
      "a SavedModel",
      message(int(1, 1), bytes(2, bytes(2, bytes(1, bytes(1, "a"), bytes(2, "Add"))))),
    ],
  ];
  for (const [name, content] of others) {
    await t.step(`not ${name}`, () => assert.equal(claims(content), false));
  }
});

Deno.test("C 16 the data of a model is not read", () => {
  const large = model(initializer(raw([2 ** 22], FLOAT, 2 ** 24)));
  const source = counted(memorySource(large));
  assert.equal(verdict(scan(onnxScanner, source).checks), "OK");
  assert.ok(source.bytesRead < 200_000, String(source.bytesRead));
});

Deno.test("C 16 the scanner of ONNX survives any bytes", () => {
  const deep = model(
    node("If", attribute(6, node("Loop", attribute(11, initializer(external("../x")))))),
  );
  survives(onnxScanner, [BENIGN, deep]);
});
