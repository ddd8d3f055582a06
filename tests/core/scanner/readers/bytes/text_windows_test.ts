import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { textWindows } from "../../../../../core/scanner/readers/bytes/text_windows.ts";

const WINDOW_BYTES = 2 ** 20;

Deno.test("textWindows() leaves no gap between windows", () => {
  for (const size of [0, 1, WINDOW_BYTES, WINDOW_BYTES + 1, WINDOW_BYTES + 20_000, 2_500_000]) {
    let next = 0;
    for (const { text, start, ownLength } of textWindows(memorySource(new Uint8Array(size)), 1e9)) {
      assert.ok(start <= next);
      assert.ok(ownLength <= text.length);
      next = start + ownLength;
    }
    assert.equal(next, size);
  }
});

Deno.test("textWindows() stops at the limit", () => {
  const [window, ...more] = textWindows(memorySource(new Uint8Array(100)), 10);
  assert.deepEqual([window?.text.length, window?.ownLength, more.length], [10, 10, 0]);
});
