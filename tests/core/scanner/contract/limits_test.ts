import * as assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { memorySource } from "../../../../core/scanner/contract/source.ts";
import { report, scan } from "../../../../core/scanner/mod.ts";
import { zipOf } from "../formats/zip/zip_builder.ts";
import { tarOf } from "../formats/tar/tar_builder.ts";

const MIB = 2 ** 20;

/** The report on one file. */
function reportOn(name: string, content: Uint8Array | string) {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const result = scan(memorySource(bytes), { name });
  return report({ files: [{ path: name, scan: result }], startTime: 0, duration: 1, skip: [] });
}

Deno.test("C 16 every limit that stops reading is an error of the scan", async (t) => {
  const members = Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}`, data: "x" }));
  const deepList = `${"[".repeat(5000)}${"]".repeat(5000)}`;
  const rows: [string, string, () => Uint8Array | string][] = [
    [
      "80 MiB of zeros in a ZIP archive",
      "a.zip",
      () => zipOf([{ name: "zeros", data: new Uint8Array(80 * MIB), method: 8 }]),
    ],
    ["80 MiB of zeros in a gzip file", "a.gz", () => gzipSync(new Uint8Array(80 * MIB))],
    ["10 001 members of a ZIP archive", "a.zip", () => zipOf(members)],
    ["10 001 members of a TAR archive", "a.tar", () => tarOf(members)],
    ["deeply nested JSON", "config.json", () => `{"a": ${deepList}}`],
    ["a deeply nested template", "chat_template.jinja", () => `{{ ${deepList} }}`],
    ["a deeply nested header of safetensors", "a.safetensors", () => safetensorsOf(deepList)],
  ];
  for (const [title, name, content] of rows) {
    await t.step(`C 16 ${title}`, () => {
      const { has_errors, success, file_metadata } = reportOn(name, content());
      assert.deepEqual([has_errors, success], [true, false]);
      assert.equal(file_metadata[name]?.["scan_outcome"], "inconclusive");
      assert.equal(file_metadata[name]?.["operational_error"], true);
    });
  }
});

Deno.test("C 16 a bomb within the limits is a finding, not an error", () => {
  const { has_errors, issues } = reportOn("a.gz", gzipSync(new Uint8Array(16 * MIB)));
  assert.equal(has_errors, false);
  assert.ok(issues.some(({ rule_code }) => rule_code === "S410"));
});

/** A safetensors file whose metadata is this JSON. */
function safetensorsOf(json: string): Uint8Array {
  const header = new TextEncoder().encode(`{"a": ${json}}`);
  const file = new Uint8Array(8 + header.length);
  new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
  file.set(header, 8);
  return file;
}
