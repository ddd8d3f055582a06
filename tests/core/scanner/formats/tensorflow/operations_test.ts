import * as assert from "node:assert/strict";
import { verdict } from "../../verdict.ts";
import { bytes, message } from "../../readers/protobuf/protobuf_bytes.ts";
import {
  attribute,
  library,
  metaGraph,
  node,
  nodes,
  savedModel,
  scanModel,
} from "./tensorflow_bytes.ts";

Deno.test("C 16 operations are rated by what they access", async (t) => {
  const writes = (operation: string, name: string, text: string) =>
    savedModel([bytes(1, node(operation, attribute(name, bytes(2, text))))]);
  const table: [string, Uint8Array, string][] = [
    ...[
      "EagerPyFunc",
      "PyFuncStateless",
      "ReadFile",
      "WriteFile",
      "LoadLibrary",
      "DatasetToTFRecord",
    ].map((
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
  for (const [name, content, expected] of table) {
    await t.step(name, () => assert.equal(verdict(scanModel(content).checks), expected));
  }
});

Deno.test("C 16 training graphs can read training files", async (t) => {
  const training = nodes("TFRecordReaderV2", "SaveSlices", "QueueEnqueueV2", "SaveV2");
  await t.step("a MetaGraph", () => {
    assert.equal(verdict(scanModel(metaGraph(training), "model.ckpt-1.meta").checks), "OK");
  });
  await t.step("a frozen graph", () => {
    assert.equal(verdict(scanModel(message(...training), "frozen.pb").checks), "OK");
  });
  await t.step("but cannot run Python", () => {
    assert.equal(verdict(scanModel(metaGraph(nodes("PyFunc")), "model.meta").checks), "C");
    assert.equal(verdict(scanModel(message(...nodes("PyFunc")), "frozen.pb").checks), "C");
    assert.equal(verdict(scanModel(library(node("PyFunc")), "frozen.pb").checks), "C");
  });
});
