import * as assert from "node:assert/strict";
import { cpuLimit, threadCpuMs } from "../../../../storage/scanners/sandbox/cpu_time.ts";

Deno.test("C 15 the limit of the CPU time of a scan counts its work, and not its waiting", () => {
  const isOver = cpuLimit(1000, threadCpuMs);
  // Longer than the limit.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100);
  assert.equal(isOver(), false);
  while (!isOver());
  assert.equal(isOver(), true, "it is over for good");
  assert.equal(cpuLimit(0, threadCpuMs)(), true);
});
