import * as assert from "node:assert/strict";
import { canLosePower, powerLosses } from "../faults/power_losses.ts";

for (const system of ["ext4", "btrfs", "xfs"] as const) {
  Deno.test({
    name: `C 5.6 acknowledged changes survive power losses (${system})`,
    ignore: !await canLosePower(system),
    async fn() {
      const { tried, acknowledged } = await powerLosses(system, { count: 3, seed: 20261122 });
      assert.equal(tried, 3);
      assert.ok(acknowledged > 20, String(acknowledged));
    },
  });
}
