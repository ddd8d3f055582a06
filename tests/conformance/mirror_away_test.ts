import * as assert from "node:assert/strict";
import { mirroring, open } from "../support/mirroring.ts";
import { until } from "../support/until.ts";

Deno.test("C 28 with a hub that does not answer, its last answer is given soon, and its next one when it comes", async () => {
  await using parts = await mirroring({
    ...{ settings: { mirrorFresh: 0 }, upstream: { promptMs: 1 } },
  });
  const { double, hub } = parts;
  const first = double.add("org/model", { "a.txt": "one" });
  const named = async () => {
    const response = await open(hub, "/api/models/org/model/revision/main");
    const { sha } = await response.json();
    return { sha, isStale: response.headers.has("X-Mirror-Stale") };
  };
  // Nothing else can be given.
  assert.deepEqual(await named(), { sha: first, isStale: false });
  const second = double.add("org/model", { "a.txt": "two" });
  double.fault = () => ({ isSilent: true });
  double.taken();
  for (let attempt = 0; attempt < 3; attempt++) {
    assert.deepEqual(await named(), { sha: first, isStale: true });
  }
  // All wait for one answer.
  await until(() => double.requests.length > 0);
  assert.equal(double.taken().length, 1);
  double.fault = () => undefined;
  double.resume();
  await until(async () => (await named()).sha === second);
});
