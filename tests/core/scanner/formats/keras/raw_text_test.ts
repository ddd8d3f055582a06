import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { kerasScanner } from "../../../../../core/scanner/formats/keras/scanner.ts";
import { failures } from "../format_scan.ts";
import { model, object, scanConfig, text } from "./keras_configs.ts";

Deno.test("evasion 59 unsafe deserialization is found in the raw text", async (t) => {
  const unsafe = object("function", "enable_unsafe_deserialization", { module: "keras.config" });
  const whole = JSON.stringify(model(unsafe));
  const table: [string, string, "Keras Configuration" | undefined][] = [
    ["in JSON", whole, undefined],
    ["with an extra comma", `${whole.slice(0, -1)},}`, "Keras Configuration"],
    ["in truncated JSON", whole.slice(0, -3), "Keras Configuration"],
    ["with escapes", whole.replace("enable_", "\\u0065nable\\u005F"), undefined],
    [
      "with escapes in invalid JSON",
      `${whole.replace("_unsafe", "\\u005funsafe")},`,
      "Keras Configuration",
    ],
  ];
  for (const [name, content, inconclusive] of table) {
    await t.step(name, () => {
      const { checks } = scanConfig(content);
      assert.equal(failures(checks, "Keras Unsafe Deserialization")[0]?.severity, "critical");
      assert.equal(checks.find(({ incomplete }) => incomplete)?.name, inconclusive);
      const source = memorySource(text(content));
      assert.equal(kerasScanner.matches({ source, name: "config.json", depth: 1 }), true);
    });
  }
});
