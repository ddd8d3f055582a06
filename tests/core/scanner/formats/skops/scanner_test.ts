import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { skopsScanner } from "../../../../../core/scanner/formats/skops/scanner.ts";
import { verdict } from "../../verdict.ts";
import { assertNeverThrows, failures, scan } from "../format_scan.ts";

const node = (loader: string, path: string, more: Readonly<Record<string, unknown>> = {}) => ({
  __loader__: loader,
  __module__: path.slice(0, path.lastIndexOf(".")),
  __class__: path.slice(path.lastIndexOf(".") + 1),
  ...more,
});

const json = (content: unknown) =>
  node("JsonNode", "builtins.str", { content: JSON.stringify(content) });
const bytesOf = (schema: unknown) => new TextEncoder().encode(JSON.stringify(schema));
const schemaOf = (inner: unknown) =>
  bytesOf(node("ObjectNode", "sklearn.pipeline.Pipeline", {
    content: node("DictNode", "builtins.dict", { content: { steps: [inner] } }),
  }));

const method = (path: string, func: string, owner = path) =>
  node("MethodNode", path, { content: { func, obj: node("ObjectNode", owner) } });

const TABLE: readonly (readonly [string, unknown, ReturnType<typeof verdict>])[] = [
  ["an estimator", node("ObjectNode", "sklearn.linear_model.LogisticRegression"), "OK"],
  ["a function of NumPy", node("FunctionNode", "numpy.log1p"), "OK"],
  ["a function of SciPy", node("FunctionNode", "scipy.special.expit"), "OK"],
  ["a type", node("TypeNode", "builtins.int"), "OK"],
  [
    "an attribute getter",
    node("OperatorFuncNode", "operator.attrgetter", { attrs: json(["a.b"]) }),
    "OK",
  ],
  ["a bound method", method("sklearn.svm.SVC", "predict"), "OK"],
  ["a function that runs commands", node("FunctionNode", "os.system"), "C"],
  ["an object of a dangerous type", node("ObjectNode", "subprocess.Popen"), "C"],
  ["a constructor", node("ConstructorFromReduceNode", "subprocess.Popen"), "C"],
  ["a dangerous function of NumPy", node("FunctionNode", "numpy.load"), "C"],
  ["an unknown type", node("ObjectNode", "mypackage.Thing"), "W"],
  ["an operator of another module", node("OperatorFuncNode", "builtins.call"), "C"],
  ["another function of operator", node("OperatorFuncNode", "operator.call"), "C"],
  [
    "an attribute getter with a dunder",
    node("OperatorFuncNode", "operator.attrgetter", { attrs: json("a.__globals__") }),
    "C",
  ],
  [
    "a method caller",
    node("OperatorFuncNode", "operator.methodcaller", { attrs: json("fit") }),
    "W",
  ],
  ["a method of another type", method("builtins.int", "system", "os.path"), "C"],
  ["a method that is a dunder", method("sklearn.svm.SVC", "__reduce__"), "C"],
];

Deno.test("evasion 76: the types in a skops schema are judged like imports", async (t) => {
  for (const [title, inner, expected] of TABLE) {
    await t.step(title, () => {
      const { checks } = scan(skopsScanner, schemaOf(inner));
      assert.equal(verdict(checks), expected, JSON.stringify(failures(checks)));
    });
  }
});

Deno.test("C 16 a schema that is not JSON is inconclusive", () => {
  const { checks } = scan(skopsScanner, new TextEncoder().encode('{"__loader__": '));
  assert.equal(verdict(checks), "I");
});

Deno.test("only schemas of skops are read", () => {
  const matches = (name: string, text: string) =>
    skopsScanner.matches({ name, depth: 1, source: memorySource(new TextEncoder().encode(text)) });
  assert.ok(matches("schema.json", '{"__loader__": "X"}'));
  assert.ok(!matches("schema.json", '{"type": "object"}'));
  assert.ok(!matches("config.json", '{"__loader__": "X"}'));
});

Deno.test("C 16 no mutation of a schema makes the scanner throw", () => {
  const contents = [schemaOf(method("a.B", "c")), schemaOf(node("FunctionNode", "os.system"))];
  assertNeverThrows(skopsScanner, contents, { mutations: 300, name: "schema.json" });
});
