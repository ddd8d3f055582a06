import { fleetFaults, fleetMissing } from "../faults/fleet.ts";

Deno.test({
  name:
    "C 23 three servers and their engines are killed under load, and nothing is lost or left over",
  ignore: fleetMissing !== undefined,
  async fn() {
    await fleetFaults({ count: 3, seed: 1 });
  },
});
