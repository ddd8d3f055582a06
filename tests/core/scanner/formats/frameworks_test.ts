import * as assert from "node:assert/strict";
import { catBoostScanner } from "../../../../core/scanner/formats/catboost/scanner.ts";
import { arrowScanner } from "../../../../core/scanner/formats/arrow/scanner.ts";
import { caffeScanner } from "../../../../core/scanner/formats/caffe/scanner.ts";
import { cntkScanner } from "../../../../core/scanner/formats/cntk/scanner.ts";
import { compiledScanner } from "../../../../core/scanner/formats/compiled/scanner.ts";
import { coreMlScanner } from "../../../../core/scanner/formats/coreml/scanner.ts";
import { execuTorchScanner } from "../../../../core/scanner/formats/executorch/scanner.ts";
import { flaxScanner } from "../../../../core/scanner/formats/flax/scanner.ts";
import { lightGbmScanner } from "../../../../core/scanner/formats/lightgbm/scanner.ts";
import { llamafileScanner } from "../../../../core/scanner/formats/llamafile/scanner.ts";
import { mxnetScanner } from "../../../../core/scanner/formats/mxnet/scanner.ts";
import { ociScanner } from "../../../../core/scanner/formats/oci/scanner.ts";
import { paddleScanner } from "../../../../core/scanner/formats/paddle/scanner.ts";
import { tfliteScanner } from "../../../../core/scanner/formats/tflite/scanner.ts";
import { torch7Scanner } from "../../../../core/scanner/formats/torch7/scanner.ts";
import { xgboostScanner } from "../../../../core/scanner/formats/xgboost/scanner.ts";
import type { Scanner } from "../../../../core/scanner/contract/scanner.ts";
import { memorySource } from "../../../../core/scanner/contract/source.ts";
import { FIXTURES, type Format } from "../../../fixtures/fixtures.ts";
import { ROOT } from "../../../support/child_server.ts";
import { counted } from "../sources.ts";
import { assertNeverThrows } from "./format_scan.ts";

/** The scanner of each format of a framework. */
const SCANNERS: ReadonlyMap<Format, Scanner> = new Map([
  ["arrow", arrowScanner],
  ["catboost", catBoostScanner],
  ["caffe", caffeScanner],
  ["cntk", cntkScanner],
  ["compiled", compiledScanner],
  ["coreml", coreMlScanner],
  ["executorch", execuTorchScanner],
  ["flax", flaxScanner],
  ["lightgbm", lightGbmScanner],
  ["llamafile", llamafileScanner],
  ["mxnet", mxnetScanner],
  ["oci", ociScanner],
  ["paddle", paddleScanner],
  ["tflite", tfliteScanner],
  ["torch7", torch7Scanner],
  ["xgboost", xgboostScanner],
]);

function contentOf(path: string): Uint8Array {
  return Deno.readFileSync(`${ROOT}tests/fixtures/models/${path}`);
}

/** Fixtures of a framework that are an archive of files in its format, not a file in it. */
const ARCHIVES = new Set(["oci/layout.tar", "oci/hostile/layer.tar.gz"]);
/** Without their names, these are like other files: a table of Torch7 begins with two numbers. */
const NEED_NAMES = new Set(["torch7/table.t7"]);

Deno.test("C 16 models of a framework are recognized under any name, and nothing else is", () => {
  const wrong: string[] = [];
  for (const { path, format } of FIXTURES) {
    const source = counted(memorySource(contentOf(path)));
    for (const [own, scanner] of SCANNERS) {
      const expected = own === format && !ARCHIVES.has(path) && !NEED_NAMES.has(path);
      if (scanner.matches({ source, name: "x", depth: 0 }) !== expected) {
        wrong.push(`${path}: ${scanner.id}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("C 16 recognizing the formats of frameworks reads little of another file", () => {
  const size = 2 ** 30;
  for (const first of [0x00, 0x08, 0x0a, 0x50, 0x7b, 0x80, 0x81, 0xff]) {
    const source = counted({
      size,
      read: (offset, length) =>
        new Uint8Array(Math.max(0, Math.min(length, size - offset))).fill(first),
    });
    for (const scanner of SCANNERS.values()) scanner.matches({ source, name: "x", depth: 0 });
    assert.ok(source.bytesRead < 128 * 1024, `${first}: ${source.bytesRead} bytes`);
  }
});

Deno.test("C 16 scanners of frameworks never throw on mutations of their fixtures", async (t) => {
  for (const [format, scanner] of SCANNERS) {
    await t.step(`C 16 ${format}`, () => {
      const own = FIXTURES.filter((it) => it.format === format && !ARCHIVES.has(it.path));
      for (const { path } of own) {
        const name = path.slice(path.lastIndexOf("/") + 1);
        const content = contentOf(path);
        assertNeverThrowsWhereItMatches(scanner, content, name);
      }
    });
  }
});

/** The engine asks a scanner only for content that it recognizes. */
function assertNeverThrowsWhereItMatches(scanner: Scanner, content: Uint8Array, name: string) {
  const guarded: Scanner = {
    ...scanner,
    *scan(it, context) {
      yield { name: "Scanned", status: "passed", message: "" };
      if (scanner.matches(it)) yield* scanner.scan(it, context);
    },
  };
  assertNeverThrows(guarded, [content], { mutations: 300, name });
}
