import * as assert from "node:assert/strict";
import { bytesOf, entry, file, nested, num, scanFile, text } from "./gguf_bytes.ts";

Deno.test("an incomplete read reports its reason, and whether it is one of our limits", async (t) => {
  const texts = (count: number | bigint, size: number) =>
    entry("a", 9, bytesOf(num(4, 8), num(8, count), new Uint8Array(size)));
  const dimensions = bytesOf("GGUF", num(4, 3), num(8, 1), num(8, 0), text("a"), num(4, 5000));
  const rows: [string, Uint8Array, string, boolean][] = [
    ["too few bytes", file({ entries: [texts(2n ** 64n - 1n, 0)] }), "truncated", false],
    [
      "numbers",
      file({ entries: [entry("a", 9, bytesOf(num(4, 12), num(8, 9)))] }),
      "truncated",
      false,
    ],
    ["elements", file({ entries: [texts(5_000_000, 40_000_000)] }), "arrays_too_long", true],
    ["depth", file({ entries: [entry("a", 9, nested(9))] }), "arrays_too_deep", true],
    ["dimensions", bytesOf(dimensions, new Uint8Array(99)), "too_many_dimensions", false],
  ];
  for (const [title, bytes, reason, operational] of rows) {
    await t.step(title, () => {
      const failed = scanFile(bytes).checks.filter((check) => check.incomplete);
      assert.deepEqual(failed.map((check) => [check.incomplete, check.operational ?? false]), [
        [reason, operational],
      ]);
    });
  }
});
