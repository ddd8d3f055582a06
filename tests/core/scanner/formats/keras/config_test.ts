import * as assert from "node:assert/strict";
import { parseLenientJson } from "../../../../../core/scanner/readers/json/parse_lenient_json.ts";
import { verdict } from "../../verdict.ts";
import { HARMFUL_CODE } from "../marshalled_code.ts";
import { DENSE, lambdaLayer, model, object, scanConfig } from "./keras_configs.ts";

Deno.test("C 16 the version in metadata.json is reported", () => {
  const { checks, metadata } = scanConfig({
    keras_version: "3.5.0",
    date_saved: "2025-01-01@00:00:00",
  });
  assert.equal(verdict(checks), "OK");
  assert.deepEqual(metadata, { keras_version: "3.5.0" });
});

Deno.test("C 16 JSON that only Python accepts is parsed, and invalid JSON is searched", async (t) => {
  await t.step("NaN and Infinity outside of strings", () => {
    const parsed = parseLenientJson('{"a": [NaN, -Infinity, Infinity], "b \\" NaN": "c NaN \\\\"}');
    assert.deepEqual(parsed, { value: { a: [null, null, null], 'b " NaN': "c NaN \\" } });
    const content = JSON.stringify(model(lambdaLayer(HARMFUL_CODE))).replace("0.001", "NaN");
    assert.equal(verdict(scanConfig(content).checks), "C");
  });
  await t.step("truncated JSON", () => {
    assert.equal(verdict(scanConfig(JSON.stringify(model(DENSE)).slice(0, -1)).checks), "I");
  });
  await t.step("a lambda in invalid JSON", () => {
    assert.equal(verdict(scanConfig(JSON.stringify(model(lambdaLayer("x"))) + ",").checks), "W");
  });
  await t.step("a module in invalid JSON", () => {
    const call = object("function", "system", { module: "os" });
    assert.equal(verdict(scanConfig(JSON.stringify(model(call)) + ",").checks), "C");
  });
  await t.step("the last of duplicate keys counts", () => {
    const double = '{"class_name":"Lambda","class_name":"Dense","config":{}}';
    assert.equal(verdict(scanConfig(double).checks), "OK");
  });
});

Deno.test("C 16 deep nesting throws nothing", () => {
  const depth = 500_000;
  const content = `{"class_name":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  assert.doesNotThrow(() => scanConfig(content));
});
