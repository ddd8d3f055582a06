import * as assert from "node:assert/strict";
import { ROOT } from "../../support/child_server.ts";
import { freePort } from "../../support/ports.ts";
import { mintToken, TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { hasProgram, run } from "../../support/tools.ts";
import { COMMAND_ENVIRONMENT, RemoteClient } from "../../support/remote_client.ts";

Deno.test("C 25 login keeps a server and a credential that it accepts", async (t) => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const token = await mintToken({ userId: 1, privileges: ["capacity.view"] });
  const client = new RemoteClient({ HOME: directory.path });
  const config = `${directory.path}/.config/strongroom`;

  await t.step("C 25 for its owner alone, and never prints the credential", async () => {
    const login = await client.run(["login", `${server.url}/`], { stdin: `${token}\n` });
    assert.equal(login.code, 0, login.stderr);
    assert.ok(!(login.stdout + login.stderr).includes(token));
    const line = `export HF_ENDPOINT=${server.origin}/hub HF_HUB_DISABLE_XET=1`;
    assert.ok(login.stdout.includes(line), login.stdout);
    assert.equal(await Deno.readTextFile(`${config}/login`), `${server.origin}\n${token}\n`);
    const modes = [config, `${config}/login`].map((path) =>
      (Deno.statSync(path).mode ?? 0) & 0o777
    );
    assert.deepEqual(modes, [0o700, 0o600]);
    assert.deepEqual([...Deno.readDirSync(config)].map(({ name }) => name), ["login"]);
  });
  await t.step("C 31 with --hf, a short credential takes its place", async () => {
    const before = await Deno.readTextFile(`${config}/login`);
    const trees = { 7: ["resources.view"] };
    const minting = await mintToken({
      userId: 3,
      privileges: ["resources.view"],
      trees,
      jti: "it",
    });
    const login = await client.run(["login", "--hf", server.origin], { stdin: minting });
    assert.equal(login.code, 0, login.stderr);
    const [, url, short = ""] =
      /^(.*)\n(hf_\w{37})\n$/.exec(await Deno.readTextFile(`${config}/login`)) ?? [];
    assert.equal(url, server.origin);
    assert.ok(login.stdout.endsWith(`export HF_TOKEN=${short}\n`), login.stdout);
    assert.ok(!login.stdout.includes(minting));
    assert.equal((await client.run(["ls"])).code, 0);
    assert.equal((await client.run(["ls", "--tree", "7"])).code, 0);
    // A short one is kept as it is.
    assert.equal((await client.run(["login", "--hf", server.origin], { stdin: short })).code, 0);
    assert.ok((await Deno.readTextFile(`${config}/login`)).includes(short));
    const withoutJti = await client.run(["login", "--hf", server.origin], { stdin: token });
    assert.match(withoutJti.stderr, /no jti/);
    await Deno.writeTextFile(`${config}/login`, before);
  });
  await t.step("C 25 a credential that the server refuses replaces nothing", async () => {
    const before = await Deno.readTextFile(`${config}/login`);
    const refused = await client.run(["login", server.origin], { stdin: `${token}x` });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^strongroom: .*strongroom login.*\(ErrAuthRequired\)\n$/);
    assert.ok(!refused.stderr.includes(token));
    const empty = await client.run(["login", server.origin]);
    assert.deepEqual([empty.code, empty.stderr], [
      2,
      "strongroom: A credential is expected on stdin\n",
    ]);
    assert.equal(await Deno.readTextFile(`${config}/login`), before);
  });
  await t.step("C 25 a server that cannot be reached is named in one line", async () => {
    const origin = `http://127.0.0.1:${freePort()}`;
    const { code, stderr } = await client.run(["login", origin], { stdin: token });
    assert.deepEqual([code, stderr], [
      1,
      `strongroom: Cannot reach the server at ${origin}: Connection refused\n`,
    ]);
  });
  await t.step(
    "C 25 a server that redirects does not get the credential sent elsewhere",
    async () => {
      const seen: string[] = [];
      await using other = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen() {} },
        (request) => {
          seen.push(request.url);
          return new Response();
        },
      );
      await using redirecting = Deno.serve({
        hostname: "127.0.0.1",
        port: 0,
        onListen() {},
      }, () => Response.redirect(`http://127.0.0.1:${other.addr.port}/`));
      const url = `http://127.0.0.1:${redirecting.addr.port}`;
      const { code, stderr } = await client.run(["login", url], { stdin: token });
      assert.equal(code, 2);
      assert.match(stderr, /redirects to http:\/\/127\.0\.0\.1:\d+\/: log in there\n$/);
      assert.deepEqual(seen, []);
    },
  );
  await t.step("C 25 bad URLs are refused in one line that repeats no password", async () => {
    for (
      const url of ["files.example", "ftp://x", "http://me:secret@x", "http://x/?token=secret"]
    ) {
      const { code, stderr } = await client.run(["login", url], { stdin: token });
      assert.equal(code, 2);
      assert.match(stderr, /^strongroom: Invalid URL: expected .*\n$/);
      assert.ok(!stderr.includes("secret"));
    }
    assert.equal((await client.run(["login"], { stdin: token })).code, 2);
  });
  await t.step("C 25 logout removes it", async () => {
    assert.equal((await client.run(["logout"])).stdout, "Logged out\n");
    assert.equal((await client.run(["logout"])).stdout, "There was no login\n");
    assert.deepEqual([...Deno.readDirSync(config)], []);
  });
});

Deno.test({
  name: "C 25 login reads the credential without echo on a terminal",
  ignore: Deno.build.os !== "linux" || !await hasProgram("script", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    await using server = await TestServer.start();
    const token = await mintToken({ userId: 1, privileges: ["capacity.view"] });
    const command = `'${Deno.execPath()}' run -A main.ts login ${server.origin}`;
    const child = new Deno.Command("script", {
      args: ["-qec", command, "/dev/null"],
      cwd: ROOT,
      env: { ...COMMAND_ENVIRONMENT, HOME: directory.path, TERM: "xterm", NO_COLOR: "1" },
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    let shown = "";
    const writer = child.stdin.getWriter();
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      shown += text;
      if (!shown.endsWith("Credential: ")) continue;
      await writer.write(new TextEncoder().encode(`wrong\x7f\x7f\x7f\x7f\x7f${token}\r`));
    }
    await writer.close();
    assert.equal((await child.status).code, 0, shown);
    assert.match(shown, /^Credential: \r?\nLogged in to http/);
    const { stdout } = await run("cat", [`${directory.path}/.config/strongroom/login`]);
    assert.equal(stdout, `${server.origin}\n${token}\n`);
  },
});
