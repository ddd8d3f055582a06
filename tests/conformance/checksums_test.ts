import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Client, refused } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { overwriteContent } from "../support/stored_content.ts";
import { openDatabase } from "../support/test_database.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";

function hex(algorithm: "md5" | "sha256", content: string | Uint8Array): string {
  return createHash(algorithm).update(content).digest("hex");
}

async function checksums(client: Client, path?: string): Promise<string> {
  const reply = await client.send("GET", "/resources/checksums", { query: { path } });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get("Content-Type"), "text/plain; charset=utf-8");
  return reply.text;
}

Deno.test("C 17 GET /resources/checksums", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.put("d/a.txt", "a");
  await one.put("d/é è/b.txt", "b");
  await one.put("d/a.txt.d/c", "c");
  await one.mkdir("d/empty");
  await one.put("top", "t");
  const two = await server.as(2);
  await two.put("d/a.txt", "theirs");
  await two.put("only/theirs", "o");

  await t.step("C 17 a line for each file, relative to the path, by path", async () => {
    assert.equal(
      await checksums(one, "d"),
      `${hex("sha256", "a")}  a.txt\n` +
        `${hex("sha256", "c")}  a.txt.d/c\n` +
        `${hex("sha256", "b")}  é è/b.txt\n`,
    );
  });
  await t.step("C 17 of a file", async () => {
    assert.equal(await checksums(one, "d/a.txt"), `${hex("sha256", "a")}  a.txt\n`);
    assert.equal(await checksums(one, "top"), `${hex("sha256", "t")}  top\n`);
  });
  await t.step("C 17 of the whole tree of the caller", async () => {
    for (const path of [undefined, "", " "]) {
      assert.deepEqual(
        (await checksums(one, path)).split("\n").sort(),
        [
          "",
          `${hex("sha256", "a")}  d/a.txt`,
          `${hex("sha256", "b")}  d/é è/b.txt`,
          `${hex("sha256", "c")}  d/a.txt.d/c`,
          `${hex("sha256", "t")}  top`,
        ].sort(),
      );
    }
  });
  await t.step("C 17 of an empty directory", async () => {
    assert.equal(await checksums(one, "d/empty"), "");
  });
  await t.step("RS 1.4 an administrator gets those of another user's directory", async () => {
    const admin = await server.admin(9);
    assert.equal(await checksums(admin, "only"), `${hex("sha256", "o")}  theirs\n`);
    assert.equal(await checksums(admin), "");
  });
  await t.step("C 17 refuses what is invalid or missing", async () => {
    const get = (path: string) => one.send("GET", "/resources/checksums", { query: { path } });
    refused(await get("missing"), 404, "ErrResourcesNotFound");
    refused(await get("only/theirs"), 404, "ErrResourcesNotFound");
    refused(await get("a/../b"), 400, "ErrResourcesInvalidRequest");
  });
  await t.step("C 17 needs resources.view", async () => {
    const uploader = await server.as(1, "resources.upload", "resources.download");
    refused(await uploader.send("GET", "/resources/checksums"), 403, "ErrNotPermitted");
  });
});

Deno.test("C 17 checksums of more files than a page of a listing", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const names = Array.from({ length: 990 }, (_, index) => `f${index}`);
  await one.upload("many", Object.fromEntries(names.map((name) => [name, name])));
  const lines = (await checksums(one, "many")).trimEnd().split("\n");
  assert.deepEqual(lines, names.toSorted().map((name) => `${hex("sha256", name)}  ${name}`));
});

Deno.test("C 17 checksums read content that came before SHA-256 was kept", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const contents = [noise(100, 1), noise(200_000, 2), noise(300, 3)];
  for (const [index, content] of contents.entries()) await one.put(`d/${index}`, content);
  {
    await using database = await openDatabase(server.dataDir);
    await database.run("UPDATE contents SET sha256 = NULL WHERE hash <> :hash", {
      hash: hex("md5", noise(300, 3)),
    });
  }
  const expected = contents.map((content, index) => `${hex("sha256", content)}  ${index}\n`);
  assert.equal(await checksums(one, "d"), expected.join(""));
  const damaged = noise(200_000, 2).map((byte) => byte ^ 1);
  await overwriteContent(server.dataDir, hex("md5", noise(200_000, 2)), damaged);
  const reply = await one.send("GET", "/resources/checksums", { query: { path: "d/1" } });
  refused(reply, 500, "ErrInternal");
  assert.ok(server.log.some((line) => line.includes("Damaged content")));
});

Deno.test({
  name: "C 17 sha256sum -c reads the checksums",
  ignore: !await hasProgram("sha256sum", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    await using server = await TestServer.start();
    const one = await server.as(1);
    for (const path of ["a b.txt", "sub/ä*"]) {
      const stored = path.replace("*", "~$'");
      await one.put(`d/${stored}`, `content of ${stored}`);
      await Deno.mkdir(`${directory.path}/sub`, { recursive: true });
      await Deno.writeTextFile(`${directory.path}/${stored}`, `content of ${stored}`);
    }
    await Deno.writeTextFile(`${directory.path}/SHA256SUMS`, await checksums(one, "d"));
    const check = () => run("sha256sum", ["--strict", "-c", "SHA256SUMS"], { cwd: directory.path });
    const good = await check();
    assert.equal(good.code, 0, good.stderr);
    await Deno.writeTextFile(`${directory.path}/a b.txt`, "changed");
    assert.equal((await check()).code, 1);
  },
});
