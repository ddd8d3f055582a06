import * as assert from "node:assert/strict";
import { RemoteClient } from "../../support/remote_client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 25 cat, find and usage", async (t) => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const user = await server.as(1, ...USER_PRIVILEGES);
  await user.upload("models/first", { "b.bin": "x".repeat(1536), "a.txt": "hello\n" });
  await user.upload("models/second", { "b.bin": "x".repeat(1536), "c\u202ed.txt": "c" });
  const privileges = [...USER_PRIVILEGES, "resources.admin"];
  const token = await mintToken({ userId: 1, privileges, quota: 8192 });
  const client = new RemoteClient({
    HOME: directory.path,
    STRONGROOM_URL: server.origin,
    STRONGROOM_TOKEN: token,
  });
  const printed = async (...args: string[]) => {
    const { code, stdout, stderr } = await client.run(args);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return stdout;
  };

  await t.step("C 25 cat prints files one after the other", async () => {
    assert.equal(
      await printed("cat", "/models/first/a.txt", "models/second/c\u202ed.txt"),
      "hello\nc",
    );
    const { code, stdout, stderr } = await client.run(["cat", "models/first/a.txt", "models"]);
    assert.deepEqual([code, stdout, stderr], [
      1,
      "hello\n",
      'strongroom: The server has no file "models"\n',
    ]);
  });
  await t.step("C 25 find prints the paths that meet all conditions", async () => {
    const find = async (...args: string[]) => (await printed("find", ...args)).split("\n");
    assert.deepEqual(await find("--name", "*.bin"), [
      "models/first/b.bin",
      "models/second/b.bin",
      "",
    ]);
    assert.deepEqual(await find("--name", "first/*", "--max-size", "1KiB"), [
      "models/first/a.txt",
      "",
    ]);
    assert.deepEqual(await find("--type", "directory"), [
      "models",
      "models/first",
      "models/second",
      "",
    ]);
    assert.deepEqual(await find("--type=file", "--name", "a.*", "--name", "c*", "models"), [
      "models/first/a.txt",
      "models/second/c\\u{202e}d.txt",
      "",
    ]);
    const json = await printed("find", "--json", "--min-size", "1536", "models/second");
    assert.equal(JSON.parse(json).path, "models/second/b.bin");
    assert.equal(await printed("find", "--name", "nothing"), "");
  });
  await t.step(
    "C 25, C 22 usage prints what a tree holds, and what of the quota is left",
    async () => {
      assert.deepEqual((await printed("usage")).trim().split("\n").map((it) => it.split(/ {2,}/)), [
        ["Files", "4"],
        ["Directories", "3"],
        ["Size", "3.0 KiB"],
        ["Stored", "1.5 KiB"],
        ["Quota", "8.0 KiB"],
        ["Left", "5.0 KiB"],
      ]);
      await (await server.as(2)).upload(undefined, { other: "other" });
      const all = JSON.parse(await printed("usage", "--all", "--json"));
      assert.deepEqual([all.files, all.quota], [5, null]);
      assert.equal(JSON.parse(await printed("usage", "--tree", "2", "--json")).files, 1);
    },
  );
});
