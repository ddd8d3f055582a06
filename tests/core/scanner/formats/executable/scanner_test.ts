import * as assert from "node:assert/strict";
import { executableScanner } from "../../../../../core/scanner/formats/executable/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { RecordingContext } from "../../recording_context.ts";

/** Zeros with numbers at given offsets: offset, width and value. A negative width is big-endian. */
function bytes(size: number, numbers: readonly (readonly [number, number, number])[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(size));
  for (const [offset, width, value] of numbers) {
    if (Math.abs(width) === 1) view.setUint8(offset, value);
    else if (Math.abs(width) === 2) view.setUint16(offset, value, width > 0);
    else view.setUint32(offset, value, width > 0);
  }
  return new Uint8Array(view.buffer);
}

const pe = (offset: number, signature: number, size = 512) =>
  bytes(size, [
    [0, -2, 0x4d5a],
    [0x3c, 4, offset],
    ...(offset + 24 <= size ? [[offset, -4, signature], [offset + 6, 2, 3]] as const : []),
  ]);

const elf = (type: number, width: 2 | -2, size = 64) =>
  bytes(size, [[0, -4, 0x7f454c46], [4, 1, 2], [5, 1, 1], [6, 1, 1], [16, width, type]]);

function found(content: Uint8Array): [string | undefined, string | undefined] | undefined {
  const file = { name: "model.bin", source: memorySource(content), depth: 0 };
  const context = new RecordingContext();
  const checks = [...executableScanner.scan(file, context)];
  assert.deepEqual(context.members, []);
  assert.equal(executableScanner.matches(file), checks.length > 0);
  const [check] = checks;
  return check === undefined ? undefined : [check.ruleCode, check.severity];
}

Deno.test("S501 to S509: recognizes executables by their headers", async (t) => {
  const rows: readonly (readonly [string, Uint8Array, string, string])[] = [
    ["PE", pe(0x80, 0x50450000), "S501", "critical"],
    ["PE with the header in the first one", pe(0x40, 0x50450000), "S501", "critical"],
    ["ELF executable", elf(2, 2), "S502", "critical"],
    ["ELF library", elf(3, 2), "S502", "critical"],
    ["ELF, big-endian", elf(2, -2), "S502", "critical"],
    [
      "ELF with an invalid class, which operating systems ignore",
      elf(2, 2).with(4, 9),
      "S502",
      "critical",
    ],
    ["Mach-O", bytes(64, [[0, 4, 0xfeedfacf], [4, 4, 0x0100000c], [12, 4, 2]]), "S503", "critical"],
    [
      "Mach-O, big-endian",
      bytes(64, [[0, -4, 0xfeedface], [4, -4, 18], [12, -4, 6]]),
      "S503",
      "critical",
    ],
    [
      "universal",
      bytes(256, [[0, -4, 0xcafebabe], [4, -4, 2], [8, -4, 0x01000007], [16, -4, 128]]),
      "S503",
      "critical",
    ],
    ["WebAssembly", bytes(16, [[0, -4, 0x0061736d], [4, 4, 1]]), "S509", "warning"],
  ];
  for (const [title, content, ruleCode, severity] of rows) {
    await t.step(title, () => assert.deepEqual(found(content), [ruleCode, severity]));
  }
});

Deno.test("does not match bytes that merely begin like an executable", async (t) => {
  const rows: readonly (readonly [string, Uint8Array])[] = [
    ["empty", new Uint8Array()],
    ["two bytes", bytes(2, [[0, -2, 0x4d5a]])],
    ["weights that begin with MZ", pe(0x80, 0x3f800000)],
    ["MZ with a header past the end", pe(0xfffffff0, 0)],
    ["MZ and text", bytes(64, [[0, -2, 0x4d5a]]).fill(0x41, 2)],
    ["ELF with an invalid type", elf(0x4000, 2)],
    ["truncated ELF", elf(2, 2, 40)],
    ["Mach-O with an unknown CPU type", bytes(64, [[0, 4, 0xfeedfacf], [4, 4, 0x99], [12, 4, 2]])],
    ["a Java class file", bytes(64, [[0, -4, 0xcafebabe], [4, -4, 52], [8, -4, 7], [16, -4, 8]])],
    ["WebAssembly with an unknown version", bytes(16, [[0, -4, 0x0061736d], [4, 4, 77]])],
    ["an executable after one byte", Uint8Array.from([0, ...elf(2, 2)])],
  ];
  for (const [title, content] of rows) {
    await t.step(title, () => assert.equal(found(content), undefined));
  }
});
