import * as assert from "node:assert/strict";
import { rollingMissing, rollingRestart } from "../faults/rolling_restart.ts";

Deno.test({
  name: "C 31 servers are restarted one after the other, and the balancer fails and cuts nothing",
  ignore: rollingMissing !== undefined,
  async fn() {
    const { requests, transfers } = await rollingRestart({
      servers: 2,
      restarts: 2,
      drain: "6s",
      transferMs: 0,
    });
    assert.ok(requests > 0 && transfers > 0);
  },
});
