import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { parseLenientJson } from "../../../../../core/scanner/readers/json/parse_lenient_json.ts";
import { kerasScanner } from "../../../../../core/scanner/formats/keras/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { failures, scan, survives } from "../graph_scan.ts";
import { verdict } from "../../verdict.ts";
import { HARMFUL_CODE, HARMLESS_CODE } from "../marshalled_code.ts";

type Json = Readonly<Record<string, unknown>>;

function text(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
}

function look(value: unknown) {
  return scan(kerasScanner, text(value), { name: "config.json", depth: 1 });
}

function object(class_name: string, config: unknown, rest: Json = {}): Json {
  return { module: "keras.layers", class_name, config, registered_name: null, ...rest };
}

function model(...layers: unknown[]): Json {
  return object("Functional", { name: "model", layers, input_layers: [["input", 0, 0]] }, {
    module: "keras.src.models.functional",
    registered_name: "Functional",
    build_config: { input_shape: [null, 4] },
    compile_config: {
      optimizer: object("Adam", { learning_rate: 0.001 }, { module: "keras.optimizers" }),
      loss: object("function", "mse", { module: "builtins", registered_name: "function" }),
      metrics: ["accuracy"],
    },
  });
}

const DENSE = object("Dense", {
  name: "dense",
  dtype: object("DTypePolicy", { name: "float32" }, { module: "keras" }),
  kernel_initializer: object("GlorotUniform", { seed: null }, { module: "keras.initializers" }),
  activation: "relu",
});

function lambda(code: string): Json {
  return object("__lambda__", { code, defaults: null, closure: null }, { module: "builtins" });
}

const lambdaLayer = (code: string) => object("Lambda", { name: "l", function: lambda(code) });
/** As Keras 2 writes it. */
const oldLambdaLayer = (code: string) => ({
  class_name: "Lambda",
  config: { name: "l", function: [code, null, null], function_type: "lambda", module: "__main__" },
});

Deno.test("C 16 a benign configuration of Keras has passed checks only", () => {
  const lookup = object("StringLookup", { vocabulary: ["os", "eval", "https://example.org"] });
  const op = { class_name: "TFOpLambda", config: { name: "tf.math.add", function: "math.add" } };
  const { checks, notes } = look(model(DENSE, DENSE, lookup, op));
  assert.deepEqual(checks.map(({ status, name }) => `${status} ${name}`), [
    "passed Keras Configuration",
    "passed Keras Code",
    "passed Keras Module Reference",
    "passed Keras Custom Object",
    "passed Keras Unsafe Deserialization",
    "passed Keras File Access",
  ]);
  assert.equal(notes.model_class, "Functional");
  assert.deepEqual(notes.layer_counts, { Dense: 2, StringLookup: 1, TFOpLambda: 1 });
  assert.equal(notes.is_model, true);
});

Deno.test("C 16 the version in metadata.json is noted", () => {
  const { checks, notes } = look({ keras_version: "3.5.0", date_saved: "2025-01-01@00:00:00" });
  assert.equal(verdict(checks), "OK");
  assert.deepEqual(notes, { keras_version: "3.5.0" });
});

Deno.test("evasion 58 a lambda is found wherever it is, and its code looked into", async (t) => {
  const places: [string, (code: string) => unknown][] = [
    ["a layer", (code) => model(lambdaLayer(code))],
    ["a layer of Keras 2", (code) => model(oldLambdaLayer(code))],
    ["a nested model", (code) => model(model(DENSE, model(lambdaLayer(code))))],
    [
      "the layer in a wrapper",
      (code) => model(object("TimeDistributed", { layer: lambdaLayer(code) })),
    ],
    ["compile_config", (code) => ({ ...model(DENSE), compile_config: { loss: lambda(code) } })],
    ["build_config", (code) => ({ ...model(DENSE), build_config: { shapes: [[lambda(code)]] } })],
    ["an initializer", (code) => model(object("Dense", { kernel_initializer: lambda(code) }))],
    [
      "the shape of the output",
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
  for (const [name, place] of places) {
    await t.step(name, () => {
      assert.equal(verdict(look(place(HARMFUL_CODE)).checks), "C");
      assert.equal(verdict(look(place(HARMLESS_CODE)).checks), "W");
    });
  }
  await t.step("what is named is told", () => {
    const [failure] = failures(look(model(oldLambdaLayer(HARMFUL_CODE))).checks, "Keras Code");
    assert.equal(failure?.ruleCode, "S1103");
    assert.deepEqual(failure.details, { names: ["__import__", "os", "system"] });
  });
  await t.step("characters that Python passes over hide nothing", () => {
    const hidden = `!!${HARMFUL_CODE.slice(0, 90)}\n*-_${HARMFUL_CODE.slice(90)}`;
    assert.equal(verdict(look(model(lambdaLayer(hidden))).checks), "C");
  });
  await t.step("source code is looked into as it is", () => {
    assert.equal(verdict(look(model(lambdaLayer("lambda x: exec('y')"))).checks), "C");
    assert.equal(verdict(look(model(lambdaLayer("lambda x: x + 1"))).checks), "W");
  });
  await t.step("the name of a function calls nothing by itself", () => {
    const named = object("function", "relu", { module: "builtins" });
    assert.equal(verdict(look(model(object("Lambda", { function: named }))).checks), "W");
  });
});

Deno.test("C 16 versions of Keras that run a lambda unasked make it critical", async (t) => {
  const table: [string, string][] = [
    ["2.12.0", "C"],
    ["2.4.0-tf", "C"],
    ["2.13.1", "W"],
    ["3.5.0", "W"],
    ["unknown", "W"],
  ];
  for (const [keras_version, wanted] of table) {
    await t.step(keras_version, () => {
      const content = { ...model(oldLambdaLayer(HARMLESS_CODE)), keras_version };
      assert.equal(verdict(look(content).checks), wanted);
    });
  }
});

Deno.test("evasion 59 unsafe deserialization is found in the raw text", async (t) => {
  const unsafe = object("function", "enable_unsafe_deserialization", { module: "keras.config" });
  const whole = JSON.stringify(model(unsafe));
  const table: [string, string, "Keras Configuration" | undefined][] = [
    ["in JSON", whole, undefined],
    ["with a comma too many", `${whole.slice(0, -1)},}`, "Keras Configuration"],
    ["in a text that is cut off", whole.slice(0, -3), "Keras Configuration"],
    ["with escapes", whole.replace("enable_", "\\u0065nable\\u005F"), undefined],
    [
      "with escapes in what is no JSON",
      `${whole.replace("_unsafe", "\\u005funsafe")},`,
      "Keras Configuration",
    ],
  ];
  for (const [name, content, inconclusive] of table) {
    await t.step(name, () => {
      const { checks } = look(content);
      assert.equal(failures(checks, "Keras Unsafe Deserialization")[0]?.severity, "critical");
      assert.equal(checks.find(({ incomplete }) => incomplete)?.name, inconclusive);
      const source = memorySource(text(content));
      assert.equal(kerasScanner.matches({ source, name: "config.json", depth: 1 }), true);
    });
  }
});

Deno.test("C 16 a module that does more than compute is critical (CVE-2025-1550)", async (t) => {
  const call = (module: unknown, name: string, rest: Json = {}) =>
    object("function", name, { module, ...rest });
  const table: [string, Json, "C" | "W" | "OK"][] = [
    ["os.system", call("os", "system"), "C"],
    ["a module within one", call("os.path", "join"), "C"],
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
    ["a function that is only named", call("builtins", "mse"), "OK"],
    ["a layer of TensorFlow", object("Dense", {}, { module: "tensorflow.keras.layers" }), "OK"],
    ["no module", object("Dense", {}, { module: null }), "OK"],
    ["a module that is no text", object("Dense", {}, { module: ["os"] }), "OK"],
    ["a key of another object", { module: "os", name: "x" }, "OK"],
  ];
  for (const [name, reference, wanted] of table) {
    await t.step(name, () => {
      const { checks } = look(model(object("Activation", { activation: reference })));
      assert.equal(verdict(checks), wanted);
      assert.equal(failures(checks, "Keras Module Reference").length, wanted === "OK" ? 0 : 1);
    });
  }
  await t.step("the rule is that of the module", () => {
    const rule = (module: string) =>
      failures(look(model(call(module, "x"))).checks, "Keras Module Reference")[0]?.ruleCode;
    assert.deepEqual(["os", "subprocess", "foreign"].map(rule), ["S101", "S103", "S810"]);
  });
});

Deno.test("C 16 functions of known packages that touch files are told", () => {
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
    const [failure] = failures(look(model(layer)).checks, "Keras Module Reference");
    assert.equal(failure?.severity, "critical", name);
  }
});

Deno.test("C 16 files that are fetched or read on loading are told", async (t) => {
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
  for (const [name, layer, wanted] of table) {
    await t.step(name, () => {
      const { checks } = look(JSON.stringify(model(layer)).replaceAll("\\\\/", "\\/"));
      const [failure] = failures(checks, "Keras File Access");
      const severity = { C: "critical", W: "warning" }[wanted];
      assert.equal(failure?.severity, severity);
    });
  }
});

Deno.test("C 16 classes that hold or call code are told", async (t) => {
  const table: [string, Json, string][] = [
    ["PyFunc", object("PyFunc", {}), "C"],
    ["LambdaCallback", object("LambdaCallback", {}, { module: "keras.callbacks" }), "W"],
    ["TFOpLambda of files", object("TFOpLambda", { function: "io.write_file" }), "C"],
    ["TFOpLambda of Python", object("TFOpLambda", { function: "raw_ops.PyFunc" }), "C"],
    ["TFOpLambda of models", object("TFOpLambda", { function: "saved_model.x" }), "C"],
    ["TFOpLambda", object("TFOpLambda", { function: "nn.relu" }), "OK"],
  ];
  for (const [name, layer, wanted] of table) {
    await t.step(name, () => assert.equal(verdict(look(model(layer)).checks), wanted));
  }
});

Deno.test("C 16 a TorchModuleWrapper is critical, and its pickle is scanned (CVE-2025-49655)", () => {
  const module = Buffer.from("a pickle").toString("base64");
  const wrapper = object("TorchModuleWrapper", { module });
  const { checks, members } = look(model(wrapper));
  assert.equal(verdict(checks), "C");
  assert.deepEqual(members.map(({ name, source }) => [name, source.size]), [[
    "TorchModuleWrapper",
    8,
  ]]);
  assert.equal(verdict(look({ ...model(wrapper), keras_version: "3.11.2" }).checks), "C");
  assert.equal(verdict(look({ ...model(wrapper), keras_version: "3.11.3" }).checks), "W");
});

Deno.test("C 16 objects that others have registered are a warning", () => {
  const custom = object("MyLayer", {}, { module: null, registered_name: "Custom>MyLayer" });
  const failed = failures(look(model(custom)).checks, "Keras Custom Object");
  assert.deepEqual(failed.map(({ severity }) => severity), ["warning"]);
  const nlp = object("TokenEmbedding", {}, { registered_name: "keras_nlp>TokenEmbedding" });
  assert.equal(verdict(look(model(nlp)).checks), "OK");
});

Deno.test("C 16 JSON is read in each encoding that Python reads it in", async (t) => {
  const content = JSON.stringify(model(lambdaLayer(HARMFUL_CODE)));
  const utf16 = Buffer.from(content, "utf16le");
  const utf32 = Buffer.alloc(content.length * 4);
  [...content].forEach((letter, index) => utf32.writeUInt32LE(letter.charCodeAt(0), index * 4));
  const mark = (hex: string, bytes: Uint8Array) => Buffer.concat([Buffer.from(hex, "hex"), bytes]);
  const encodings: [string, Uint8Array][] = [
    ["UTF-8 with a mark", mark("efbbbf", Buffer.from(content))],
    ["UTF-16 LE", utf16],
    ["UTF-16 LE with a mark", mark("fffe", utf16)],
    ["UTF-16 BE", Buffer.from(utf16).swap16()],
    ["UTF-16 BE with a mark", mark("feff", Buffer.from(utf16).swap16())],
    ["UTF-32 LE", utf32],
    ["UTF-32 LE with a mark", mark("fffe0000", utf32)],
    ["UTF-32 BE", Buffer.from(utf32).swap32()],
    ["UTF-32 BE with a mark", mark("0000feff", Buffer.from(utf32).swap32())],
  ];
  for (const [name, bytes] of encodings) {
    await t.step(name, () => {
      const source = memorySource(new Uint8Array(bytes));
      assert.equal(kerasScanner.matches({ source, name: "x", depth: 0 }), true);
      assert.equal(verdict(scan(kerasScanner, source).checks), "C");
    });
  }
});

Deno.test("C 16 what only Python takes for JSON is read, and what nobody does is searched", async (t) => {
  await t.step("NaN and Infinity, but not in texts", () => {
    const parsed = parseLenientJson('{"a": [NaN, -Infinity, Infinity], "b \\" NaN": "c NaN \\\\"}');
    assert.deepEqual(parsed, { value: { a: [null, null, null], 'b " NaN': "c NaN \\" } });
    const content = JSON.stringify(model(lambdaLayer(HARMFUL_CODE))).replace("0.001", "NaN");
    assert.equal(verdict(look(content).checks), "C");
  });
  await t.step("a text that is cut off", () => {
    assert.equal(verdict(look(JSON.stringify(model(DENSE)).slice(0, -1)).checks), "I");
  });
  await t.step("a lambda in it", () => {
    assert.equal(verdict(look(JSON.stringify(model(lambdaLayer("x"))) + ",").checks), "W");
  });
  await t.step("a module in it", () => {
    const call = object("function", "system", { module: "os" });
    assert.equal(verdict(look(JSON.stringify(model(call)) + ",").checks), "C");
  });
  await t.step("of objects with the same key the last one counts", () => {
    const double = '{"class_name":"Lambda","class_name":"Dense","config":{}}';
    assert.equal(verdict(look(double).checks), "OK");
  });
});

Deno.test("C 16 what would take too much memory is not read, and said", () => {
  const { checks } = look(`{"class_name": [${"[],".repeat(2_000_001)}[]]}`);
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

Deno.test("C 16 lambdas in each other, and code behind much else, take bounded work", async (t) => {
  await t.step("lambdas in each other", () => {
    const levels = 20_000;
    const before = '{"class_name":"Lambda","config":{"function":'.repeat(levels);
    const content = `${before}"${"x+".repeat(200_000)}"${"}}".repeat(levels)}`;
    assert.equal(verdict(look(content).checks), "C");
  });
  await t.step("code behind other values is critical, whatever it is", () => {
    const hidden = { class_name: "__tuple__", items: [[...Array(1000).fill("x")], "y"] };
    const [failure] = failures(
      look(model(object("Lambda", { function: hidden }))).checks,
      "Keras Code",
    );
    assert.equal(failure?.severity, "critical");
    assert.equal(failure.incomplete, "code_limit");
  });
  await t.step("code that is too long", () => {
    const { checks } = look(model(lambdaLayer("x+".repeat(2 ** 20 + 1))));
    assert.equal(verdict(checks), "C");
  });
  await t.step("code before other values is looked into", () => {
    const first = [HARMFUL_CODE, ...Array(1000).fill("x")];
    const { checks } = look(model(object("Lambda", { function: first })));
    assert.match(failures(checks, "Keras Code")[0]?.message ?? "", /system/);
  });
});

Deno.test("C 16 nesting of any depth is survived", () => {
  const depth = 500_000;
  const content = `{"class_name":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  assert.doesNotThrow(() => look(content));
});

Deno.test("C 16 a configuration of Keras is claimed by its content", async (t) => {
  const claims = (content: Uint8Array) =>
    kerasScanner.matches({ source: memorySource(content), name: "x", depth: 0 });
  const claimed: [string, Uint8Array][] = [
    ["a model", text(model(DENSE))],
    ["metadata.json", text({ keras_version: "3.0" })],
    ["much space before", text(" ".repeat(3_000_000) + JSON.stringify(model(DENSE)))],
    ["another key before", text({ long: "x".repeat(3_000_000), ...model(DENSE) })],
    ["a key with escapes", text('{"class\\u005fname": "Lambda", "config": {}}')],
    ["on a border", text(`{"x":"${"y".repeat(2 ** 20 - 12)}","class_name":1}`)],
  ];
  for (const [name, content] of claimed) {
    await t.step(name, () => assert.equal(claims(content), true));
  }
  const others: [string, Uint8Array][] = [
    ["nothing", new Uint8Array()],
    ["another configuration", text({ architectures: ["LlamaForCausalLM"] })],
    ["text", text('a "class_name": "Lambda"')],
    ["zeros", new Uint8Array(5000)],
    ["a pickle", Uint8Array.of(0x80, 4, 0x7d, 0x2e)],
  ];
  for (const [name, content] of others) {
    await t.step(`not ${name}`, () => assert.equal(claims(content), false));
  }
});

Deno.test("C 16 the scanner of Keras survives any bytes", () => {
  const bad = object("function", "system", { module: "os" });
  survives(kerasScanner, [
    text(model(DENSE, lambdaLayer(HARMFUL_CODE), bad)),
    text(model(oldLambdaLayer(HARMLESS_CODE))),
  ], { name: "config.json" });
});
