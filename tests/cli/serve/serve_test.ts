import * as assert from "node:assert/strict";
import * as v from "valibot";
import { BASE_PATH } from "../../../schemas/base_path.ts";
import { NewLinkEntry } from "../../../schemas/links.ts";
import { secretPath } from "../../../storage/disk/data_directory.ts";
import { ChildServer } from "../../support/child_server.ts";
import { Client, dataOf } from "../../support/client.ts";
import { fetchBare } from "../../support/hub.ts";
import { mintToken, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

Deno.test({
  name: "C 12 strongroom serve stops in order on every stop signal",
  ignore: Deno.build.os === "windows",
  async fn(t) {
    await using directory = await TempDir.make();
    for (const signal of ["SIGTERM", "SIGINT", "SIGQUIT"] as const) {
      await t.step(signal, async () => {
        await using child = await ChildServer.start({ dataDir: directory.path });
        const one = await child.as(1);
        assert.equal((await one.upload("", { [signal]: signal })).status, 200);
        assert.equal((await child.end(signal)).code, 0);
        assert.match(await child.printed(), new RegExp(`"Stopping","signal":"${signal}"`));
        assert.match(await Deno.readTextFile(`${directory.path}/lock`), /^stopped /);
      });
    }
  },
});

Deno.test({
  name: "C 10 SIGHUP reloads the secret of the data directory, and does not end the server",
  ignore: Deno.build.os === "windows",
  async fn(t) {
    await using directory = await TempDir.make();
    await using child = await ChildServer.start({ dataDir: directory.path });
    const { pid } = child;
    const path = secretPath(directory.path);
    const former = (await Deno.readTextFile(path)).trim();
    const statusWith = async (secret: string) => {
      const token = await mintToken({ secret, userId: 1, privileges: ["resources.view"] });
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${child.origin}${BASE_PATH}/resources`, { headers });
      await response.body?.cancel();
      return response.status;
    };
    const reports = (message: string) => child.log.split(`"${message}"`).length - 1;

    const owner = new Client(
      child.origin + BASE_PATH,
      await mintToken({ secret: former, userId: 1, privileges: USER_PRIVILEGES }),
    );
    await owner.put("a.bin", "content");
    const made = await owner.send("POST", "/links/", {
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ path: "a.bin", expires_in: "30d" }),
    });
    const { url } = v.parse(NewLinkEntry, dataOf(made));
    assert.equal((await fetchBare(url)).status, 200);

    await t.step(
      "C 31 a new secret takes the place of the former one, and ends its links",
      async () => {
        const secret = crypto.randomUUID().repeat(2);
        await Deno.writeTextFile(path, secret);
        assert.equal(await statusWith(secret), 401);
        Deno.kill(child.supervisorPid, "SIGHUP");
        await until(() => reports("Reloaded") === 1);
        assert.notEqual(await statusWith(secret), 401);
        assert.equal(await statusWith(former), 401);
        assert.equal((await fetchBare(url)).status, 404);
      },
    );

    await t.step("one that is wrong is reported, and the one before stays", async () => {
      const secret = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, "short");
      Deno.kill(child.supervisorPid, "SIGHUP");
      await until(() => reports("Cannot reload; what was loaded before stays") === 1);
      assert.notEqual(await statusWith(secret), 401);
      await Deno.writeTextFile(path, secret);
    });

    assert.equal(child.pid, pid);
    assert.equal(child.starts, 1);
    assert.equal((await child.end("SIGTERM")).code, 0);
  },
});
