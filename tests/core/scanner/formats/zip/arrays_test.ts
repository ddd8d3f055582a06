import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { zipScanner } from "../../../../../core/scanner/formats/zip/scanner.ts";
import { scanMatching } from "../archive/archive_scan.ts";
import { LIMITS } from "../../recording_context.ts";
import { zipOf } from "./zip_builder.ts";

const ITEMS = 4 << 20;

/** An array file of zeros, whose header says that it has `count` bytes. */
function array(description: string, count: number, data = ITEMS): Uint8Array {
  const literal = `{'descr': ${description}, 'fortran_order': False, 'shape': (${count},), }\n`;
  const head = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${literal}`, "latin1");
  head.writeUInt16LE(literal.length, 8);
  return Buffer.concat([head, new Uint8Array(data)]);
}

const scan = (data: Uint8Array, name = "arr.npy") =>
  scanMatching(zipScanner, zipOf([{ name, data, method: 8 }]), {
    limits: { ...LIMITS, maxMemberBytes: 1 << 20 },
  });

const TOO_LARGE = [
  "warning S410 Archive Compression Ratio",
  "info S410 Archive Entry Content",
];

Deno.test("C 16 an array of numbers over the limit of a member is complete by its header", async (t) => {
  await t.step("numbers", () => {
    const { findings, reasons } = scan(array("'|u1'", ITEMS));
    assert.deepEqual(findings, []);
    assert.deepEqual(reasons, []);
  });
  const others: [string, Uint8Array][] = [
    ["Python objects", array("'|O'", ITEMS / 8)],
    ["a field of Python objects", array("[('a', '|O')]", ITEMS / 8)],
    ["bytes after the array", array("'|u1'", ITEMS - 100)],
    ["fewer bytes than the shape", array("'|u1'", ITEMS + 100)],
    ["other content", new Uint8Array(ITEMS)],
  ];
  for (const [title, content] of others) {
    await t.step(title, () => {
      const { findings, reasons } = scan(content);
      assert.deepEqual(findings, TOO_LARGE);
      assert.deepEqual(reasons, ["unpacked_limit"]);
    });
  }
});
