import * as assert from "node:assert/strict";
import { RULES } from "../../../../core/scanner/contract/rules.ts";
import { SCANNER_IDS } from "../../../../core/scanner/mod.ts";
import { adviceOf } from "../../../../core/scanner/report/advice.ts";
import { ROOT, strongroom } from "../../../support/child_server.ts";

const MODELS = `${ROOT}tests/fixtures/models`;

Deno.test("C 25 advice about code depends on the scanner, and other advice only on the rule", () => {
  const adviceFor = (id: string) => adviceOf({ rule_code: "S104", type: `${id}_check` });
  const advised = SCANNER_IDS.filter((id) => adviceFor(id) !== RULES.S104.advice);
  assert.equal(advised.length, 17);
  for (const id of advised) {
    assert.match(adviceFor(id), /^[A-Z][^\n]*[^.]\.$/);
    for (const code of ["S701", "S902", "S410", "S1008"] as const) {
      assert.equal(adviceOf({ rule_code: code, type: `${id}_check` }), RULES[code].advice);
    }
  }
  for (const type of ["cntk_check", "constructor", "", undefined]) {
    assert.equal(
      adviceOf({ rule_code: "S104", ...type !== undefined && { type } }),
      RULES.S104.advice,
    );
  }
  assert.equal(
    adviceOf({ type: "pickle_check" }),
    "Do not load the file until you know why this is there.",
  );
});

Deno.test("C 25 scan gives advice that fits the format of the file", async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["pickle/hostile/eval.pkl", /What to do: Do not unpickle this file/],
    ["keras/hostile/lambda.h5", /older versions of Keras run it from HDF5/],
    ["keras/hostile/module.keras", /do not load it with safe_mode=False/],
    ["gguf/hostile/named_template.gguf", /--chat-template-file/],
    ["onnx/hostile/python_operator.onnx", /custom operators only if you trust them/],
    ["skops/hostile/function.skops", /trusted ones of skops/],
    ["r/hostile/list.rds", /with readRDS/],
    ["huggingface/hostile/auto_map/config.json", /What to do: Read it as data/],
  ];
  const paths = cases.map(([path]) => `${MODELS}/${path}`);
  const { stdout } = await strongroom(["scan", "--format", "text", ...paths]);
  const text = stdout.replaceAll(/\n {2,}/g, " ");
  for (const [path, advice] of cases) {
    const paragraph = text.split("\n\n").find((it) => it.includes(path));
    assert.match(paragraph ?? "", advice, path);
  }
});
