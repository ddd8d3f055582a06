import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { verdict } from "../../verdict.ts";
import { failures } from "../format_scan.ts";
import { type Json, model, object, scanConfig } from "./keras_configs.ts";

Deno.test("C 16 a module that does more than compute is critical (CVE-2025-1550)", async (t) => {
  const call = (module: unknown, name: string, rest: Json = {}) =>
    object("function", name, { module, ...rest });
  const table: [string, Json, "C" | "W" | "OK"][] = [
    ["os.system", call("os", "system"), "C"],
    ["a submodule", call("os.path", "join"), "C"],
    ["a class", object("Popen", {}, { module: "subprocess" }), "C"],
    ["eval of builtins", call("builtins", "eval"), "C"],
    ["fn_module", { fn_module: "importlib", fn_name: "import_module" }, "C"],
    ["a registered name without a class", { module: "posix", registered_name: "x" }, "C"],
    ["load_model of Keras", call("keras.models", "load_model"), "C"],
    ["a loader of libraries", call("tensorflow", "load_op_library"), "C"],
    ["f2py", call("numpy.f2py.diagnose", "run"), "C"],
    ["numpy.load", call("numpy", "load"), "C"],
    ["a foreign module", object("MyLayer", {}, { module: "my_package.layers" }), "W"],
    ["the script that saved it", object("MyLayer", {}, { module: "__main__" }), "W"],
    ["a function of Keras", call("keras.activations", "relu"), "OK"],
    ["a builtin name without a call", call("builtins", "mse"), "OK"],
    ["a layer of TensorFlow", object("Dense", {}, { module: "tensorflow.keras.layers" }), "OK"],
    ["no module", object("Dense", {}, { module: null }), "OK"],
    ["a module that is not a string", object("Dense", {}, { module: ["os"] }), "OK"],
    ["a key of another object", { module: "os", name: "x" }, "OK"],
  ];
  for (const [name, reference, expected] of table) {
    await t.step(name, () => {
      const { checks } = scanConfig(model(object("Activation", { activation: reference })));
      assert.equal(verdict(checks), expected);
      assert.equal(failures(checks, "Keras Module Reference").length, expected === "OK" ? 0 : 1);
    });
  }
  await t.step("the module decides the rule", () => {
    const rule = (module: string) =>
      failures(scanConfig(model(call(module, "x"))).checks, "Keras Module Reference")[0]?.ruleCode;
    assert.deepEqual(["os", "subprocess", "foreign"].map(rule), ["S101", "S103", "S810"]);
  });
});

Deno.test("C 16 functions of known packages that access files are critical", () => {
  for (
    const [module, name] of [
      ["tensorflow.python.lib.io.file_io", "rename_v2"],
      ["keras.src.utils.file_utils", "x"],
      ["keras.src.saving.saving_lib", "x"],
      ["numpy.lib._datasource", "exists"],
      ["keras.utils", "save_img"],
    ] as const
  ) {
    const layer = object("Activation", { activation: object("function", name, { module }) });
    const [failure] = failures(scanConfig(model(layer)).checks, "Keras Module Reference");
    assert.equal(failure?.severity, "critical", name);
  }
});

Deno.test("C 16 files that loading downloads or reads are reported", async (t) => {
  const fetch = object("function", "get_file", { module: "keras.utils" });
  const origin = { arguments: { origin: "https://example.org/x.tar" } };
  const lookup = (vocabulary: unknown) => object("StringLookup", { vocabulary });
  const table: [string, Json, string][] = [
    ["get_file with a URL (CVE-2025-8747)", object("Lambda", { function: fetch, ...origin }), "C"],
    ["an escaped URL", object("X", { a: fetch, b: "HTTPS:\\/\\/example.org" }), "C"],
    ["get_file without a URL", object("Activation", { activation: fetch }), "W"],
    ["a vocabulary from a URL (CVE-2025-12058)", lookup("http://example.org/v"), "C"],
    ["a vocabulary from a file", lookup("/etc/passwd"), "W"],
    ["a vocabulary", lookup(["a"]), "OK"],
    ["a SavedModel elsewhere", object("TFSMLayer", { filepath: "/tmp/x" }), "C"],
    ["a SavedModel", object("TFSMLayer", { filepath: "x" }), "W"],
  ];
  for (const [name, layer, expected] of table) {
    await t.step(name, () => {
      const { checks } = scanConfig(JSON.stringify(model(layer)).replaceAll("\\\\/", "\\/"));
      const [failure] = failures(checks, "Keras File Access");
      const severity = { C: "critical", W: "warning" }[expected];
      assert.equal(failure?.severity, severity);
    });
  }
});

Deno.test("C 16 classes that contain or call code are reported", async (t) => {
  const table: [string, Json, string][] = [
    ["PyFunc", object("PyFunc", {}), "C"],
    ["LambdaCallback", object("LambdaCallback", {}, { module: "keras.callbacks" }), "W"],
    ["TFOpLambda of files", object("TFOpLambda", { function: "io.write_file" }), "C"],
    ["TFOpLambda of Python", object("TFOpLambda", { function: "raw_ops.PyFunc" }), "C"],
    ["TFOpLambda of models", object("TFOpLambda", { function: "saved_model.x" }), "C"],
    ["TFOpLambda", object("TFOpLambda", { function: "nn.relu" }), "OK"],
  ];
  for (const [name, layer, expected] of table) {
    await t.step(name, () => assert.equal(verdict(scanConfig(model(layer)).checks), expected));
  }
});

Deno.test("C 16 a TorchModuleWrapper is critical and its pickle is scanned (CVE-2025-49655)", () => {
  const module = Buffer.from("a pickle").toString("base64");
  const wrapper = object("TorchModuleWrapper", { module });
  const { checks, members } = scanConfig(model(wrapper));
  assert.equal(verdict(checks), "C");
  assert.deepEqual(members.map(({ name, source }) => [name, source.size]), [[
    "TorchModuleWrapper",
    8,
  ]]);
  assert.equal(verdict(scanConfig({ ...model(wrapper), keras_version: "3.11.2" }).checks), "C");
  assert.equal(verdict(scanConfig({ ...model(wrapper), keras_version: "3.11.3" }).checks), "W");
});

Deno.test("C 16 custom registered objects are a warning", () => {
  const custom = object("MyLayer", {}, { module: null, registered_name: "Custom>MyLayer" });
  const failed = failures(scanConfig(model(custom)).checks, "Keras Custom Object");
  assert.deepEqual(failed.map(({ severity }) => severity), ["warning"]);
  const nlp = object("TokenEmbedding", {}, { registered_name: "keras_nlp>TokenEmbedding" });
  assert.equal(verdict(scanConfig(model(nlp)).checks), "OK");
});
