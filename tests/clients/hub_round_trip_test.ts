import { roundTrip } from "../large/hub_round_trip.ts";
import { HUB_VERSIONS } from "../support/hub_clients.ts";

Deno.test({
  name: "C 20 a model of 40 MB goes to the hub and comes back whole, in flat memory",
  ignore: HUB_VERSIONS[0] === undefined,
  async fn() {
    const [version] = HUB_VERSIONS;
    if (version !== undefined) await roundTrip(version, 40_000_000);
  },
});
