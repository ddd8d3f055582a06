import * as assert from "node:assert/strict";
import { Memo } from "../../../../../core/scanner/formats/pickle/memo.ts";
import { bytesAt, PLAIN, textAt } from "../../../../../core/scanner/formats/pickle/values.ts";

Deno.test("the memo of a pickle returns what was stored last", async (t) => {
  const values = [
    ...(["utf8", "latin1", "string_escape", "unicode_escape"] as const).map((codec) =>
      textAt(codec, 2 ** 36 + 5, 4095)
    ),
    bytesAt(3, 0),
    textAt("utf8", 2 ** 40, 3),
    bytesAt(7, 5000),
    PLAIN,
  ];
  for (const [i, value] of values.entries()) {
    await t.step(`${value.kind} ${i}`, () => {
      const memo = new Memo(() => {});
      for (const index of [0, 63, 64, 1e6, 2 ** 32 - 1, 1]) {
        memo.set(index, PLAIN);
        memo.set(index, value);
        assert.deepEqual(memo.get(index), value);
        assert.equal(memo.get(index), memo.get(index));
      }
      assert.equal(memo.size, 6);
      memo.set(1, PLAIN);
      assert.equal(memo.get(1), PLAIN);
      assert.equal(memo.size, 6);
      assert.equal(memo.get(2), undefined);
    });
  }
});

Deno.test("C 15 the memo of a pickle takes few bytes for a short string", () => {
  let taken = 0;
  const memo = new Memo((bytes) => taken += bytes);
  for (let i = 0; i < 1_000_000; i++) memo.set(i, textAt("utf8", 10 * i, 8));
  assert.ok(taken < 17_000_000, `${taken} bytes`);
  for (let i = 0; i < 1000; i++) assert.deepEqual(memo.get(i), textAt("utf8", 10 * i, 8));
});
