import * as assert from "node:assert/strict";
import { canInjectFaults } from "../support/injected_fault.ts";
import { injections } from "../faults/injections.ts";

for (const error of ["EIO", "ENOSPC"] as const) {
  Deno.test({
    name: `C 5.5 and C 5.6 the replies of a server whose calls fail with ${error} hold`,
    ignore: !canInjectFaults,
    async fn() {
      const { tried, acknowledged } = await injections(error, { count: 4, seed: 20261122 });
      assert.equal(tried, 4);
      assert.ok(acknowledged > 10, String(acknowledged));
    },
  });
}
