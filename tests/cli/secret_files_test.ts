import * as assert from "node:assert/strict";
import { migrateArguments } from "../../cli/migrate_arguments.ts";
import { withSecretFiles } from "../../cli/secret_files.ts";
import { readSettings } from "../../schemas/settings.ts";
import { ChildServer, strongroom } from "../support/child_server.ts";
import { Client } from "../support/client.ts";
import { mintToken, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const SECRET = "a secret of a file, 32 bytes long";
const NEXT_SECRET = "the secret that takes its place in the file";

Deno.test("C 31 a secret setting may be in a file, without the line break at its end", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/secret`;
  const read = (variables: Record<string, string>) =>
    readSettings(withSecretFiles((name) => variables[name]));
  await Deno.writeTextFile(path, `${SECRET}\n`);
  const given = { STRONGROOM_JWT_SECRET_FILE: path };
  assert.equal(read(given).jwtSecret, SECRET);
  assert.equal(read({ ...given, STRONGROOM_JWT_SECRET: "" }).jwtSecret, SECRET);
  assert.throws(() => read({ ...given, STRONGROOM_JWT_SECRET: SECRET }), {
    name: "RangeError",
    message: /^Conflicting settings: set only one of STRONGROOM_JWT_SECRET, .*_FILE$/,
  });
  await Deno.writeTextFile(path, "\n");
  const message = /^Invalid STRONGROOM_JWT_SECRET_FILE ".*": expected a file with a secret \(.*\)$/;
  assert.throws(() => read(given), { name: "RangeError", message });
  await Deno.remove(path);
  assert.throws(() => read(given), { name: "RangeError", message });
  // What is not a secret is not in files.
  await Deno.writeTextFile(path, "9000");
  assert.equal(read({ STRONGROOM_PORT_FILE: path }).port, 8080);
});

Deno.test("C 31 commands read secrets from files, and strongroom config masks them", async () => {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  const path = `${directory.path}/secret`;
  const url = `${directory.path}/url`;
  await Deno.writeTextFile(path, SECRET);
  await Deno.writeTextFile(url, "postgres://me:password@127.0.0.1/strongroom");
  const env = { STRONGROOM_DATA_DIR: dataDir, STRONGROOM_JWT_SECRET_FILE: path };
  const shown = await strongroom(["config"], { ...env, STRONGROOM_DATABASE_URL_FILE: url });
  assert.equal(shown.code, 0, shown.stderr);
  assert.equal(shown.stderr, "");
  const lines = shown.stdout.split("\n");
  for (
    const line of [
      "STRONGROOM_JWT_SECRET=********",
      `STRONGROOM_JWT_SECRET_FILE=${path}`,
      "STRONGROOM_DATABASE_URL=********",
    ]
  ) assert.ok(lines.includes(line), shown.stdout);
  const allowed = await strongroom(["permissions"], { ...env, STRONGROOM_DATABASE_URL_FILE: url });
  for (const part of [path, url, "127.0.0.1:5432"]) assert.ok(allowed.stdout.includes(part), part);
  const refused = await strongroom(["config"], { ...env, STRONGROOM_JWT_SECRET: SECRET });
  assert.deepEqual([refused.code, refused.stderr.trim().split("\n").length], [2, 1]);

  const settings = `${directory.path}/target.env`;
  await Deno.writeTextFile(
    settings,
    `STRONGROOM_DATA_DIR=${dataDir}\nSTRONGROOM_DATABASE_URL_FILE=${url}\n`,
  );
  const given = await migrateArguments(["--from", dataDir, "--to", settings]);
  assert.ok(given !== "finish");
  assert.equal(given.to.databaseUrl, "postgres://me:password@127.0.0.1/strongroom");
});

Deno.test({
  name: "C 31 a server may read the file of its secret and no other, and reads it again at SIGHUP",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using directory = await TempDir.make();
    // As programs that manage containers mount it.
    const path = `${directory.path}/link`;
    await Deno.writeTextFile(`${directory.path}/secret`, SECRET);
    await Deno.symlink("secret", path);
    await using child = await ChildServer.start({
      dataDir: `${directory.path}/data`,
      env: { STRONGROOM_JWT_SECRET_FILE: path },
    });
    const signedBy = async (secret: string) =>
      new Client(
        `${child.origin}/api/v1`,
        await mintToken({ userId: 1, privileges: USER_PRIVILEGES, secret }),
      );
    const [former, next] = [await signedBy(SECRET), await signedBy(NEXT_SECRET)];
    assert.deepEqual([(await former.list()).status, (await next.list()).status], [200, 401]);
    const reloads = () => child.log.split('"Reloaded"').length - 1;
    await Deno.writeTextFile(`${directory.path}/secret`, NEXT_SECRET);
    Deno.kill(child.supervisorPid, "SIGHUP");
    await until(() => reloads() === 1);
    assert.deepEqual([(await former.list()).status, (await next.list()).status], [401, 200]);
    await Deno.writeTextFile(`${directory.path}/secret`, "short");
    Deno.kill(child.supervisorPid, "SIGHUP");
    await until(() => child.log.includes("Cannot reload"));
    assert.equal((await next.list()).status, 200);
    assert.ok(!child.log.includes(NEXT_SECRET));
  },
});
