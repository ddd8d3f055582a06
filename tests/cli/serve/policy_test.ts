import * as assert from "node:assert/strict";
import { BASE_PATH } from "../../../schemas/base_path.ts";
import { readJwtSecret } from "../../../storage/disk/jwt_secret.ts";
import { ChildServer, strongroom } from "../../support/child_server.ts";
import { Client, dataOf, entry, refused } from "../../support/client.ts";
import { mintToken, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const rule = (condition: string) =>
  `[[policy.rule]]\nname = "it"\ndeny = "Not here"\nuploads = true\n${condition}\n`;

Deno.test({
  name: "C 28 rules are read at the start and at SIGHUP, and policy check says what is wrong",
  ignore: Deno.build.os === "windows",
  async fn(t) {
    await using directory = await TempDir.make();
    const { path: dataDir } = directory;
    const file = `${dataDir}/strongroom.toml`;
    const env = { STRONGROOM_DATA_DIR: dataDir };
    await Deno.chmod(dataDir, 0o700);
    const none = await strongroom(["policy", "check"], env);
    assert.deepEqual([none.code, none.stderr], [0, ""], none.stderr);

    await Deno.writeTextFile(file, rule('format = "pickle"'));
    const message =
      /line 5: policy\.rule\.0\.format: only a scan says it, .* STRONGROOM_GATE=block/;
    for (const command of [["serve"], ["policy", "check"]]) {
      const { code, stderr } = await strongroom(command, env);
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
    }
    const gated = { ...env, STRONGROOM_GATE: "block" };
    const checked = await strongroom(["policy", "check", "--json"], gated);
    assert.deepEqual(JSON.parse(checked.stdout), {
      ...{ name: "it", effect: "deny", words: "Not here", uploads: true, facts: ["format"] },
    });
    await Deno.writeTextFile(file, rule("") + rule("").replace("it", "other"));
    const { code, stderr } = await strongroom(["policy", "check"], env);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /other decides nothing for uploads: it before it decides all/);

    await Deno.writeTextFile(file, rule('file = "*.exe"'));
    await using child = await ChildServer.start({ dataDir });
    const secret = await readJwtSecret(dataDir) ?? "";
    const claims = { userId: 7, privileges: USER_PRIVILEGES, secret };
    const one = new Client(child.origin + BASE_PATH, await mintToken(claims));
    const reports = (message: string) => child.log.split(`"${message}"`).length - 1;
    const reload = () => Deno.kill(child.supervisorPid, "SIGHUP");
    const refusal = async (path: string) =>
      refused(await one.put(path, "x"), 403, "ErrResourcesRefused");
    await refusal("a.exe");

    await t.step("what is wrong is reported, and the former rules stay", async () => {
      await Deno.writeTextFile(file, rule("file = 7"));
      reload();
      await until(() => reports("Cannot reload; what was loaded before stays") === 1);
      await refusal("a.exe");
    });
    await t.step("what is right takes effect", async () => {
      await Deno.writeTextFile(file, rule('file = "*.com"'));
      reload();
      await until(() => reports("Reloaded") === 1);
      entry(await one.put("a.exe", "x"), 201);
      await refusal("a.com");
    });
    await t.step("policy check says what would happen to files of the server", async () => {
      const login = { STRONGROOM_URL: child.origin, STRONGROOM_TOKEN: one.token };
      const check = (path: string) => strongroom(["policy", "check", path], login);
      const allowed = await check("a.exe");
      assert.deepEqual([allowed.code, allowed.stdout], [
        0,
        "a.exe: allowed by default: No rule refuses it\n",
      ]);
      entry(await one.put("models/n/m/b.com.txt", "x"), 201);
      dataOf(await one.move({ sources: ["a.exe"], destination: "models/n/m/b.com" }));
      const mixed = await check("n/m");
      assert.deepEqual([mixed.code, mixed.stdout.split("\n")], [1, [
        "models/n/m/b.com: refused by it: Not here",
        "models/n/m/b.com.txt: allowed by default: No rule refuses it",
        "",
      ]]);
      const missing = await check("n/other");
      assert.equal(missing.code, 2);
      assert.match(missing.stderr, /models\/n\/other.*not found/);
    });
    assert.equal((await child.end("SIGTERM")).code, 0);
  },
});
