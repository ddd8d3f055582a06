import * as assert from "node:assert/strict";
import { savedModelScanner } from "../../../../../core/scanner/formats/tensorflow/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { failures, scan, survives } from "../graph_scan.ts";
import { verdict } from "../../verdict.ts";
import { HARMFUL_CODE, HARMLESS_CODE } from "../marshalled_code.ts";
import {
  bytes,
  type Content,
  int,
  message,
  varint,
} from "../../readers/protobuf/protobuf_bytes.ts";

function node(operation: string, ...rest: Content[]): Uint8Array {
  return message(bytes(1, `node/${operation}`), bytes(2, operation), ...rest);
}

/** An entry of the map of attributes. */
function attribute(name: string, ...value: Content[]): Uint8Array {
  return bytes(5, bytes(1, name), bytes(2, ...value));
}

/** A function, as an attribute names it. */
const called = (name: string, ...rest: Content[]) => bytes(10, bytes(1, name), ...rest);

function library(...nodes: Uint8Array[]): Uint8Array {
  const definition = [bytes(1, bytes(1, "__inference_f")), ...nodes.map((it) => bytes(3, it))];
  return bytes(2, bytes(1, ...definition));
}

function metaGraph(graph: Content[], ...rest: Content[]): Uint8Array {
  const info = bytes(1, bytes(4, "serve"), bytes(5, "2.15.0"));
  return message(info, bytes(2, ...graph), ...rest);
}

function savedModel(graph: Content[], ...rest: Content[]): Uint8Array {
  return message(int(1, 1), bytes(2, metaGraph(graph, ...rest)));
}

const nodes = (...operations: string[]) => operations.map((it) => bytes(1, node(it)));

/** What every model has that was saved, and many that serve tables, images and checks. */
const HONEST = nodes(
  ..."Placeholder Const MatMul SaveV2 RestoreV2 MergeV2Checkpoints ShardedFilename"
    .split(" "),
  ..."HashTableV2 InitializeTableFromTextFileV2 LookupTableImportV2 DecodeJpeg Assert PrintV2"
    .split(" "),
  "StatefulPartitionedCall",
);

const BENIGN = savedModel(
  [...HONEST, library(node("Relu", attribute("f", called("__inference_g"))))],
  bytes(4, bytes(1, "saved_model_assets"), bytes(2, bytes(5, bytes(1, anyAsset("vocab.txt"))))),
  bytes(6, bytes(1, bytes(1, "Const:0")), bytes(2, "vocab.txt")),
);

function anyAsset(path: string): Uint8Array {
  return message(
    bytes(1, "type.googleapis.com/tensorflow.AssetFileDef"),
    bytes(2, bytes(2, path)),
  );
}

const look = (content: Uint8Array, name = "saved_model.pb") =>
  scan(savedModelScanner, content, { name });

Deno.test("C 16 a benign SavedModel has passed checks only, SaveV2 and RestoreV2 in it", () => {
  const { checks, notes } = look(BENIGN);
  assert.deepEqual(checks.map(({ status, name }) => `${status} ${name}`), [
    "passed TensorFlow Model Structure",
    "passed TensorFlow Operations",
    "passed TensorFlow Asset Path",
  ]);
  assert.equal(notes.is_model, true);
  assert.equal(notes.node_count, HONEST.length + 1);
  assert.deepEqual(Object.entries(notes.op_counts ?? {}).slice(0, 2), [["Placeholder", 1], [
    "Const",
    1,
  ]]);
  assert.match(JSON.stringify(notes.ml_context), /"version":"2\.15\.0"/);
});

Deno.test("evasion 62 a dangerous operation is found wherever it is", async (t) => {
  const pyFunc = node("PyFunc");
  const places: [string, Uint8Array][] = [
    ["the graph", savedModel([bytes(1, pyFunc)])],
    ["a function in the library only", savedModel([...HONEST, library(node("Relu"), pyFunc)])],
    ["a second MetaGraph", message(BENIGN, bytes(2, metaGraph([bytes(1, pyFunc)])))],
    ["a second graph", savedModel(HONEST, bytes(2, bytes(1, pyFunc)))],
    [
      "a function that a node names",
      savedModel([bytes(1, node("Map", attribute("f", called("PyFunc"))))]),
    ],
    [
      "a list of functions",
      savedModel([
        bytes(1, node("Case", attribute("branches", bytes(1, bytes(9, bytes(1, "PyFunc")))))),
      ]),
    ],
    [
      "an attribute of a function that is named",
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
    ["a name that comes twice", savedModel([bytes(1, node("Relu", bytes(2, "PyFunc")))])],
  ];
  for (const [name, content] of places) {
    await t.step(name, () => {
      const { checks } = look(content);
      assert.equal(failures(checks, "TensorFlow Operations")[0]?.severity, "critical");
    });
  }
});

Deno.test("C 16 operations are judged by what they reach for", async (t) => {
  const writes = (operation: string, name: string, text: string) =>
    savedModel([bytes(1, node(operation, attribute(name, bytes(2, text))))]);
  const table: [string, Uint8Array, string][] = [
    ...["EagerPyFunc", "PyFuncStateless", "ReadFile", "WriteFile", "LoadLibrary"].map((
      it,
    ): [string, Uint8Array, string] => [it, savedModel(nodes(it)), "C"]),
    ...["DistributedSave", "RecordInput", "RpcServer", "RpcClient"].map((
      it,
    ): [string, Uint8Array, string] => [it, savedModel(nodes(it)), "W"]),
    ...["MatchingFiles", "ImmutableConst", "TFRecordDataset", "DataServiceDataset"].map((
      it,
    ): [string, Uint8Array, string] => [it, savedModel(nodes(it)), "W"]),
    ["PrintV2 to a file", writes("PrintV2", "output_stream", "file:///x"), "C"],
    ["PrintV2 to the screen", writes("PrintV2", "output_stream", "stderr"), "OK"],
    [
      "DebugIdentityV2 to a server",
      savedModel([
        bytes(1, node("DebugIdentityV2", attribute("debug_urls", bytes(1, bytes(2, "grpc://x"))))),
      ]),
      "C",
    ],
    ["the name of a node", savedModel([bytes(1, bytes(1, "PyFunc"), bytes(2, "Relu"))]), "OK"],
    ["the text of a constant", writes("Const", "value", "PyFunc"), "OK"],
  ];
  for (const [name, content, wanted] of table) {
    await t.step(name, () => assert.equal(verdict(look(content).checks), wanted));
  }
});

Deno.test("C 16 graphs of a training may read the files of a training", async (t) => {
  const training = nodes("TFRecordReaderV2", "SaveSlices", "QueueEnqueueV2", "SaveV2");
  await t.step("a MetaGraph", () => {
    assert.equal(verdict(look(metaGraph(training), "model.ckpt-1.meta").checks), "OK");
  });
  await t.step("a frozen graph", () => {
    assert.equal(verdict(look(message(...training), "frozen.pb").checks), "OK");
  });
  await t.step("but run no Python", () => {
    assert.equal(verdict(look(metaGraph(nodes("PyFunc")), "model.meta").checks), "C");
    assert.equal(verdict(look(message(...nodes("PyFunc")), "frozen.pb").checks), "C");
    assert.equal(verdict(look(library(node("PyFunc")), "frozen.pb").checks), "C");
  });
});

Deno.test("C 16 an asset outside of the folder of the model is critical", async (t) => {
  for (const path of ["../x", "a/../../x", "/etc/passwd", "..\\x"]) {
    await t.step(path, () => {
      const [failure] = failures(
        look(savedModel(HONEST, bytes(6, bytes(2, path)))).checks,
        "TensorFlow Asset Path",
      );
      assert.equal(failure?.severity, "critical");
      assert.equal(failure.ruleCode, "S405");
    });
  }
  await t.step("in the collection of TensorFlow 1", () => {
    const collection = bytes(4, bytes(1, "assets"), bytes(2, bytes(5, bytes(1, anyAsset("../x")))));
    assert.equal(verdict(look(savedModel(HONEST, collection)).checks), "C");
  });
});

function metadataOf(code: string, rest: Record<string, unknown> = {}): string {
  const lambda = { class_name: "__tuple__", items: [code, null, null] };
  const layer = { class_name: "Lambda", config: { function: lambda, module: "__main__" } };
  return JSON.stringify({ class_name: "Sequential", config: { layers: [layer] }, ...rest });
}

function kerasMetadata(...metadata: string[]): Uint8Array {
  return message(
    ...metadata.map((json, index) =>
      bytes(1, int(2, index), bytes(3, "root"), bytes(4, "_tf_keras_sequential"), bytes(5, json))
    ),
  );
}

Deno.test("C 16 the metadata of Keras is read as its configurations are", async (t) => {
  await t.step("keras_metadata.pb", () => {
    const harmless = look(kerasMetadata(metadataOf(HARMLESS_CODE)), "keras_metadata.pb");
    assert.equal(verdict(harmless.checks), "W");
    assert.equal(harmless.notes.model_class, "Sequential");
    const content = kerasMetadata("{}", metadataOf(HARMFUL_CODE));
    assert.equal(verdict(look(content, "keras_metadata.pb").checks), "C");
  });
  await t.step("in the objects of a SavedModel", () => {
    const objects = bytes(7, bytes(1, bytes(4, bytes(1, "x"), bytes(3, metadataOf(HARMFUL_CODE)))));
    const { checks } = look(savedModel(HONEST, objects));
    assert.equal(failures(checks, "Keras Code")[0]?.severity, "critical");
  });
  await t.step("a custom class is no warning: the graph stands for it", () => {
    const json = JSON.stringify({ class_name: "Custom>MyLayer", config: {} });
    assert.equal(verdict(look(kerasMetadata(json), "keras_metadata.pb").checks), "OK");
  });
  await t.step("metadata that is no JSON is inconclusive", () => {
    assert.equal(verdict(look(kerasMetadata("{,"), "keras_metadata.pb").checks), "I");
  });
});

Deno.test("C 16 what can't be read to its end is inconclusive, and what was found stays", async (t) => {
  const incomplete = (content: Uint8Array, name?: string) =>
    look(content, name).checks.flatMap((check) => check.incomplete ?? []);
  await t.step("a model that is cut off", () => {
    assert.deepEqual(incomplete(BENIGN.subarray(0, -5)), ["malformed_protobuf"]);
    assert.equal(verdict(look(BENIGN.subarray(0, -5)).checks), "I");
    const bad = savedModel([...nodes("PyFunc"), ...HONEST]);
    assert.equal(verdict(look(bad.subarray(0, -5)).checks), "C");
  });
  await t.step("no model", () => {
    assert.deepEqual(incomplete(int(1, 1)), ["no_tensorflow_graph"]);
    assert.deepEqual(
      incomplete(message("\xff\xff"), "keras_metadata.pb"),
      ["malformed_protobuf", "no_tensorflow_graph"],
    );
  });
  await t.step("the text format, in which operations are searched for", () => {
    const text = message('meta_graphs { graph_def { node { name: "a" op: "Relu" } } }');
    assert.deepEqual(incomplete(text, "saved_model.pbtxt"), ["protobuf_text_format"]);
    assert.equal(verdict(look(text, "saved_model.pbtxt").checks), "I");
    const bad = message("node { op : 'PyFunc' }");
    assert.equal(verdict(look(bad, "saved_model.pbtxt").checks), "C");
  });
  await t.step("functions that are named deeper than readers go", () => {
    let nested: Uint8Array = called("PyFunc");
    for (let depth = 0; depth < 60; depth++) {
      nested = called("f", bytes(2, bytes(1, "g"), bytes(2, nested)));
    }
    const content = savedModel([bytes(1, node("Map", attribute("f", nested)))]);
    assert.deepEqual(incomplete(content), ["protobuf_depth_limit"]);
  });
});

Deno.test("C 16 a model of TensorFlow is claimed by its name, or by its structure", async (t) => {
  const claims = (content: Uint8Array, name = "data") =>
    savedModelScanner.matches({ source: memorySource(content), name, depth: 0 });
  const table: [string, Uint8Array, string, boolean][] = [
    ["a SavedModel under any name", BENIGN, "x.bin", true],
    ["a SavedModel of functions only", savedModel([library(node("Relu"))]), "x", true],
    ["a SavedModel after other fields", message(...Array(2000).fill(int(9, 1)), BENIGN), "x", true],
    ["a MetaGraph under any name", metaGraph(HONEST), "x", true],
    ["a MetaGraph that is cut off", metaGraph(HONEST).subarray(0, -3), "x.meta", true],
    ["metadata of Keras", kerasMetadata("{}"), "x", true],
    ["a frozen graph", message(...HONEST), "frozen.pb", true],
    ["anything by its name", Uint8Array.of(1), "variables/saved_model.pb", true],
    ["the text format", Uint8Array.of(1), "saved_model.pbtxt", true],
    ["nothing", new Uint8Array(), "saved_model.pb", false],
    ["two texts in a message", message(...HONEST), "x.bin", false],
    ["a SavedModel that is cut off", BENIGN.subarray(0, -3), "x", false],
    ["another file by that suffix", message("{}"), "x.meta", false],
    [
      "a model of ONNX",
      message(int(1, 8), bytes(2, "pytorch"), bytes(7, nodes("Add")[0] ?? "")),
      "x",
      false,
    ],
    ["zeros", new Uint8Array(1000), "x.pb", false],
    ["a number for a graph", message(int(1, 1), int(2, 1), varint(1)), "x.pb", false],
  ];
  for (const [name, content, file, wanted] of table) {
    await t.step(name, () => assert.equal(claims(content, file), wanted));
  }
});

Deno.test("C 16 the scanner of SavedModel survives any bytes", () => {
  const bad = savedModel(
    [library(node("PyFunc", attribute("f", called("g"))))],
    bytes(6, bytes(2, "../x")),
  );
  survives(savedModelScanner, [BENIGN, bad], { name: "saved_model.pb" });
  survives(savedModelScanner, [kerasMetadata(metadataOf(HARMFUL_CODE))], {
    name: "keras_metadata.pb",
  });
});
