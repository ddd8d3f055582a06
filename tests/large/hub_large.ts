/**
 * `deno task test:large`: a model of 2 GB by `hf upload` and `hf download`, beside the same by curl, with the
 * memory of the server. The variable HUB_MB says how large it is. Needs huggingface_hub and 12 GB of disk.
 */

import { HUB_VERSIONS } from "../support/hub_clients.ts";
import { roundTrip } from "./hub_round_trip.ts";

const BYTES = Number(Deno.env.get("HUB_MB") ?? 2000) * 1_000_000;

Deno.test({
  name: `C 20 a model of ${BYTES / 1_000_000} MB goes to the hub and comes back whole`,
  ignore: HUB_VERSIONS.length === 0,
  async fn() {
    for (const version of HUB_VERSIONS) console.log(await roundTrip(version, BYTES));
  },
});
