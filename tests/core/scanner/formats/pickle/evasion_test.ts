import * as assert from "node:assert/strict";
import { pickleScanner } from "../../../../../core/scanner/formats/pickle/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { CRITICAL, WARNED } from "./hostile_pickles.ts";
import { bytes, gl, short } from "./pickle_bytes.ts";
import { P2, P4, PAYLOAD, T1 } from "./pickle_parts.ts";
import { scan } from "./scan_pickle.ts";

Deno.test("C 16: evasions in pickles are critical findings", async (t) => {
  for (const { title, content, finds, and } of CRITICAL) {
    await t.step(title, () => {
      const { verdict, failed, metadata } = scan(content);
      const shown = failed.map(({ name, message, ruleCode }) => `${name} ${ruleCode} ${message}`);
      assert.equal(verdict, "C", shown.join("\n"));
      const critical = failed.filter(({ severity }) => severity === "critical");
      assert.ok(
        critical.some(({ name, ruleCode }) => [name, ruleCode].includes(finds)),
        `${finds} not in ${shown.join("\n")}`,
      );
      assert.ok(
        and === undefined ||
          failed.some(({ name, ruleCode, incomplete }) =>
            [name, ruleCode, incomplete].includes(and)
          ),
        `${and} not in ${shown.join("\n")}`,
      );
      assert.ok(Number(metadata.suspicious_count) > 0);
    });
  }
});

Deno.test("evasion 37: a payload matches by its content, whatever its name", async (t) => {
  for (const { title, content, named } of CRITICAL) {
    if (named) continue;
    for (const name of ["model.bin", "model.safetensors", "metadata.txt"]) {
      await t.step(`${title}, ${name}`, () => {
        assert.ok(pickleScanner.matches({ source: memorySource(content), name, depth: 0 }));
      });
    }
  }
});

Deno.test("C 16: what may be harmless is a warning", async (t) => {
  for (const [title, content, check] of WARNED) {
    await t.step(title, () => {
      const { verdict, failed } = scan(content);
      assert.equal(verdict, "W", JSON.stringify(failed));
      assert.deepEqual(
        failed.filter(({ severity }) => severity === "warning").map(({ name }) => name),
        [check],
      );
    });
  }
});

const INCONCLUSIVE: readonly (readonly [string, Uint8Array, string])[] = [
  ["a truncated stream", bytes(P4, "](K\x01K"), "truncated_stream"],
  ["a missing memo", bytes("h\x07."), "malformed_stream"],
  ["an empty stack", bytes("0N."), "malformed_stream"],
  ["an unknown instruction", bytes("N\xff."), "malformed_stream"],
  ["an unknown protocol", bytes(0x80, 6, "N."), "unknown_protocol"],
  [
    "a joblib array of unknown length",
    bytes(
      ...[P2, gl("joblib.numpy_pickle", "NumpyArrayWrapper"), ")\x81}(", short("shape"), "K\x01"],
      ...[T1, short("dtype"), gl("numpy", "dtype"), short("f"), T1, "Rub."],
    ),
    "malformed_stream",
  ],
  ["a negative length", bytes("T\xff\xff\xff\xff."), "malformed_stream"],
  ["data after the pickle", bytes("N.", "\xff\xfe\xfd"), "trailing_data"],
  [
    "evasion 32: two streams with 70000 bytes between",
    bytes("N.", new Uint8Array(70_000).fill(0xff), P2, PAYLOAD),
    "trailing_data",
  ],
];

Deno.test("C 16: a pickle that cannot be read to its end is inconclusive", async (t) => {
  for (const [title, content, reason] of INCONCLUSIVE) {
    await t.step(title, () => {
      const { verdict, failed } = scan(content);
      assert.equal(verdict, "I", JSON.stringify(failed));
      assert.ok(failed.some(({ incomplete }) => incomplete === reason), JSON.stringify(failed));
    });
  }
});
