import * as assert from "node:assert/strict";
import { MIB } from "../../schemas/units.ts";
import { ChildServer } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";
import { ATTACKS } from "./attacks.ts";
import { ATTACKED_SERVER, inFlight, measure } from "./measure.ts";

/** One server has all attacks, one after the other, and the runtime keeps some memory of each. */
const MAX_MEMORY_BYTES = 512 * MIB;

Deno.test({
  name: "C 22 a server answers others while one user attacks, and gives everything back afterwards",
  ignore: Deno.build.os !== "linux",
  async fn(t) {
    await using directory = await TempDir.make();
    await using server = await ChildServer.start({
      dataDir: directory.path,
      env: ATTACKED_SERVER,
    });
    for (const attack of ATTACKS) {
      await t.step(`C 22 ${attack.name}, but fewer`, async () => {
        const result = await measure(server, attack, {
          small: true,
          quietMs: 0,
          attacked: (others) => others.proceed(3),
        });
        assert.deepEqual(result.attacked.filter(({ succeeded }) => !succeeded), []);
        assert.ok(result.peakBytes < MAX_MEMORY_BYTES, `${result.peakBytes} bytes`);
        await until(async () => await inFlight(server) === 1);
      });
    }
    assert.equal(server.starts, 1);
  },
});
