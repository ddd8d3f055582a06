import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { auditOf } from "../support/audit.ts";
import type { RawReply } from "../support/raw_http.ts";
import { S3Client, type S3Request } from "../support/s3_client.ts";
import {
  headerOf,
  md5,
  multipartEtag,
  objectsOf,
  PART_BYTES,
  refused,
  textsOf,
  uploadOf,
} from "../support/s3_objects.ts";
import { TestServer } from "../support/server.ts";

Deno.test("C 30 objects are written, read and deleted by their keys", async (t) => {
  await using server = await TestServer.start();
  const client = await S3Client.of(server);
  const { put, get, list } = objectsOf(client);
  const user = await server.as(7);

  await t.step("C 30 an object is a file of every door, with its MD5 as ETag", async () => {
    const reply = await put("a/b c+d.txt", "content");
    assert.deepEqual([reply.status, headerOf(reply, "etag")], [200, `"${md5("content")}"`]);
    assert.equal((await user.send("GET", "/files/a/b%20c+d.txt")).text, "content");
    await user.put("other.txt", "by another door");
    const read = await get("other.txt");
    assert.deepEqual([read.body, headerOf(read, "etag")], [
      "by another door",
      `"${md5("by another door")}"`,
    ]);
  });
  await t.step("C 30 ranges and conditions", async () => {
    const part = await get("a/b c+d.txt", { Range: "bytes=1-3" });
    assert.deepEqual([part.status, part.body], [206, "ont"]);
    const path = "/s3/own/other.txt";
    const etag = `"${md5("by another door")}"`;
    const put = (headers: Record<string, string>) => ({ method: "PUT", path, headers, body: "x" });
    await refused(client, put({ "If-None-Match": "*" }), [412, "PreconditionFailed"]);
    await refused(client, put({ "If-Match": '"0"' }), [412, "PreconditionFailed"]);
    const read = { method: "GET", path, headers: { Range: "bytes=99-" } };
    await refused(client, read, [416, "InvalidRange"]);
    await refused(client, { ...read, headers: { "If-Match": '"0"' } }, [412, "PreconditionFailed"]);
    for (const tag of [etag, etag.replaceAll('"', "")]) {
      assert.equal((await get("other.txt", { "If-None-Match": tag })).status, 304);
    }
    assert.equal((await client.request(put({ "If-Match": etag }))).status, 200);
  });
  await t.step("C 30 metadata, headers and tags of at most 2 KiB", async () => {
    const headers = {
      "x-amz-meta-mtime": "12.5",
      "x-amz-tagging": "a=1&b=%2B",
      "Content-Type": "text/plain",
      "Content-Encoding": "aws-chunked,gzip",
    };
    assert.equal((await put("m.txt", "m", headers)).status, 200);
    const reply = await get("m.txt");
    assert.equal(headerOf(reply, "x-amz-meta-mtime"), "12.5");
    assert.equal(headerOf(reply, "content-type"), "text/plain");
    assert.equal(headerOf(reply, "content-encoding"), "gzip");
    assert.equal(headerOf(reply, "x-amz-tagging-count"), "2");
    const tags = await client.request({
      method: "GET",
      path: "/s3/own/m.txt",
      query: { tagging: "" },
    });
    assert.deepEqual(textsOf(tags, "Value"), ["1", "+"]);
    const large = { "x-amz-meta-a": "a".repeat(2048) };
    const request = { method: "PUT", path: "/s3/own/m.txt", headers: large, body: "n" };
    await refused(client, request, [400, "MetadataTooLarge"]);
    // The same content without metadata has none, and other content neither.
    await put("m.txt", "m");
    assert.equal(headerOf(await get("m.txt"), "x-amz-meta-mtime"), undefined);
    await put("m.txt", "m", headers);
    await user.put("m.txt", "other");
    assert.equal(headerOf(await get("m.txt"), "x-amz-meta-mtime"), undefined);
  });
  await t.step("C 30 checksums are compared", async () => {
    const content = "123456789";
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, crc32(content));
    const digest = (name: string) => createHash(name).update(content).digest("base64");
    const stated: Record<string, string> = {
      "x-amz-checksum-crc32": bytes.toBase64(),
      "x-amz-checksum-crc32c": "4waSgw==",
      "x-amz-checksum-crc64nvme": "rosUhgp5mIg=",
      "x-amz-checksum-sha1": digest("sha1"),
      "x-amz-checksum-sha256": digest("sha256"),
      "content-md5": digest("md5"),
    };
    for (const [name, value] of Object.entries(stated)) {
      const reply = await put("checked", content, { [name]: value });
      assert.equal(reply.status, 200, `${name} ${reply.body}`);
      const request = { method: "PUT", path: "/s3/own/checked", headers: { [name]: value } };
      await refused(client, { ...request, body: "changed" }, [400, "BadDigest"]);
      const code = name === "content-md5" ? "InvalidDigest" : "InvalidRequest";
      await refused(client, { ...request, headers: { [name]: "AA==" } }, [400, code]);
    }
    assert.equal((await get("checked")).body, content);
  });
  await t.step("C 30 chunks that are signed, with a trailer or without one", async () => {
    const request = { method: "PUT", path: "/s3/own/chunked" };
    const chunks = ["first", "second", "x".repeat(70_000)];
    assert.equal((await client.send(client.signChunks(request, chunks))).status, 200);
    assert.equal((await get("chunked")).body, chunks.join(""));
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, crc32("trailed"));
    const trailer = { "x-amz-checksum-crc32": bytes.toBase64() };
    const trailed = await client.send(client.signChunks(request, ["trailed"], trailer));
    assert.equal(trailed.status, 200, trailed.body);
    const unsigned = client.sign({
      ...request,
      payload: "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
      headers: { "x-amz-decoded-content-length": "7", "x-amz-trailer": "x-amz-checksum-crc32" },
    });
    const body = `7\r\ntrailed\r\n0\r\nx-amz-checksum-crc32:${
      trailer["x-amz-checksum-crc32"]
    }\r\n\r\n`;
    assert.equal((await client.send({ ...unsigned, body })).status, 200);
    assert.equal((await get("chunked")).body, "trailed");
    assert.equal(
      (await client.send(client.presign({ ...request, body: "presigned" }))).status,
      200,
    );
    assert.equal(
      (await client.send(client.presign({ ...request, method: "GET" }))).body,
      "presigned",
    );
  });
  await t.step("C 30 a key that ends with a slash is a directory", async () => {
    assert.equal((await put("empty/")).status, 200);
    assert.equal(headerOf(await get("empty/"), "content-length"), "0");
    await refused(client, { method: "GET", path: "/s3/own/empty" }, [404, "NoSuchKey"]);
    await refused(client, { method: "PUT", path: "/s3/own/full/", body: "x" }, [
      400,
      "InvalidArgument",
    ]);
    assert.deepEqual(textsOf(await list({ prefix: "empty" }), "Key"), ["empty/"]);
    await put("empty/file");
    assert.deepEqual(textsOf(await list({ prefix: "empty" }), "Key"), ["empty/file"]);
    // What is in it stays.
    const removed = await client.request({ method: "DELETE", path: "/s3/own/empty/" });
    assert.equal(removed.status, 204);
    assert.equal((await get("empty/file")).status, 200);
  });
  await t.step("C 30 what is not offered says so", async () => {
    for (const name of ["acl", "policy", "lifecycle"]) {
      const query = { [name]: "" };
      await refused(client, { method: "GET", path: "/s3/own", query }, [501, "NotImplemented"]);
    }
    const part = { method: "GET", path: "/s3/own/m.txt", query: { acl: "" } };
    await refused(client, part, [501, "NotImplemented"]);
    await refused(client, { method: "DELETE", path: "/s3/own" }, [501, "NotImplemented"]);
    await refused(client, { method: "PUT", path: "/s3/own" }, [409, "BucketAlreadyOwnedByYou"]);
    await refused(client, { method: "GET", path: "/s3/nothing" }, [404, "NoSuchBucket"]);
  });
  await t.step("C 30 changes are in the audit log, with their paths", async () => {
    const entries = (await auditOf(server)).filter(({ action }) => action === "s3.put");
    assert.ok(entries.length > 0);
  });
});

Deno.test("C 30 keys are listed in the order of their bytes, in pages", async () => {
  await using server = await TestServer.start();
  const client = await S3Client.of(server);
  const { put, list } = objectsOf(client);
  const keys = [
    ...["a!", "a!b/c", "a-b", "a.txt", "a/", "a/b", "a/b-c/", "a/b/c".slice(0, 3) + "!"],
    ...["b/x/1", "b/x/2", "b/x-1", "b/x.d/", "b/é/ü", "b/x!", "c", "\u{10000}", "\uffee"],
  ].filter((key) => key !== "a/");
  for (const key of keys) {
    assert.equal((await put(key, key.endsWith("/") ? "" : key)).status, 200, key);
  }
  const expected = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

  /** All pages of a list, as S3 defines it of the keys. */
  const model = (prefix: string, delimiter: string, after = "") => {
    const items = new Set<string>();
    for (const key of expected.filter((it) => it.startsWith(prefix))) {
      const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
      items.add(end < 0 ? key : key.slice(0, end + delimiter.length));
    }
    return [...items].filter((it) => Buffer.compare(Buffer.from(it), Buffer.from(after)) > 0);
  };
  const itemsOf = (reply: RawReply) =>
    [
      ...textsOf(reply, "Key"),
      ...[...reply.body.matchAll(/<CommonPrefixes><Prefix>([^<]*)</g)].map(([, it = ""]) => it),
    ].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const prefix of ["", "a", "a/", "a/b", "b/", "b/x", "b/x/", "nothing/", "b/é/"]) {
    for (const delimiter of ["", "/", "-", "x"]) {
      for (const size of [1, 2, 5, 1000]) {
        const found: string[] = [];
        for (let token: string | undefined = ""; token !== undefined;) {
          const reply = await list({
            prefix,
            "max-keys": String(size),
            ...(delimiter !== "" && { delimiter }),
            ...(token !== "" && { "continuation-token": token }),
          });
          found.push(...itemsOf(reply));
          [token] = textsOf(reply, "NextContinuationToken");
        }
        assert.deepEqual(found, model(prefix, delimiter), `${prefix} ${delimiter} ${size}`);
      }
      for (const after of expected) {
        if (delimiter !== "") break;
        const reply = await list({ prefix, "start-after": after });
        assert.deepEqual(
          itemsOf(reply),
          model(prefix, delimiter, after),
          `${prefix} after ${after}`,
        );
      }
    }
  }
});

Deno.test("C 30 an object is uploaded in parts", async (t) => {
  await using server = await TestServer.start();
  const client = await S3Client.of(server);
  const path = "/s3/own/parts/whole.bin";
  const { begin: beginWith, part, complete } = uploadOf(client, path);
  const begin = () => beginWith({ "x-amz-meta-a": "1" });
  const [first, second, last] = ["1".repeat(PART_BYTES), "2".repeat(PART_BYTES), "last"];

  await t.step("C 30 in any order, each part again if need be, with the ETag of S3", async () => {
    const id = await begin();
    assert.equal((await part(id, 3, last)).status, 200);
    assert.equal((await part(id, 1, "replaced")).status, 200);
    assert.equal((await part(id, 1, first)).status, 200);
    assert.equal((await part(id, 2, second)).status, 200);
    const parts = await client.request({ method: "GET", path, query: { uploadId: id } });
    assert.deepEqual(textsOf(parts, "PartNumber"), ["1", "2", "3"]);
    const uploads = await client.request({
      method: "GET",
      path: "/s3/own",
      query: { uploads: "" },
    });
    assert.deepEqual(textsOf(uploads, "Key"), ["parts/whole.bin"]);
    const wrong: readonly (readonly [readonly (readonly [number, string])[], string])[] = [
      [[[1, second], [2, second]], "InvalidPart"],
      [[[1, first], [4, last]], "InvalidPart"],
      [[[2, second], [1, first]], "InvalidPartOrder"],
      [[], "MalformedXML"],
    ];
    for (const [stated, code] of wrong) await refused(client, complete(id, stated), [400, code]);
    await refused(client, { ...complete(id, []), body: "<a>" }, [400, "MalformedXML"]);
    const reply = await client.request(complete(id, [[1, first], [2, second], [3, last]]));
    const etag = multipartEtag([first, second, last]);
    assert.equal(reply.body.includes(etag), true, reply.body);
    const whole = await client.request({ method: "GET", path });
    assert.equal(headerOf(whole, "etag"), `"${etag}"`);
    assert.equal(headerOf(whole, "x-amz-meta-a"), "1");
    assert.equal(md5(whole.body), md5(first + second + last));
    await refused(client, complete(id, [[1, first]]), [404, "NoSuchUpload"]);
    assert.deepEqual(await server.temporaryFiles(), []);
  });
  await t.step("C 30 conditions of writes know its ETag, too", async () => {
    const isOther = { "If-Match": `"${md5(first + second + last)}"` };
    const isSame = { "If-Match": `"${multipartEtag([first, second, last])}"` };
    const copy: S3Request = {
      method: "PUT",
      path,
      headers: { "x-amz-copy-source": "/own/parts/small" },
    };
    const put: S3Request = { method: "PUT", path: "/s3/own/parts/small", body: "small" };
    assert.equal((await client.request(put)).status, 200);
    const id = await begin();
    await part(id, 1, last);
    for (const write of [complete(id, [[1, last]]), { ...put, path }, copy]) {
      const headers = { ...write.headers, ...isOther };
      await refused(client, { ...write, headers }, [412, "PreconditionFailed"]);
    }
    const again = { ...complete(id, [[1, last]]), headers: isSame };
    assert.equal((await client.request(again)).status, 200);
    const headers = { "If-Match": `"${multipartEtag([last])}"` };
    const copied = await client.request({ ...copy, headers: { ...copy.headers, ...headers } });
    assert.equal(copied.status, 200, copied.body);
  });
  await t.step("C 30 one that is ended, and parts that are too small", async () => {
    const id = await begin();
    await part(id, 1, "small");
    await part(id, 2, last);
    await refused(client, complete(id, [[1, "small"], [2, last]]), [400, "EntityTooSmall"]);
    await refused(client, { ...complete(id, [[2, last]]), path: "/s3/own/parts/other" }, [
      404,
      "NoSuchUpload",
    ]);
    const other = await S3Client.of(server, { userId: 8 });
    await refused(other, complete(id, [[2, last]]), [404, "NoSuchUpload"]);
    await client.request({ method: "DELETE", path, query: { uploadId: id } });
    await refused(client, complete(id, [[2, last]]), [404, "NoSuchUpload"]);
    await refused(
      client,
      { method: "PUT", path, body: "x", query: { uploadId: id, partNumber: "1" } },
      [404, "NoSuchUpload"],
    );
    assert.deepEqual(await server.temporaryFiles(), []);
  });
});

Deno.test("C 30 objects are copied, and deleted together", async () => {
  await using server = await TestServer.start();
  const client = await S3Client.of(server, {
    trees: { 8: ["resources.view", "resources.download"] },
  });
  const owner = await S3Client.of(server, { userId: 8 });
  const { put, get, list } = objectsOf(client);
  await objectsOf(owner).put("theirs", "theirs", { "x-amz-meta-b": "2" });
  await put("a", "content", { "x-amz-meta-a": "1" });
  const copy = (source: string, more: Record<string, string> = {}) =>
    put("copies/b", "", { "x-amz-copy-source": source, ...more });
  assert.equal((await copy("/own/a")).status, 200);
  const copied = await get("copies/b");
  assert.deepEqual([copied.body, headerOf(copied, "x-amz-meta-a")], ["content", "1"]);
  await copy("own/copies/b", { "x-amz-metadata-directive": "REPLACE", "x-amz-meta-c": "3" });
  assert.equal(headerOf(await get("copies/b"), "x-amz-meta-a"), undefined);
  assert.equal(headerOf(await get("copies/b"), "x-amz-meta-c"), "3");
  await copy("/tree-8/theirs");
  const theirs = await get("copies/b");
  assert.deepEqual([theirs.body, headerOf(theirs, "x-amz-meta-b")], ["theirs", "2"]);
  const put8 = { method: "PUT", path: "/s3/tree-8/new", body: "x" };
  await refused(client, put8, [403, "AccessDenied"]);
  await refused(client, { method: "GET", path: "/s3/tree-9" }, [403, "AccessDenied"]);
  const buckets = await client.request({ method: "GET", path: "/s3" });
  assert.deepEqual(textsOf(buckets, "Name"), ["own", "tree-8"]);

  const keys = ["a", "copies/b", "nothing", "copies/", "../x", "x//y"];
  const body = `<Delete>${
    keys.map((key) => `<Object><Key>${key}</Key></Object>`).join("")
  }</Delete>`;
  const reply = await client.request({
    method: "POST",
    path: "/s3/own",
    query: { delete: "" },
    body,
  });
  assert.deepEqual(textsOf(reply, "Code"), ["InvalidArgument", "InvalidArgument"]);
  assert.deepEqual(textsOf(await list(), "Key"), []);
});

Deno.test("C 30 an access key ends with its credential", async () => {
  await using server = await TestServer.start();
  const client = await S3Client.of(server, { jti: "ends" });
  const list = { method: "GET", path: "/s3/own" };
  assert.equal((await client.request(list)).status, 200);
  const viewer = await S3Client.of(server, { privileges: ["resources.view"] });
  assert.equal((await viewer.request(list)).status, 200);
  await refused(viewer, { method: "PUT", path: "/s3/own/a", body: "x" }, [403, "AccessDenied"]);
  await server.credentials.revoke("ends", Date.now());
  await refused(client, list, [403, "AccessDenied"]);
});
