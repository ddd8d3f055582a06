import * as assert from "node:assert/strict";
import { Client, dataOf } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import * as v from "valibot";

/** A short credential of user 7: litmus takes no password of 256 characters or more. */
async function passwordOf(server: TestServer): Promise<string> {
  const privileges = USER_PRIVILEGES;
  const token = await mintToken({ userId: 7, privileges, jti: crypto.randomUUID() });
  const reply = await new Client(server.url, token).json("POST", "/tokens/", {
    privileges,
    short: true,
  });
  return v.parse(v.object({ token: v.string() }), dataOf(reply)).token;
}

/** Whether this host lets file systems be mounted with davfs2. */
const canMount = await hasProgram("mount.davfs", "--version") && Deno.uid() === 0 &&
  await hasProgram("test", "-c", "/dev/fuse");

for (const suite of ["basic", "copymove", "props", "locks", "http"]) {
  Deno.test({
    name: `C 30 litmus, the suite of the standard, passes: ${suite}`,
    ignore: !await hasProgram("litmus", "--version"),
    async fn() {
      await using server = await TestServer.start();
      await using directory = await TempDir.make();
      const password = await passwordOf(server);
      const { code, stdout } = await run("litmus", [`${server.origin}/dav/`, "anyone", password], {
        cwd: directory.path,
        env: { TESTS: suite },
      });
      assert.equal(code, 0, stdout);
      assert.match(stdout, / 0 failed\. 100\.0%/);
      assert.doesNotMatch(stdout, /WARNING|SKIPPED/);
    },
  });
}

Deno.test({
  name: "C 30 rclone sends, compares, moves and deletes by WebDAV",
  ignore: !await hasProgram("rclone", "version"),
  async fn() {
    await using server = await TestServer.start();
    await using directory = await TempDir.make();
    const api = await server.as(7);
    const { stdout: obscured } = await run("rclone", ["obscure", await passwordOf(server)]);
    const env = {
      RCLONE_CONFIG_DAV_TYPE: "webdav",
      RCLONE_CONFIG_DAV_URL: `${server.origin}/dav`,
      RCLONE_CONFIG_DAV_VENDOR: "other",
      RCLONE_CONFIG_DAV_USER: "anyone",
      RCLONE_CONFIG_DAV_PASS: obscured.trim(),
    };
    const rclone = async (...args: string[]) => {
      const { code, stdout, stderr } = await run("rclone", ["--config", "/dev/null", ...args], {
        env,
        cwd: directory.path,
      });
      assert.equal(code, 0, stderr);
      return stdout + stderr;
    };
    await Deno.mkdir(`${directory.path}/models/a b/ü`, { recursive: true });
    for (let index = 0; index < 20; index++) {
      await Deno.writeFile(`${directory.path}/models/a b/ü/${index}.bin`, noise(1000, index));
    }
    await Deno.writeFile(`${directory.path}/models/#&%20+.bin`, noise(3_000_000, 1));
    await rclone("sync", "models", "dav:models");
    assert.match(await rclone("check", "--download", "models", "dav:models"), /21 matching files/);
    await Deno.remove(`${directory.path}/models/a b/ü/7.bin`);
    await rclone("sync", "models", "dav:models");
    await rclone("copy", "dav:models", "dav:copied");
    await rclone("moveto", "dav:models", "dav:moved");
    assert.match(await rclone("check", "--download", "models", "dav:moved"), /20 matching files/);
    assert.match(await rclone("about", "dav:"), /Used:/);
    await rclone("purge", "dav:copied");
    assert.deepEqual(await api.paths(), ["moved"]);
  },
});

Deno.test({
  name: "C 30 cadaver stores, locks, describes and moves a file",
  ignore: !await hasProgram("sh", "-c", "command -v cadaver"),
  async fn() {
    await using server = await TestServer.start();
    await using directory = await TempDir.make();
    const api = await server.as(7);
    const password = await passwordOf(server);
    await Deno.writeTextFile(
      `${directory.path}/.netrc`,
      `machine 127.0.0.1\nlogin anyone\npassword ${password}\n`,
      { mode: 0o600 },
    );
    await Deno.writeTextFile(`${directory.path}/a.txt`, "content");
    const lines = [
      "mkcol dir",
      "put a.txt dir/a.txt",
      "lock dir/a.txt",
      "propset dir/a.txt color red",
      "unlock dir/a.txt",
      "move dir/a.txt dir/b.txt",
      "propget dir/b.txt color",
      "ls dir",
      "quit",
    ];
    const script = `${lines.join("\n")}\n`;
    await Deno.writeTextFile(`${directory.path}/lines`, script);
    const { code, stdout, stderr } = await run(
      "sh",
      ["-c", `cadaver ${server.origin}/dav/ <lines`],
      { cwd: directory.path, env: { HOME: directory.path } },
    );
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout, /failed/i);
    assert.match(stdout, /Value of color is: red/);
    assert.deepEqual(await api.tree(), ["dir", "dir/b.txt"]);
  },
});

Deno.test({
  name: "C 30 davfs2 mounts a tree",
  ignore: !canMount,
  async fn() {
    await using server = await TestServer.start();
    await using directory = await TempDir.make();
    const api = await server.as(7);
    await api.put("there.txt", "there");
    const [mount, url] = [`${directory.path}/mount`, `${server.origin}/dav`];
    await Deno.mkdir(mount);
    const secrets = `${directory.path}/secrets`;
    const password = await passwordOf(server);
    await Deno.writeTextFile(secrets, `${url} anyone ${password}\n`, { mode: 0o600 });
    await Deno.writeTextFile(`${directory.path}/conf`, `secrets ${secrets}\nask_auth 0\n`);
    const { code } = await run("mount", [
      "-t",
      "davfs",
      "-o",
      `conf=${directory.path}/conf`,
      url,
      mount,
    ]);
    // A container may not mount anything.
    if (code !== 0) return;
    const content = noise(300_000, 1);
    try {
      assert.equal(await Deno.readTextFile(`${mount}/there.txt`), "there");
      await Deno.mkdir(`${mount}/dir`);
      await Deno.writeFile(`${mount}/dir/a.bin`, content);
      await Deno.rename(`${mount}/there.txt`, `${mount}/dir/moved.txt`);
    } finally {
      // What is in its cache is sent now.
      const unmounted = await run("umount", [mount]);
      assert.equal(unmounted.code, 0, unmounted.stderr);
    }
    assert.deepEqual(await api.tree(), ["dir", "dir/a.bin", "dir/moved.txt"]);
    assert.deepEqual(await api.bytes({ path: "dir/a.bin" }), content);
  },
});

Deno.test({
  name: "C 30 gio of GNOME stores, reads and moves a file",
  ignore: !await hasProgram("gio", "version") ||
    !await hasProgram("sh", "-c", "command -v dbus-run-session && ls /usr/lib/gvfs/gvfsd-dav"),
  async fn() {
    await using server = await TestServer.start();
    await using directory = await TempDir.make();
    const api = await server.as(7);
    await Deno.writeTextFile(`${directory.path}/a.txt`, "content");
    const url = `${server.origin.replace("http://", "dav://anyone@")}/dav`;
    const script = `echo $PASSWORD | gio mount ${url}
      gio mkdir ${url}/dir
      gio copy a.txt ${url}/dir/a.txt
      gio cat ${url}/dir/a.txt >read
      gio move ${url}/dir/a.txt ${url}/dir/b.txt
      gio list ${url}/dir >listed`;
    const { code, stderr } = await run("dbus-run-session", ["sh", "-euc", script], {
      cwd: directory.path,
      env: {
        HOME: directory.path,
        XDG_RUNTIME_DIR: directory.path,
        PASSWORD: await passwordOf(server),
      },
    });
    assert.equal(code, 0, stderr);
    assert.equal(await Deno.readTextFile(`${directory.path}/read`), "content");
    assert.equal(await Deno.readTextFile(`${directory.path}/listed`), "b.txt\n");
    assert.deepEqual(await api.tree(), ["dir", "dir/b.txt"]);
  },
});
