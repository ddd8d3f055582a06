import * as assert from "node:assert/strict";
import { BASE_PATH } from "../../../schemas/base_path.ts";
import { readJwtSecret } from "../../../storage/disk/jwt_secret.ts";
import { ChildServer, strongroom } from "../../support/child_server.ts";
import { Client, dataOf } from "../../support/client.ts";
import { mintToken } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const roles = (privilege: string) => `[roles.research]\nprivileges = ["${privilege}"]\n`;

Deno.test({
  name: "C 27 roles are read at the start and at SIGHUP, and what is wrong is said",
  ignore: Deno.build.os === "windows",
  async fn(t) {
    await using directory = await TempDir.make();
    const { path: dataDir } = directory;
    const file = `${dataDir}/strongroom.toml`;
    await Deno.chmod(dataDir, 0o700);
    await Deno.writeTextFile(file, roles("veiw"));
    const { code, stderr } = await strongroom(["serve"], { STRONGROOM_DATA_DIR: dataDir });
    assert.equal(code, 2, stderr);
    assert.match(
      stderr,
      /line 2: roles\.research\.privileges\.0: unknown privilege "resources\.veiw"/,
    );

    await Deno.writeTextFile(file, roles("view"));
    await using child = await ChildServer.start({ dataDir });
    const secret = await readJwtSecret(dataDir) ?? "";
    const url = child.origin + BASE_PATH;
    const claims = { userId: 7, privileges: ["resources.admin"], secret };
    const admin = new Client(url, await mintToken(claims));
    const body = { name: "ana", number: 7, groups: ["research"] };
    dataOf(await admin.json("POST", "/users/", body));
    const ana = new Client(url, await mintToken({ ...claims, isBound: true }));
    const statuses = async () => [(await ana.list()).status, (await ana.mkdir("d")).status];
    const reports = (message: string) => child.log.split(`"${message}"`).length - 1;
    const reload = () => Deno.kill(child.supervisorPid, "SIGHUP");
    assert.deepEqual(await statuses(), [200, 403]);

    await t.step("what is wrong is reported, and the former roles stay", async () => {
      await Deno.writeTextFile(file, "[roles\n");
      reload();
      await until(() => reports("Cannot reload; what was loaded before stays") === 1);
      assert.deepEqual(await statuses(), [200, 403]);
    });
    await t.step("what is right takes effect", async () => {
      await Deno.writeTextFile(file, roles("edit"));
      reload();
      await until(() => reports("Reloaded") === 1);
      await until(async () => (await ana.list()).status === 403);
      assert.deepEqual(await statuses(), [403, 200]);
    });
    assert.equal((await child.end("SIGTERM")).code, 0);
  },
});
