import * as assert from "node:assert/strict";
import { afterReading } from "../../core/settled_time.ts";

const DAY_MS = 86_400_000;

/** The times that count after each of some readings, in days. */
function settled(...days: readonly number[]): number[] {
  let readings = { readAt: 0, settledAt: 0 };
  return days.map((day) => {
    readings = afterReading(readings, day * DAY_MS);
    return readings.settledAt / DAY_MS;
  });
}

Deno.test("C 31 a time counts once a reading a day later has confirmed it", async (t) => {
  const cases: readonly (readonly [title: string, days: number[], expected: number[]])[] = [
    ["hour by hour", [100, 100.5, 101, 101.5, 102], [0, 0, 100, 100, 101]],
    ["a clock ahead for one reading", [100, 101, 4000, 101.1, 102.1], [0, 100, 101, 101, 101.1]],
    ["two readings ahead, with a right one between", [100, 4000, 100.1, 5000], [
      0,
      100,
      100,
      100.1,
    ]],
    ["a clock that is behind at a start", [100, 101, 1, 101.1, 102.1], [0, 100, 1, 1, 101.1]],
    ["a server that was away", [100, 101, 200, 201], [0, 100, 101, 200]],
    ["a clock that stays ahead, and is put right", [100, 900, 901, 101, 102], [
      0,
      100,
      900,
      101,
      101,
    ]],
  ];
  for (const [title, days, expected] of cases) {
    await t.step(`C 31 ${title}`, () => assert.deepEqual(settled(...days), expected));
  }
});
