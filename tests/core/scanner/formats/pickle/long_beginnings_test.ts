import * as assert from "node:assert/strict";
import { memorySource, sourceSlice } from "../../../../../core/scanner/contract/source.ts";
import {
  isActivePickle,
  looksLikePickle,
} from "../../../../../core/scanner/formats/pickle/detect.ts";
import { counted } from "../../sources.ts";
import { wholeScan } from "../../whole_scan.ts";
import { bytes, gl, short } from "./pickle_bytes.ts";
import { PAYLOAD } from "./pickle_parts.ts";

const NAMES = ["bin", "ckpt", "p", "sav", "dat", "pt", "model", "weights", "txt", "xyz"];

/** Beginnings that say nothing of what follows. CPython loads each of them up to the payload. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ["20 001 pairs of instructions", "I1\n0".repeat(20_001)],
  ["as many values on the stack", "N".repeat(50_000)],
  ["text of 70 KB", `V${"a".repeat(70_000)}\n0`],
  ["text of 17 MB", `V${"a".repeat(17 << 20)}\n0`],
  ["a quoted string of 70 KB", `S'${"a".repeat(70_000)}'\n0`],
  ["a number after 70 KB of blanks", `I${" ".repeat(70_000)}1\n0`],
  ["a long number after blanks", `L${" ".repeat(70_000)}1L\n0`],
  ["nine pickles", "N.".repeat(9)],
  ["a thousand pickles", "I1\n.".repeat(1000)],
  ["nine pickles and a long text", `${"N.".repeat(9)}V${"a".repeat(70_000)}\n0`],
  ["many marks", "(".repeat(30_000)],
];

Deno.test("evasion 93: a pickle is found behind a beginning of any length", async (t) => {
  for (const [title, beginning] of BEGINNINGS) {
    const content = bytes(PAYLOAD);
    const file = new Uint8Array(beginning.length + content.length);
    new TextEncoder().encodeInto(beginning, file);
    file.set(content, beginning.length);
    await t.step(title, () => {
      const names = file.length > 1 << 20 ? NAMES.slice(0, 1) : NAMES;
      const verdicts = names.map((name) => wholeScan(`model.${name}`, file).verdict);
      assert.deepEqual(verdicts, names.map(() => "dangerous"));
    });
  }
});

Deno.test("C 16 a pickle of a higher protocol is found behind harmless ones", () => {
  for (
    const end of [bytes(0x80, 4, gl("os", "system"), "."), bytes("\x8c\x02os\x8c\x06system\x93.")]
  ) {
    assert.equal(wholeScan("a.bin", bytes("N.".repeat(9), end)).verdict, "dangerous");
  }
});

Deno.test("evasion 93: a pickle is found behind the frame of another one", () => {
  const frame = bytes(0x95, 7, 0, 0, 0, 0, 0, 0, 0, "N.X\xff\0\0\0");
  for (const name of ["a.bin", "a.pkl"]) {
    const { verdict } = wholeScan(name, bytes(frame, PAYLOAD, "\0".repeat(300)));
    assert.equal(verdict, "dangerous", name);
  }
});

Deno.test("evasion 93: a pickle is found that reads the memo of the one before it", () => {
  const content = bytes(short("os"), "q\0.", short("getpid"), "q\x01h\0h\x01\x93)R");
  for (const name of ["a.bin", "a.pkl"]) {
    assert.equal(wholeScan(name, content).verdict, "dangerous", name);
  }
});

Deno.test("C 16 content that only begins with instructions is no pickle", async (t) => {
  const contents: readonly (readonly [string, Uint8Array])[] = [
    ["marks", new Uint8Array(200_000).fill(0x28)],
    ["marks and zeros", bytes("(".repeat(30_000), new Uint8Array(1000))],
    ["a sequence of bases", bytes("N".repeat(60_000))],
    ["a text in one line", bytes(`V${"ersion ".repeat(20_000)}`)],
    ["a text in a long line", bytes(`V${"ersion ".repeat(20_000)}\nand more\n`)],
    ["many stops and a text", bytes("N.".repeat(20), " Smith wrote this\n")],
  ];
  for (const [title, content] of contents) {
    await t.step(title, () => assert.equal(looksLikePickle(memorySource(content)), false));
  }
});

Deno.test("C 15 the search for the end of a beginning reads the content once or twice", () => {
  const size = 1 << 22;
  const block = new Uint8Array(size).fill(0x28);
  const source = counted(sourceSlice(memorySource(block), 0, size));
  assert.equal(looksLikePickle(source), false);
  assert.ok(source.bytesRead < 3 * size, `${source.bytesRead}`);
});

Deno.test("C 16 an attribute that is a long pickle without a signature is one that does something", () => {
  for (const beginning of ["N0".repeat(25_000), `V${"a".repeat(66_000)}\n0`, "N.".repeat(9)]) {
    assert.equal(isActivePickle(memorySource(bytes(beginning, PAYLOAD))), true);
  }
  assert.equal(isActivePickle(memorySource(bytes("N".repeat(25_000)))), false);
});
