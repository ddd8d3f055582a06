import * as assert from "node:assert/strict";
import { S3Client } from "../support/s3_client.ts";
import { headerOf, md5, objectsOf, refused, textsOf, uploadOf } from "../support/s3_objects.ts";
import { pagesOf, versionsIn, versionsOf } from "../support/s3_versions.ts";
import { TestServer } from "../support/server.ts";

const KEEPING = { settings: { history: 86_400_000 } };

Deno.test("C 26, 30 objects have the versions that history keeps", async (t) => {
  await using server = await TestServer.start(KEEPING);
  const client = await S3Client.of(server);
  const { put, get } = objectsOf(client);
  const versions = versionsOf(client);
  const { list, read, remove, status } = versions;
  assert.deepEqual(await status(), ["Enabled"]);
  await put("a/x", "first");
  await put("a/x", "second");
  await remove("a/x");
  await put("a/x", "third");
  await put("a-b", "other");
  await remove("a-b");
  const ALL = ["a-b -6*", "a-b 5", "a/x 4*", "a/x -3", "a/x 2", "a/x 1"];

  await t.step("C 30 ListObjectVersions, whole and in pages", async () => {
    assert.deepEqual(versionsIn(await list()), ALL);
    for (const size of ["1", "2", "4"]) {
      assert.deepEqual(await pagesOf(versions, { "max-keys": size }), ALL, size);
    }
    assert.deepEqual(versionsIn(await list({ prefix: "a/" })), ALL.slice(2));
    assert.deepEqual(versionsIn(await list({ delimiter: "/" })), ["a-b -6*", "a-b 5", "a/"]);
    const after = await list({ delimiter: "/", "key-marker": "a-b" });
    assert.deepEqual(versionsIn(after), ["a/"]);
    assert.deepEqual(versionsIn(await list({ delimiter: "/", "key-marker": "a/" })), []);
    const hashes = ["third", "second", "first"].map(md5);
    assert.deepEqual(
      textsOf(await list({ prefix: "a/" }), "ETag").map((etag) => etag.replaceAll("&#34;", "")),
      hashes,
    );
  });

  await t.step("C 30 GetObject and HeadObject of a version", async () => {
    for (const [id, content] of [["1", "first"], ["2", "second"], ["4", "third"]] as const) {
      const reply = await read("a/x", id);
      assert.deepEqual(
        [reply.body, headerOf(reply, "etag"), headerOf(reply, "x-amz-version-id")],
        [content, `"${md5(content)}"`, id],
      );
      const path = "/s3/own/a/x";
      const head = client.presign({ method: "HEAD", path, query: { versionId: id } });
      const { headers } = await fetch(`${server.origin}${path}?${head.query}`, { method: "HEAD" });
      assert.equal(headers.get("Content-Length"), String(content.length));
    }
    assert.equal((await read("a-b", "5")).body, "other");
    assert.equal((await get("a-b")).status, 404);
    const path = "/s3/own/a/x";
    const of = (versionId: string) => ({ method: "GET", path, query: { versionId } });
    await refused(client, of("3"), [405, "MethodNotAllowed"]);
    await refused(client, of("99"), [404, "NoSuchVersion"]);
    await refused(client, of("null"), [404, "NoSuchVersion"]);
    await refused(client, of("x"), [400, "InvalidArgument"]);
  });

  await t.step("C 30 a version is copied, also in its own place", async () => {
    const copy = (path: string, headers: Record<string, string>) =>
      client.request({ method: "PUT", path: `/s3/own/${path}`, headers });
    const source = { "x-amz-copy-source": "/own/a/x?versionId=1" };
    assert.equal((await copy("a/x", source)).status, 200);
    assert.equal((await get("a/x")).body, "first");
    assert.equal((await copy("c", { "x-amz-copy-source": "own/a-b?versionId=5" })).status, 200);
    assert.equal((await get("c")).body, "other");
    const { begin, part, complete } = uploadOf(client, "/s3/own/parts");
    const id = await begin();
    const range = { "x-amz-copy-source-range": "bytes=1-2" };
    const ranged = await part(id, 1, "", {
      "x-amz-copy-source": "own/a/x?versionId=2",
      ...range,
    });
    assert.equal(ranged.status, 200, ranged.body);
    assert.equal((await client.request(complete(id, [[1, "ec"]]))).status, 200);
    assert.equal((await get("parts")).body, "ec");
    const gone = { ...source, "x-amz-copy-source": "own/a/x?versionId=98" };
    await refused(client, { method: "PUT", path: "/s3/own/d", headers: gone }, [
      404,
      "NoSuchVersion",
    ]);
  });

  await t.step("C 26, 30 what was moved away is marked as deleted", async () => {
    await put("from", "m");
    const [made = ""] = versionsIn(await list({ prefix: "from" }));
    await (await server.as(7)).move({ source: "from", destination: "to" });
    const found = versionsIn(await list({ prefix: "from" }));
    assert.equal(found.length, 2);
    assert.match(found[0] ?? "", /^from -\d+\*$/);
    assert.equal(`${found[1]}*`, made);
    const [, id = ""] = /(\d+)$/.exec(found[1] ?? "") ?? [];
    assert.equal((await read("from", id)).body, "m");
  });

  await t.step("C 30 a former version has no metadata", async () => {
    await put("m", "one", { "x-amz-meta-a": "1" });
    await put("m", "two", { "x-amz-meta-a": "2" });
    const versions = textsOf(await list({ prefix: "m" }), "VersionId");
    const found = await Promise.all(versions.map((id) => read("m", id)));
    assert.deepEqual(
      found.map((reply) => [reply.body, headerOf(reply, "x-amz-meta-a")]),
      [["two", "2"], ["one", undefined]],
    );
  });

  await t.step("C 30 no version is deleted by itself", async () => {
    const before = versionsIn(await list());
    const query = { versionId: "1" };
    await refused(client, { method: "DELETE", path: "/s3/own/a/x", query }, [
      501,
      "NotImplemented",
    ]);
    const body = "<Delete><Object><Key>a/x</Key><VersionId>1</VersionId></Object></Delete>";
    const many = await client.request({
      ...{ method: "POST", path: "/s3/own", body, query: { delete: "" } },
      headers: { "content-md5": Uint8Array.fromHex(md5(body)).toBase64() },
    });
    assert.deepEqual(textsOf(many, "Code"), ["NotImplemented"]);
    assert.deepEqual(versionsIn(await list()), before);
  });
});

Deno.test("C 30 a copy of what is replaced meanwhile has no other content", async () => {
  let meanwhile: (() => Promise<unknown>) | undefined;
  await using server = await TestServer.start({
    ...KEEPING,
    wrap(tree) {
      const find = tree.records.findByPath.bind(tree.records);
      tree.records.findByPath = async (scope, paths) => {
        const found = await find(scope, paths);
        const act = meanwhile;
        meanwhile = undefined;
        await act?.();
        return found;
      };
      return tree;
    },
  });
  const client = await S3Client.of(server, {
    trees: { 8: ["resources.view", "resources.download"] },
  });
  const owner = await S3Client.of(server, { userId: 8 });
  const source = objectsOf(owner);
  const { list } = versionsOf(owner);
  const { put } = objectsOf(client);
  const { begin, part } = uploadOf(client, "/s3/own/parts");
  const id = await begin();
  await source.put("a", "first");
  for (const isNamed of [true, false]) {
    for (const copy of [part.bind(undefined, id, 1), put.bind(undefined, "copy")]) {
      const [version = ""] = textsOf(await list(), "VersionId");
      const copied = { "x-amz-copy-source": `/tree-8/a${isNamed ? `?versionId=${version}` : ""}` };
      meanwhile = () => source.put("a", "other");
      const reply = await copy("", copied);
      assert.deepEqual([reply.status, textsOf(reply, "Code")], [503, ["SlowDown"]]);
      await source.put("a", "first");
      assert.match((await copy("", copied)).body, new RegExp(md5("first")));
    }
  }
});

Deno.test("C 26, 30 without history, each object has the version null", async () => {
  await using server = await TestServer.start({ settings: { history: undefined } });
  const client = await S3Client.of(server);
  const { put } = objectsOf(client);
  const { list, read, remove, status } = versionsOf(client);
  await put("a/b", "old");
  await put("a/b", "content");
  await put("c", "c");
  await remove("c");
  await put("a-b", "x");
  assert.deepEqual(await status(), []);
  assert.deepEqual(versionsIn(await list()), ["a-b null*", "a/b null*"]);
  const page = await list({ "max-keys": "1" });
  assert.deepEqual(textsOf(page, "NextVersionIdMarker"), ["null"]);
  const rest = await list({ "key-marker": "a-b", "version-id-marker": "null" });
  assert.deepEqual(versionsIn(rest), ["a/b null*"]);
  assert.equal((await read("a/b", "null")).body, "content");
  await refused(client, { method: "GET", path: "/s3/own/a/b", query: { versionId: "1" } }, [
    404,
    "NoSuchVersion",
  ]);
});

Deno.test("C 26, 30 history that begins later has what was there as null, and ends with the bounds", async () => {
  await using server = await TestServer.start({ settings: { history: undefined } });
  const client = await S3Client.of(server);
  const { put } = objectsOf(client);
  const { list, read } = versionsOf(client);
  await put("a", "before");
  const { history } = server.tree.records;
  assert.ok(history);
  await history.turn(true);
  await put("a", "after");
  const [latest = ""] = versionsIn(await list());
  const [, id = ""] = /^a (\d+)\*$/.exec(latest) ?? [];
  assert.deepEqual(versionsIn(await list()), [`a ${id}*`, "a null"]);
  assert.equal((await read("a", "null")).body, "before");
  while (!(await history.giveUp({ before: Date.now() + 1, maxBytes: Infinity })).done);
  assert.deepEqual(versionsIn(await list()), [`a ${id}*`]);
  assert.equal((await read("a", id)).body, "after");
  await refused(client, { method: "GET", path: "/s3/own/a", query: { versionId: "null" } }, [
    404,
    "NoSuchVersion",
  ]);
});
