import * as assert from "node:assert/strict";
import { verdict } from "../../verdict.ts";
import { failures } from "../format_scan.ts";
import { HARMFUL_CODE, HARMLESS_CODE } from "../marshalled_code.ts";
import {
  DENSE,
  lambda,
  lambdaLayer,
  model,
  object,
  oldLambdaLayer,
  scanConfig,
} from "./keras_configs.ts";

Deno.test("evasion 58 a lambda is found in every part of a model, and its code is inspected", async (t) => {
  const parts: [string, (code: string) => unknown][] = [
    ["a layer", (code) => model(lambdaLayer(code))],
    ["a layer of Keras 2", (code) => model(oldLambdaLayer(code))],
    ["a nested model", (code) => model(model(DENSE, model(lambdaLayer(code))))],
    [
      "a wrapped layer",
      (code) => model(object("TimeDistributed", { layer: lambdaLayer(code) })),
    ],
    ["compile_config", (code) => ({ ...model(DENSE), compile_config: { loss: lambda(code) } })],
    ["build_config", (code) => ({ ...model(DENSE), build_config: { shapes: [[lambda(code)]] } })],
    ["an initializer", (code) => model(object("Dense", { kernel_initializer: lambda(code) }))],
    [
      "the output shape",
      (code) => model(object("Lambda", { function: "relu", output_shape: [code, null, null] })),
    ],
    [
      "a tuple",
      (code) =>
        model(object("Lambda", { function: { class_name: "__tuple__", items: [code, null] } })),
    ],
    [
      "a lambda of Keras 2.12",
      (code) => model(object("__lambda__", { value: [code, null, null] }, { module: "builtins" })),
    ],
    ["500 levels down", (code) => {
      let nested: unknown = lambdaLayer(code);
      for (let depth = 0; depth < 500; depth++) nested = [{ nested }];
      return model(nested);
    }],
  ];
  for (const [name, configure] of parts) {
    await t.step(name, () => {
      assert.equal(verdict(scanConfig(configure(HARMFUL_CODE)).checks), "C");
      assert.equal(verdict(scanConfig(configure(HARMLESS_CODE)).checks), "C");
      assert.equal(verdict(scanConfig(configure("lambda x: x + 1")).checks), "W");
    });
  }
  await t.step("dangerous names are reported", () => {
    const [failure] = failures(
      scanConfig(model(oldLambdaLayer(HARMFUL_CODE))).checks,
      "Keras Code",
    );
    assert.equal(failure?.ruleCode, "S1103");
    assert.deepEqual(failure.details, { names: ["__import__", "os", "system"] });
  });
  await t.step("characters that Python ignores hide nothing", () => {
    const hidden = `!!${HARMFUL_CODE.slice(0, 90)}\n*-_${HARMFUL_CODE.slice(90)}`;
    assert.equal(verdict(scanConfig(model(lambdaLayer(hidden))).checks), "C");
  });
  await t.step("source code is inspected without decoding", () => {
    assert.equal(verdict(scanConfig(model(lambdaLayer("lambda x: exec('y')"))).checks), "C");
    assert.equal(verdict(scanConfig(model(lambdaLayer("lambda x: x + 1"))).checks), "W");
  });
  await t.step("the bare name of a function is not critical", () => {
    const named = object("function", "relu", { module: "builtins" });
    assert.equal(verdict(scanConfig(model(object("Lambda", { function: named }))).checks), "W");
  });
});

Deno.test("C 16 Keras versions that run a lambda without consent make it critical", async (t) => {
  const table: [string, string][] = [
    ["2.12.0", "C"],
    ["2.4.0-tf", "C"],
    ["2.13.1", "W"],
    ["3.5.0", "W"],
    ["unknown", "W"],
  ];
  for (const [keras_version, expected] of table) {
    await t.step(keras_version, () => {
      const content = { ...model(oldLambdaLayer("lambda x: x + 1")), keras_version };
      assert.equal(verdict(scanConfig(content).checks), expected);
    });
  }
});

Deno.test("C 16 nested lambdas and padded code take bounded work", async (t) => {
  await t.step("nested lambdas", () => {
    const levels = 20_000;
    const before = '{"class_name":"Lambda","config":{"function":'.repeat(levels);
    const content = `${before}"${"x+".repeat(200_000)}"${"}}".repeat(levels)}`;
    assert.equal(verdict(scanConfig(content).checks), "C");
  });
  await t.step("any code after too many other values is critical", () => {
    const hidden = { class_name: "__tuple__", items: [[...Array(1000).fill("x")], "y"] };
    const [failure] = failures(
      scanConfig(model(object("Lambda", { function: hidden }))).checks,
      "Keras Code",
    );
    assert.equal(failure?.severity, "critical");
    assert.equal(failure.incomplete, "code_limit");
  });
  await t.step("code over the length limit", () => {
    const { checks } = scanConfig(model(lambdaLayer("x+".repeat(2 ** 20 + 1))));
    assert.equal(verdict(checks), "C");
  });
  await t.step("code before other values is inspected", () => {
    const first = [HARMFUL_CODE, ...Array(1000).fill("x")];
    const { checks } = scanConfig(model(object("Lambda", { function: first })));
    assert.match(failures(checks, "Keras Code")[0]?.message ?? "", /system/);
  });
});
