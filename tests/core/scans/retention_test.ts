import * as assert from "node:assert/strict";
import { Log } from "../../../core/log.ts";
import { ScanRetention } from "../../../core/scans/retention.ts";
import { until } from "../../support/until.ts";

const DAY_MS = 86_400_000;
const settledTime = () => Promise.resolve(Date.now());

function log(lines: string[] = []): Log {
  return new Log({ level: "info", format: "json", write: (line) => lines.push(line) });
}

Deno.test("C 15 ScanRetention removes expired scans at once, and again and again", async () => {
  const asked: number[] = [];
  const lines: string[] = [];
  const scans = {
    removeEnded(before: number) {
      asked.push(before);
      return asked.length === 2
        ? Promise.reject(new Error("The disk is full"))
        : Promise.resolve(3);
    },
  };
  const started = Date.now();
  {
    await using _retention = new ScanRetention({
      ...{ scans, settledTime },
      days: 2,
      log: log(lines),
      intervalMs: 1,
    });
    await until(() => asked.length >= 3);
  }
  const [first = 0] = asked;
  assert.ok(first >= started - 2 * DAY_MS && first <= Date.now() - 2 * DAY_MS);
  const { length } = asked;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(asked.length, length);
  assert.match(lines[0] ?? "", /Removed expired scans/);
  assert.match(lines[1] ?? "", /disk is full/);
});

Deno.test("C 15 ScanRetention keeps scans for ever if it is told 0 days", async () => {
  const scans = { removeEnded: () => Promise.reject(new Error("It must not remove")) };
  const lines: string[] = [];
  await using _retention = new ScanRetention({
    ...{ scans, settledTime },
    days: 0,
    log: log(lines),
    intervalMs: 1,
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(lines, []);
});
