import * as assert from "node:assert/strict";
import { loggingDelay } from "../../../cli/serve/logging_delay.ts";
import { Log } from "../../../core/log.ts";
import { until } from "../../support/until.ts";

Deno.test("C 25 a start that takes long logs that it goes on, until it ends or fails", async () => {
  const lines: string[] = [];
  const log = new Log({ level: "info", format: "json", write: (line) => lines.push(line) });
  const done = Promise.withResolvers<number>();
  const result = loggingDelay(log, "Still opening", () => done.promise, 5);
  await until(() => lines.length > 1);
  assert.match(lines[0] ?? "", /"Still opening".*"seconds":\d+\}/);
  done.resolve(3);
  assert.equal(await result, 3);
  const count = lines.length;
  await assert.rejects(loggingDelay(log, "", () => Promise.reject(new Error("full")), 5), /full/);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(lines.length, count);
});
