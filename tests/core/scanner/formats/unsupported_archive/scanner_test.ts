import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { unsupportedArchiveScanner } from "../../../../../core/scanner/formats/unsupported_archive/scanner.ts";
import { scanArchive, scanMatching } from "../archive/archive_scan.ts";

Deno.test("C 16: recognizes unsupported archive formats, which are not clean", async (t) => {
  const rows: [string, string][] = [
    ["RAR", "526172211a0700cf"],
    ["RAR", "526172211a070100"],
  ];
  for (const [format, head] of rows) {
    await t.step(format, () => {
      const scan = scanMatching(unsupportedArchiveScanner, Buffer.from(head, "hex"), {
        name: "model.pt",
      });
      assert.deepEqual(scan.findings, ["info - Archive Format"]);
      assert.deepEqual(scan.reasons, ["unsupported_archive"]);
      assert.equal(scan.facts.archive_format, format);
    });
  }
});

Deno.test("scanning 2.7: does not match content that is not such an archive", async (t) => {
  const rows: [string, Uint8Array][] = [
    ["nothing", new Uint8Array()],
    ["one byte", Buffer.of(0x37)],
    ["a truncated signature", Buffer.from("526172211a", "hex")],
    ["text", Buffer.from("7z and Rar! are signatures")],
  ];
  for (const [title, content] of rows) {
    await t.step(title, () => {
      assert.equal(scanArchive(unsupportedArchiveScanner, content), undefined);
    });
  }
});
