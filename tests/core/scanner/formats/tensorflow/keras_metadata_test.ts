import * as assert from "node:assert/strict";
import { verdict } from "../../verdict.ts";
import { bytes } from "../../readers/protobuf/protobuf_bytes.ts";
import { failures } from "../format_scan.ts";
import { HARMFUL_CODE } from "../marshalled_code.ts";
import {
  kerasMetadata,
  metadataOf,
  savedModel,
  scanModel,
  USUAL_NODES,
} from "./tensorflow_bytes.ts";

Deno.test("C 16 Keras metadata is checked like Keras configurations", async (t) => {
  await t.step("keras_metadata.pb", () => {
    const harmless = scanModel(kerasMetadata(metadataOf("lambda x: x + 1")), "keras_metadata.pb");
    assert.equal(verdict(harmless.checks), "W");
    assert.equal(harmless.metadata.model_class, "Sequential");
    const content = kerasMetadata("{}", metadataOf(HARMFUL_CODE));
    assert.equal(verdict(scanModel(content, "keras_metadata.pb").checks), "C");
  });
  await t.step("in the objects of a SavedModel", () => {
    const objects = bytes(7, bytes(1, bytes(4, bytes(1, "x"), bytes(3, metadataOf(HARMFUL_CODE)))));
    const { checks } = scanModel(savedModel(USUAL_NODES, objects));
    assert.equal(failures(checks, "Keras Code")[0]?.severity, "critical");
  });
  await t.step("a custom class is not a warning, because the model contains its graph", () => {
    const json = JSON.stringify({ class_name: "Custom>MyLayer", config: {} });
    assert.equal(verdict(scanModel(kerasMetadata(json), "keras_metadata.pb").checks), "OK");
  });
  await t.step("metadata that is not JSON is inconclusive", () => {
    assert.equal(verdict(scanModel(kerasMetadata("{,"), "keras_metadata.pb").checks), "I");
  });
});
