import * as assert from "node:assert/strict";
import { RemoteClient } from "../../support/remote_client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 25 login keeps several servers, each with its own credential", async (t) => {
  await using directory = await TempDir.make();
  await using a = await TestServer.start();
  await using b = await TestServer.start();
  await (await a.as(1)).upload(undefined, { "of-a": "a" });
  await (await b.as(2)).upload(undefined, { "of-b": "b" });
  const tokens = [
    await mintToken({ userId: 1, privileges: USER_PRIVILEGES, ttlSeconds: 3600 }),
    await mintToken({ userId: 2, privileges: USER_PRIVILEGES, ttlSeconds: 7200 }),
  ] as const;
  const client = new RemoteClient({ HOME: directory.path });
  const printed = async (args: readonly string[], stdin = "") => {
    const { code, stdout, stderr } = await client.run(args, { stdin });
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return stdout;
  };
  const refused = async (...args: string[]) => {
    const { code, stderr } = await client.run(args);
    assert.equal(code, 2, stderr);
    return stderr;
  };

  await t.step("C 25 login says until when the credential is valid", async () => {
    const before = Math.floor(Date.now() / 1000) * 1000 + 3_600_000;
    const login = await printed(["login", a.origin], tokens[0]);
    const [, end = ""] = new RegExp(
      `^Logged in to ${a.origin} until (\\S+Z); the credential is kept in .*login\n`,
    ).exec(login) ?? [];
    assert.ok(Date.parse(end) <= before, login);
    assert.ok(Date.parse(end) > before - 600_000, login);
    await printed(["login", b.origin], tokens[1]);
  });
  await t.step("C 25 commands use the last login, or the one that --server names", async () => {
    assert.equal(await printed(["ls"]), "of-b\n");
    assert.equal(await printed(["ls", "--server", a.origin]), "of-a\n");
    assert.equal(await printed(["get", `--server=${a.url}`, "of-a", "-"]), "a");
    await printed(["login", "use", `${a.origin}/`]);
    assert.equal(await printed(["ls"]), "of-a\n");
    const list = (await printed(["login", "list"])).trim().split("\n");
    assert.deepEqual(
      list.map((line) => line.replace(/ until [^,]+/, "")),
      [`${a.origin}, the default`, b.origin],
    );
    assert.match(await refused("login", "use", "http://127.0.0.1:1"), /There is no login for/);
  });
  await t.step("C 25 a credential is sent to no other server", async () => {
    const stderr = await refused("ls", "--server", "http://127.0.0.1:1");
    assert.match(stderr, /No credential for the server at --server: run strongroom login/);
    const env = { STRONGROOM_URL: a.origin, STRONGROOM_TOKEN: tokens[0] };
    const other = new RemoteClient({ ...client.env, ...env });
    assert.equal((await other.run(["ls", "--server", b.origin])).stdout, "of-b\n");
    assert.equal((await other.run(["ls", "--server", a.origin])).stdout, "of-a\n");
  });
  await t.step("C 25 logout removes the one that it names", async () => {
    assert.match(await refused("logout"), /several logins: name the URL of one, or --all/);
    assert.equal(await printed(["logout", a.origin]), `Logged out of ${a.origin}\n`);
    assert.equal(await printed(["logout", a.origin]), `There was no login for ${a.origin}\n`);
    assert.equal(await printed(["ls"]), "of-b\n");
    await printed(["login", a.origin], tokens[0]);
    assert.equal(await printed(["logout", "--all"]), "Logged out\n");
    assert.match(await refused("ls"), /No server is known/);
  });
});
