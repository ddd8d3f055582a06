import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { kerasScanner } from "../../../../../core/scanner/formats/keras/scanner.ts";
import { DENSE, model, text } from "./keras_configs.ts";

Deno.test("C 16 matches Keras configurations by content", async (t) => {
  const matches = (content: Uint8Array) =>
    kerasScanner.matches({ source: memorySource(content), name: "x", depth: 0 });
  const matching: [string, Uint8Array][] = [
    ["a model", text(model(DENSE))],
    ["metadata.json", text({ keras_version: "3.0" })],
    ["after much whitespace", text(" ".repeat(3_000_000) + JSON.stringify(model(DENSE)))],
    ["after another key", text({ long: "x".repeat(3_000_000), ...model(DENSE) })],
    ["a key with escapes", text('{"class\\u005fname": "Lambda", "config": {}}')],
    ["across a chunk border", text(`{"x":"${"y".repeat(2 ** 20 - 12)}","class_name":1}`)],
  ];
  for (const [name, content] of matching) {
    await t.step(name, () => assert.equal(matches(content), true));
  }
  const others: [string, Uint8Array][] = [
    ["nothing", new Uint8Array()],
    ["another configuration", text({ architectures: ["LlamaForCausalLM"] })],
    ["text", text('a "class_name": "Lambda"')],
    ["zeros", new Uint8Array(5000)],
    ["a pickle", Uint8Array.of(0x80, 4, 0x7d, 0x2e)],
  ];
  for (const [name, content] of others) {
    await t.step(`not ${name}`, () => assert.equal(matches(content), false));
  }
});
