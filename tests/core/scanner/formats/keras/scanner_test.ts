import * as assert from "node:assert/strict";
import { kerasScanner } from "../../../../../core/scanner/formats/keras/scanner.ts";
import { verdict } from "../../verdict.ts";
import { assertNeverThrows, failures, scan } from "../format_scan.ts";
import { HARMFUL_CODE, HARMLESS_CODE } from "../marshalled_code.ts";
import {
  DENSE,
  lambdaLayer,
  model,
  object,
  oldLambdaLayer,
  scanConfig,
  text,
} from "./keras_configs.ts";

Deno.test("C 16 a benign Keras configuration passes every check", () => {
  const lookup = object("StringLookup", { vocabulary: ["os", "eval", "https://example.org"] });
  const op = { class_name: "TFOpLambda", config: { name: "tf.math.add", function: "math.add" } };
  const { checks, metadata } = scanConfig(model(DENSE, DENSE, lookup, op));
  assert.deepEqual(checks.map(({ status, name }) => `${status} ${name}`), [
    "passed Keras Configuration",
    "passed Keras Code",
    "passed Keras Module Reference",
    "passed Keras Custom Object",
    "passed Keras Unsafe Deserialization",
    "passed Keras File Access",
  ]);
  assert.equal(metadata.model_class, "Functional");
  assert.deepEqual(metadata.layer_counts, { Dense: 2, StringLookup: 1, TFOpLambda: 1 });
  assert.equal(metadata.is_model, true);
});

Deno.test("C 16 a configuration that exceeds a memory limit is reported as not read", () => {
  const { checks } = scanConfig(`{"class_name": [${"[],".repeat(2_000_001)}[]]}`);
  assert.equal(verdict(checks), "I");
  const [failure] = failures(checks, "Keras Configuration");
  assert.equal(failure?.incomplete, "json_value_limit");
  assert.equal(failure.operational, true);

  const size = 2 ** 27;
  const long = {
    size,
    read: (offset: number, length: number) => {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset))).fill(0x20);
      if (offset === 0) bytes.set(text('{"class_name": 1').subarray(0, bytes.length));
      return bytes;
    },
  };
  const [limit] = failures(scan(kerasScanner, long).checks, "Keras Configuration");
  assert.equal(limit?.incomplete, "json_size_limit");
});

Deno.test("C 16 mutations of Keras configurations throw nothing", () => {
  const bad = object("function", "system", { module: "os" });
  assertNeverThrows(kerasScanner, [
    text(model(DENSE, lambdaLayer(HARMFUL_CODE), bad)),
    text(model(oldLambdaLayer(HARMLESS_CODE))),
  ], { name: "config.json" });
});
