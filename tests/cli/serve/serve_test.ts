import * as assert from "node:assert/strict";
import { ChildServer } from "../../support/child_server.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test({
  name: "C 12 strongroom serve stops in order on every stop signal",
  ignore: Deno.build.os === "windows",
  async fn(t) {
    await using directory = await TempDir.make();
    for (const signal of ["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"] as const) {
      await t.step(signal, async () => {
        await using child = await ChildServer.start({ dataDir: directory.path });
        const one = await child.as(1);
        assert.equal((await one.upload("", { [signal]: signal })).status, 200);
        // A terminal that closes may send its signal twice.
        if (signal === "SIGHUP") Deno.kill(child.pid, signal);
        assert.equal((await child.end(signal)).code, 0);
        assert.match(await child.printed(), new RegExp(`"Stopping","signal":"${signal}"`));
        assert.match(await Deno.readTextFile(`${directory.path}/lock`), /^stopped /);
      });
    }
  },
});
