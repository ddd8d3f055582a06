import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path/posix";
import { RemoteClient } from "../../support/remote_client.ts";
import { TestServer, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 26 verbs for what was", async (t) => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start({ settings: { history: 86_400_000 } });
  const user = await server.as(1, ...USER_PRIVILEGES);
  const client = await RemoteClient.of(server, directory.path);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await client.run(args);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return stdout;
  };
  const refusedWith = async (expected: RegExp, ...args: string[]) => {
    const { code, stderr } = await client.run(args);
    assert.notEqual(code, 0, args.join(" "));
    assert.match(stderr, expected);
  };
  await user.put("m/a", "first"); // 1
  await user.put("m/a", "second"); // 2
  await user.put("m/b", "b"); // 3
  await user.move({ source: "m", destination: "n" }); // 4

  await t.step("C 26 log", async () => {
    const lines = (await run("log", "n/a")).trimEnd().split("\n");
    assert.equal(lines.length, 3);
    assert.match(
      lines[0] ?? "",
      /^ {5}4 {2}20\d\d-\d\d-\d\d \d\d:\d\d:\d\d {2}1 {2}moved {5}m\/a → n\/a$/,
    );
    assert.match(lines[1] ?? "", /^ {5}2 .* {2}1 {2}replaced {2}m\/a$/);
    const json = (await run("log", "--json", "-n", "1")).trimEnd();
    assert.equal(JSON.parse(json).action, "moved");
    await refusedWith(/--limit must be/, "log", "-n", "x");
  });

  await t.step("C 26 diff", async () => {
    assert.equal(await run("diff", "--from", "2"), "> m → n/\n> m/a → n/a\n+ n/b\n");
    assert.equal(await run("diff", "--from", "1", "--to", "3", "m"), "~ m/a\n+ m/b\n");
    const [line = ""] = (await run("diff", "--from", "2", "--json")).split("\n");
    assert.equal(JSON.parse(line).former_path, "m");
    await refusedWith(/diff needs --from/, "diff", "n");
  });

  await t.step("C 26 tag", async () => {
    assert.equal(JSON.parse(await run("tag", "v1", "m", "--at", "3", "--json")).files, 2);
    await run("tag", "all", ":", "-m", "As it is");
    const tags = (await run("tag", "list")).trimEnd().split("\n");
    assert.match(tags[0] ?? "", / {2}all {2}\/ {2}\(As it is\)$/);
    assert.match(tags[1] ?? "", / {2}v1 {2}m$/);
    assert.equal((await run("tag", "list", "m", "--json")).trimEnd().split("\n").length, 1);
    await run("tag", "remove", "all");
    await refusedWith(/ErrTagsNotFound/, "tag", "remove", "all");
  });

  await t.step("C 26 ls, get and sync --at", async () => {
    assert.equal(await run("ls", "--at", "v1", "m"), "a\nb\n");
    assert.equal(await run("ls", "-R", "--at", "1"), "m/\nm/a\n");
    assert.equal(await run("get", "--at", "1", "m/a", "-"), "first");
    await run("get", "--at", "v1", "m", directory.path);
    assert.equal(await Deno.readTextFile(join(directory.path, "m/a")), "second");
    const target = join(directory.path, "synced");
    await Deno.mkdir(target);
    await run("sync", "--at", "1", ":m", target);
    assert.equal(await Deno.readTextFile(join(target, "a")), "first");
    assert.deepEqual([...Deno.readDirSync(target)].map(({ name }) => name), ["a"]);
    await refusedWith(/--at is for what comes/, "sync", "--at", "1", target, ":m");
    await refusedWith(/ErrVersionsNotFound/, "ls", "--at", "99");
  });

  await t.step("C 26 restore", async () => {
    await run("restore", "m/a", "--at", "1", "old");
    assert.equal((await user.file("GET", "old")).text, "first");
    const entries = (await run("restore", "m", "--at", "v1", "--json")).trimEnd().split("\n");
    assert.deepEqual(entries.map((it) => JSON.parse(it).path), ["m", "m/a", "m/b"]);
    await refusedWith(/ErrResourcesConflict/, "restore", "m", "--at", "v1");
    await run("restore", "m", "--at", "v1", "--force");
  });

  await t.step("C 26 trash, and rm --purge", async () => {
    await run("rm", "-r", "m");
    await run("rm", "old");
    const [old = "", directory = ""] = (await run("trash")).split("\n");
    assert.match(old, /^20.{17} {2}1 {6}5 bytes {2}old$/);
    assert.match(directory, /^20.{17} {2}1 {6}7 bytes {2}m\/ {2}\(2 files\)$/);
    await run("trash", "restore", "m");
    assert.equal((await user.file("GET", "m/a")).text, "second");
    await refusedWith(/not in the trash/, "trash", "restore", "q");
    await refusedWith(/or --all/, "trash", "empty");
    assert.equal(await run("trash", "empty", "--all", "--json"), '{"total":1}\n');
    assert.equal(await run("trash"), "");
    await run("rm", "--purge", "m/b");
    await run("rm", "-r", "--purge", "m");
    assert.equal(await run("trash", "--json"), "");
  });

  await t.step("C 26 purge needs an administrator", async () => {
    const sha256 = createHash("sha256").update("second").digest("hex");
    await refusedWith(/ErrNotPermitted/, "purge", "--sha256", sha256);
    const admin = await RemoteClient.of(server, directory.path, {
      userId: 9,
      privileges: ["resources.admin"],
    });
    const { code, stdout } = await admin.run(["purge", "--sha256", sha256, "--json"]);
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).path, "n/a");
    await refusedWith(/purge needs --sha256/, "purge", "--sha256", "x");
  });
});
