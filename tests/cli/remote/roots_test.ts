import * as assert from "node:assert/strict";
import { type CommandName, COMMANDS, isCommand } from "../../../cli/commands.ts";
import { remoteDirectory, remotePath } from "../../../cli/remote/verb.ts";
import { USAGES } from "../../../cli/usage.ts";
import { UsageError } from "../../../cli/usage_error.ts";
import { LOADERS } from "../../../main.ts";
import { writeFolder } from "../../support/folders.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { TestServer, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

/** Commands in their order, by verb. An @ is what begins a path of the server; the last ones need one. */
const COMMAND_LINES: Readonly<Partial<Record<CommandName, readonly string[]>>> = {
  ls: ["ls @d", "ls -l @d @gone"],
  tree: ["tree @d"],
  find: ["find @d"],
  stat: ["stat @d/f"],
  facts: ["facts @d/f"],
  verify: ["verify @d/f"],
  compare: ["compare @d @d"],
  cat: ["cat @d/f"],
  mkdir: ["mkdir @new/deep"],
  cp: ["cp @d/f @new", "cp @d/f @g"],
  mv: ["mv @g @new/deep/"],
  link: ["link @d/f"],
  put: ["put local/a @d", "put local/a @b"],
  get: ["get @d/f @b -", "get @d/f -", "get @d/f got"],
  sync: ["sync local :@synced"],
  scan: ["scan --remote --format text @d"],
  rm: ["rm @d/a", "rm -rf @new/deep"],
  trash: ["trash restore @new/deep"],
  restore: ["restore @d/a --at 8"],
  tag: ["tag one @d"],
  diff: ["diff --from 8 @d"],
  log: ["log @d"],
  policy: ["policy check @d"],
};
const VERBS = Object.entries(USAGES).filter(([name, { remotePaths }]) =>
  isCommand(name) && (remotePaths !== undefined || name === "scan")
).map(([name]) => name);

Deno.test("C 25 a colon or a slash before a path means the root of the tree, in every verb", async () => {
  assert.deepEqual(Object.keys(COMMAND_LINES).sort(), VERBS.sort());
  await using server = await TestServer.start({ settings: { history: 86_400_000 } });
  /** What all commands print in a tree of their own, but for what differs in any two. */
  const printed = async (userId: number, prefix: string) => {
    await using directory = await TempDir.make();
    await writeFolder(`${directory.path}/local`, { a: "a" });
    const privileges = [...USER_PRIVILEGES, "scans.run", "scans.view"];
    const user = await server.as(userId, ...privileges);
    await user.upload("d", { f: "text" });
    const client = await RemoteClient.of(server, directory.path, { userId, privileges });
    const outputs: [command: string, code: number, output: string][] = [];
    for (const line of Object.values(COMMAND_LINES).flat()) {
      const args = line.replaceAll(":@", "@").replaceAll(
        "@",
        line.startsWith("sync") ? ":" + prefix.replace(":", "") : prefix,
      ).split(" ");
      const { code, stdout, stderr } = await client.run(args, {
        cwd: directory.path,
        narrow: false,
      });
      const output = `${stdout}${stderr}`
        .replaceAll(/\d{4}-\d\d-\d\d.\d\d:\d\d:\d\d\S*|(?<=Owner +|Id +)\d+|http:\S+/g, "…")
        // The user of a change.
        .replaceAll(/(?<=… {2})\d+(?= {2})/g, "…")
        .replaceAll(/(?<=Duration ).*/g, "…");
      outputs.push([line, code, output]);
    }
    outputs.push(["what is left", 0, (await client.run(["ls", "-R"])).stdout]);
    return outputs;
  };
  const [plain, ...others] = await Promise.all(["", ":", "/"].map((it, at) => printed(at + 1, it)));
  assert.ok(plain !== undefined);
  assert.equal(
    plain.at(-1)?.[2],
    "b\nd/\nd/a\nd/f\nnew/\nnew/deep/\nnew/deep/g\nnew/f\nsynced/\nsynced/a\n",
  );
  assert.deepEqual(plain.filter(([, code]) => code !== 0).map(([line]) => line), [
    "ls -l @d @gone",
    // Nobody has signed it.
    "verify @d/f",
    "get @d/f @b -",
  ]);
  for (const other of others) assert.deepEqual(other, plain);
});

Deno.test("C 25 the root itself is listed and copied to, and verbs of entries below it refuse it", async (t) => {
  for (const root of [":", "/", ":/", "/.", ":./"]) assert.equal(remoteDirectory(root), "");
  for (const path of [":a/b", "/a/b", ":/a/b", "a//b/", ":a/./b"]) {
    assert.deepEqual([remotePath(path), remoteDirectory(path)], ["a/b", "a/b"]);
  }
  assert.throws(() => remotePath("::a"), UsageError);
  const refused: readonly string[] = ["stat", "cat", "link", "rm -rf", "mv : x", "cp : x"];
  for (const line of refused) {
    await t.step(line, async () => {
      const [name = "", ...args] = line.split(" ");
      assert.ok(isCommand(name) && COMMANDS[name] === "server");
      const { run } = await LOADERS[name]();
      await assert.rejects(async () => await run(args.includes(":") ? args : [...args, ":"]), {
        constructor: UsageError,
        message: '":" is the root of the tree: a path below it is expected',
      });
    });
  }
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const user = await server.as(1, ...USER_PRIVILEGES);
  await user.upload("d", { f: "text" });
  await user.upload("new", { h: "h" });
  const client = await RemoteClient.of(server, directory.path);
  const lines: readonly (readonly [line: string, prints: string])[] = [
    ["ls :", "d/\nnew/\n"],
    ["tree :", "/\n  d/\n    f\n  new/\n    h\n2 directories, 2 files\n"],
    ["find :", "d\nd/f\nnew\nnew/h\n"],
    ["mkdir :", ""],
    ["cp d/f :", ""],
    ["cp new/h d/f : --force", ""],
    ["mv d/f :g", ""],
    ["get : got --name all", "Received 4 files, 10 bytes\n"],
    ["ls : d", "/:\nd/\nf\ng\nh\nnew/\n\nd:\n"],
    ["sync got/all :", "Sent 0 files, 0 bytes; 4 files, 10 bytes were there already\n"],
  ];
  for (const [line, prints] of lines) {
    await t.step(line, async () => {
      const { code, stdout, stderr } = await client.run(line.split(" "), {
        cwd: directory.path,
        narrow: false,
      });
      assert.deepEqual([code, stdout, stderr], [0, prints, ""]);
    });
  }
});
