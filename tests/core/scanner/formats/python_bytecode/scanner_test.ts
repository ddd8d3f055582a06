import * as assert from "node:assert/strict";
import { pythonBytecodeScanner } from "../../../../../core/scanner/formats/python_bytecode/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { seeded } from "../../mutation.ts";
import { wholeScan } from "../../whole_scan.ts";
import { assertNeverThrows } from "../format_scan.ts";
import { HARMFUL_CODE, HARMLESS_CODE } from "../marshalled_code.ts";
import { COMPILED } from "./compiled.ts";

const HEADER_BYTES: Readonly<Record<string, number>> = { "2.7.18": 8, "3.6.15": 12 };

Deno.test("evasion 96: compiled Python is a warning, whatever version wrote it and whatever its name", async (t) => {
  for (const [version, base64] of COMPILED) {
    const file = Uint8Array.fromBase64(base64);
    const code = file.subarray(HEADER_BYTES[version] ?? 16);
    await t.step(version, () => {
      for (
        const [name, content] of [["m.pyc", file], ["model.bin", file], ["a.dat", code]] as const
      ) {
        const { verdict, findings, result } = wholeScan(name, content);
        assert.equal(verdict, "suspicious", name);
        assert.deepEqual(findings.slice(0, 1), ["warning S507 Python Bytecode"], name);
        const [check] = result.checks.filter((it) => it.name === "Python Bytecode");
        assert.match(check?.message ?? "", /uses os, system$/);
      }
    });
  }
});

Deno.test("C 15 code objects of functions are compiled Python, too", () => {
  for (const code of [HARMLESS_CODE, HARMFUL_CODE]) {
    assert.equal(wholeScan("a.bin", Uint8Array.fromBase64(code)).verdict, "suspicious");
  }
});

Deno.test("C 16 random content and text are not taken for compiled Python", () => {
  const random = seeded(5);
  const match = (content: Uint8Array) =>
    pythonBytecodeScanner.matches({ source: memorySource(content), name: "a.pyc", depth: 0 });
  for (let round = 0; round < 5000; round++) {
    const content = Uint8Array.from({ length: 64 }, () => random(256));
    content[round % 2 === 0 ? 0 : 16] = 0xe3;
    if (round % 2 === 1) content.set([0x0d, 0x0a], 2);
    assert.equal(match(content), false, content.toHex());
  }
  assert.equal(match(new TextEncoder().encode("collections of models\r\nand more of them")), false);
  assert.equal(match(new Uint8Array()), false);
});

Deno.test("C 15 no mutation of compiled Python makes the scanner throw", () => {
  assertNeverThrows(
    pythonBytecodeScanner,
    COMPILED.slice(0, 3).map(([, base64]) => Uint8Array.fromBase64(base64)),
  );
});
