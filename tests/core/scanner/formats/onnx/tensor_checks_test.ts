import * as assert from "node:assert/strict";
import { onnxScanner } from "../../../../../core/scanner/formats/onnx/scanner.ts";
import { verdict } from "../../verdict.ts";
import { bytes, int, message, varint } from "../../readers/protobuf/protobuf_bytes.ts";
import { failures, scan } from "../format_scan.ts";
import { entry, external, FLOAT, initializer, model, raw } from "./onnx_bytes.ts";

Deno.test("evasion 60 external data outside the model's folder is critical", async (t) => {
  const paths = [
    "a/../../x",
    "../x",
    "a/..",
    "a\\..\\..\\x",
    "/etc/passwd",
    "\\\\server\\share",
    "C:\\x",
    "c:x",
    "file:///etc/passwd",
    "https://example.org/x",
    "a/%2e%2e/%2E./x",
    "a/.. /x",
    "x\0/../y",
    "*/_ORT_MEM_ADDR_/*",
  ];
  for (const path of paths) {
    await t.step(JSON.stringify(path), () => {
      const { checks } = scan(onnxScanner, model(initializer(external(path))));
      const [failure] = failures(checks, "ONNX External Data");
      assert.equal(failure?.severity, "critical");
      assert.equal(failure.ruleCode, "S405");
    });
  }
  for (const path of ["weights.bin", "data/a..b/w", "a/...", "weights:0", "./w"]) {
    await t.step(`${path} is allowed`, () => {
      assert.equal(verdict(scan(onnxScanner, model(initializer(external(path)))).checks), "OK");
    });
  }
});

Deno.test("C 16 external data without a location or with too few bytes is a warning", async (t) => {
  const tensor = [int(1, 2), int(2, FLOAT), int(14, 1)];
  const flood = Array.from({ length: 101 }, () => entry("location", "w"));
  const table: [string, Uint8Array][] = [
    ["no entries", message(...tensor)],
    ["an empty location", external("")],
    ["a length below the size", external("w", entry("length", "7"))],
    ["a negative offset", external("w", entry("offset", "-1"))],
    ["a length that is not a number", external("w", entry("length", "8x"))],
    ["more entries than any writer produces", external("w", ...flood)],
  ];
  for (const [name, content] of table) {
    await t.step(name, () => {
      const { checks } = scan(onnxScanner, model(initializer(content)));
      assert.equal(verdict(checks), "W");
      assert.equal(failures(checks, "ONNX External Data").length, 1);
    });
  }
});

Deno.test("C 16 a size that does not match the shape is a warning", async (t) => {
  const table: [string, Uint8Array, string][] = [
    ["too few bytes", raw([2, 2], FLOAT, 15), "W"],
    ["too many bytes", raw([2, 2], FLOAT, 17), "W"],
    ["a negative dimension", raw([-1], FLOAT, 4), "W"],
    ["a product of dimensions that overflows", raw(Array(40).fill(2 ** 52), FLOAT, 4), "W"],
    [
      "packed dimensions",
      message(bytes(1, varint(2), varint(2)), int(2, FLOAT), bytes(9, "abc")),
      "W",
    ],
    ["an unknown type", raw([2], 99, 3), "OK"],
    ["a segment", message(raw([4], FLOAT, 8), bytes(3, int(1, 0))), "OK"],
    ["a scalar", raw([], FLOAT, 4), "OK"],
  ];
  for (const [name, tensor, expected] of table) {
    await t.step(name, () => {
      const { checks } = scan(onnxScanner, model(initializer(tensor)));
      assert.equal(verdict(checks), expected);
      assert.equal(failures(checks, "ONNX Tensor Size").length, expected === "W" ? 1 : 0);
    });
  }
});
