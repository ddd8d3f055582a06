import * as assert from "node:assert/strict";
import { RemoteClient } from "../../support/remote_client.ts";
import { TestServer, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 25 ls and rm do what hands expect of them", async (t) => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const user = await server.as(1, ...USER_PRIVILEGES);
  const client = await RemoteClient.of(server, directory.path);
  const run = async (line: string) => {
    const { code, stdout, stderr } = await client.run(line.split(" "), { narrow: false });
    return [code, stdout, stderr.replaceAll(/^strongroom: .*?"(\S+)".*$/gm, "$1?")];
  };
  await user.upload("a", { "1": "one", "2": "two" });
  await user.upload("b/deep", { "3": "three" });
  await user.upload(undefined, { f: "file" });

  await t.step("C 25 ls lists several paths: files, then directories with headings", async () => {
    assert.deepEqual(await run("ls a b"), [0, "a:\n1\n2\n\nb:\ndeep/\n", ""]);
    assert.deepEqual(await run("ls -R b a/2 gone f"), [
      1,
      "a/2\nf\n\nb:\ndeep/\ndeep/3\n",
      "gone?\n",
    ]);
    const [code, json] = await run("ls --json f a b");
    const paths = String(json).trimEnd().split("\n").map((line) => JSON.parse(line).path);
    assert.deepEqual([code, paths], [0, ["f", "a/1", "a/2", "b/deep"]]);
  });
  await t.step("C 25 rm -rf deletes what is there of its paths, and all else fails", async () => {
    assert.deepEqual(await run("rm -r a gone"), [1, "", "gone?\n"]);
    assert.deepEqual(await run("rm -f a/1 gone"), [0, "", ""]);
    assert.deepEqual(await run("rm -f a"), [1, "", "a?\n"]);
    assert.deepEqual(await run("rm -rf a gone b/deep b"), [0, "", ""]);
    assert.deepEqual(await run("rm -rf gone"), [0, "", ""]);
    assert.deepEqual(await run("rm -fr"), [0, "", ""]);
    assert.deepEqual(await run("ls"), [0, "f\n", ""]);
  });
  await t.step("C 25 an unknown letter among others is named", async () => {
    assert.deepEqual(await client.run(["rm", "-rfx", "f"]), {
      code: 2,
      stdout: "",
      stderr: "strongroom: Unknown option -x\n",
    });
  });
});

Deno.test("C 25 put and get give a file a new name where cp would", async (t) => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const client = await RemoteClient.of(server, directory.path);
  const here = (path: string) => `${directory.path}/${path}`;
  await Deno.writeTextFile(here("f"), "file");
  await Deno.mkdir(here("folder"));
  await Deno.writeTextFile(here("folder/g"), "other");
  const lines: readonly (readonly [line: string, code: number, result: string])[] = [
    ["put f new", 0, "new"],
    ["put f into/", 0, "into/f"],
    ["put f into", 0, "into/f"],
    ["put f into/.", 0, "into/f"],
    ["put f :into/named", 0, "into/named"],
    ["put f :", 0, "f"],
    // It has other content.
    ["put folder/g new", 1, "new"],
    ["put --on-conflict replace folder/g new", 0, "new"],
    ["put f folder several", 0, "several/f"],
    // A directory keeps its name, so that the same command continues.
    ["put folder copy", 0, "copy/folder/g"],
    ["put folder copy", 0, "copy/folder/g"],
    ["put --name h f named", 0, "named/h"],
  ];
  for (const [line, code, result] of lines) {
    await t.step(line, async () => {
      const ended = await client.run(line.split(" "), { cwd: directory.path, narrow: false });
      assert.equal(ended.code, code, ended.stderr);
      assert.equal((await client.run(["stat", result], { narrow: false })).code, 0, ended.stdout);
    });
  }
  const received: readonly (readonly [line: string, code: number, result: string])[] = [
    ["get f got", 0, "got"],
    ["get f in/", 0, "in/f"],
    ["get f in", 0, "in/f"],
    ["get :into/named ./in/other", 0, "in/other"],
    ["get new got", 1, "got"],
    ["get --on-conflict replace new got", 0, "got"],
    ["get copy/folder copy", 0, "copy/folder/g"],
    ["get copy/folder copy", 0, "copy/folder/g"],
    ["get f new both", 0, "both/new"],
    ["get --name h f under", 0, "under/h"],
    ["get gone nowhere", 1, "."],
  ];
  for (const [line, code, result] of received) {
    await t.step(line, async () => {
      const ended = await client.run(line.split(" "), { cwd: directory.path });
      assert.equal(ended.code, code, ended.stderr);
      await Deno.lstat(here(result));
    });
  }
  assert.equal(await Deno.readTextFile(here("got")), "other");
  const left = [...Deno.readDirSync(directory.path)].map(({ name }) => name).sort();
  assert.deepEqual(left.filter((it) => it !== ".local"), [
    "both",
    "copy",
    "f",
    "folder",
    "got",
    "in",
    "under",
  ]);
});
