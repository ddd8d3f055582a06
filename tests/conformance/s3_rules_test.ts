import * as assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import { createHash } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import { auditOf } from "../support/audit.ts";
import { Client, dataOf } from "../support/client.ts";
import { modelFile } from "../support/models.ts";
import { S3Engine } from "../support/s3.ts";
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
import { mintToken, TestServer, USER_PRIVILEGES, withRecords } from "../support/server.ts";
import { settledVerdicts } from "../support/verdicts.ts";
import { NewTokenEntry, TokenList } from "../../schemas/tokens.ts";
import * as v from "valibot";

Deno.test("C 18, 30 the gate refuses each operation that reads an object, with the reason", async () => {
  await using server = await TestServer.start({ settings: { gate: "block" } });
  const client = await S3Client.of(server);
  const { put, get, list } = objectsOf(client);
  const body = await modelFile("pickle/hostile/eval.pkl");
  await client.request({ method: "PUT", path: "/s3/own/evil.pkl", body });
  await put("fine.txt", "fine");
  await settledVerdicts(await server.as(7));
  const path = "/s3/own/evil.pkl";
  const { begin } = uploadOf(client, "/s3/own/parts");
  const copied = { "x-amz-copy-source": "/own/evil.pkl" };
  const uploadId = await begin();
  const reads: Record<string, S3Request> = {
    GetObject: { method: "GET", path },
    "GetObject of a range": { method: "GET", path, headers: { Range: "bytes=0-1" } },
    CopyObject: { method: "PUT", path: "/s3/own/copy.pkl", headers: copied },
    UploadPartCopy: {
      method: "PUT",
      path: "/s3/own/parts",
      query: { uploadId, partNumber: "1" },
      headers: copied,
    },
  };
  for (const [name, request] of Object.entries(reads)) {
    const reply = await client.request(request);
    assert.deepEqual([reply.status, textsOf(reply, "Code")], [403, ["AccessDenied"]], name);
    assert.match(textsOf(reply, "Message")[0] ?? "", /in quarantine: .*dangerous/, name);
  }
  assert.equal((await client.send(client.presign({ method: "GET", path }))).status, 403);
  const { query } = client.presign({ method: "HEAD", path });
  const head = await fetch(`${server.origin}${path}?${query}`, { method: "HEAD" });
  assert.equal(head.status, 403);
  assert.equal((await get("fine.txt")).status, 200);
  assert.deepEqual(textsOf(await list(), "Key"), ["evil.pkl", "fine.txt"]);
});

Deno.test("C 22, 30 the requests of a user are limited, and clients are told to slow down", async () => {
  await using server = await TestServer.start({ rateLimit: 3 });
  const client = await S3Client.of(server);
  const list = { method: "GET", path: "/s3/own" };
  for (let sent = 0; sent < 3; sent++) assert.equal((await client.request(list)).status, 200);
  const reply = await client.request(list);
  assert.deepEqual([reply.status, textsOf(reply, "Code")], [503, ["SlowDown"]]);
  assert.match(headerOf(reply, "retry-after") ?? "", /^\d+$/);
  const other = await S3Client.of(server, { userId: 8 });
  assert.equal((await other.request(list)).status, 200);
});

Deno.test({
  name: "C 23, 30 objects are kept in an object store",
  ignore: !S3Engine.isInstalled,
  async fn() {
    await using engine = await S3Engine.start();
    await using server = await TestServer.start({ content: engine.content() });
    const client = await S3Client.of(server);
    const { put, get } = objectsOf(client);
    const large = "l".repeat(1_000_000);
    assert.equal((await put("large", large)).status, 200);
    assert.equal(md5((await get("large")).body), md5(large));
    assert.equal((await get("large", { Range: "bytes=999998-" })).body, "ll");
    const path = "/s3/own/parts";
    const { begin, part, complete } = uploadOf(client, path);
    const id = await begin();
    const [first, last] = ["1".repeat(PART_BYTES), "last"];
    await part(id, 1, first);
    await part(id, 2, last);
    const reply = await client.request(complete(id, [[1, first], [2, last]]));
    assert.equal(reply.status, 200, reply.body);
    assert.equal(md5((await get("parts")).body), md5(first + last));
  },
});

Deno.test("C 30 uploads in parts are completed once, however often and late that is asked for", async (t) => {
  const slow = Promise.withResolvers<void>();
  let isSlow = false;
  let isCutOff = false;
  await using server = await TestServer.start(withRecords((records) => ({
    async write<T>(...[work, options]: Parameters<typeof records.write<T>>): Promise<T> {
      if (isSlow) await slow.promise;
      const result = await records.write(work, options);
      if (isCutOff) throw new AppError("ErrUnavailable", "Cut off");
      return result;
    },
  })));
  const client = await S3Client.of(server);
  const path = "/s3/own/whole.bin";
  const { begin, part, complete } = uploadOf(client, path);
  const etag = multipartEtag(["last"]);
  const beginWhole = async () => {
    const id = await begin();
    assert.equal((await part(id, 1, "last")).status, 200);
    return id;
  };

  await t.step("C 30 all who ask at once get the same object", async () => {
    const id = await beginWhole();
    const asked = Array.from({ length: 5 }, () => client.request(complete(id, [[1, "last"]])));
    for (const reply of await Promise.all(asked)) {
      assert.equal(reply.status, 200, reply.body);
      assert.deepEqual(textsOf(reply, "ETag"), [`&#34;${etag}&#34;`], reply.body);
    }
    const again = await client.request(complete(id, [[1, "last"]]));
    assert.deepEqual(textsOf(again, "Location"), [`${server.origin}${path}`]);
    await refused(client, complete(id, [[1, "other"]]), [404, "NoSuchUpload"]);
  });
  await t.step("C 30 so do those who ask again as the server ended after the commit", async () => {
    const id = await beginWhole();
    isCutOff = true;
    assert.equal((await client.request(complete(id, [[1, "last"]]))).status, 503);
    isCutOff = false;
    const again = await client.request(complete(id, [[1, "last"]]));
    assert.deepEqual(textsOf(again, "ETag"), [`&#34;${etag}&#34;`], again.body);
  });
  await t.step(
    "C 30 a checksum is that of the whole object, of a checksum staging has",
    async () => {
      const sum = (content: string) => {
        const bytes = new Uint8Array(4);
        new DataView(bytes.buffer).setUint32(0, crc32(content));
        return bytes.toBase64();
      };
      const id = await beginWhole();
      const stated = (value: string) => ({
        ...complete(id, [[1, "last"]]),
        headers: { "x-amz-checksum-crc32": value },
      });
      await refused(client, stated(sum("other")), [400, "BadDigest"]);
      const other = { ...stated(""), headers: { "x-amz-checksum-crc64nvme": "rosUhgp5mIg=" } };
      await refused(client, other, [400, "InvalidRequest"]);
      const size = { ...stated(""), headers: { "x-amz-mp-object-size": "5" } };
      await refused(client, size, [400, "InvalidRequest"]);
      assert.equal((await client.request(stated(sum("last")))).status, 200);
    },
  );
  await t.step("C 30 white space comes while a completion lasts, then its outcome", async () => {
    const [stored, refusedId] = [await beginWhole(), await beginWhole()];
    isSlow = true;
    const readerOf = async (request: S3Request) => {
      const { method, query, headers, body } = client.sign(request);
      const { Host: _host, ...rest } = headers;
      const url = `${server.origin}${path}?${query}`;
      const reply = await fetch(url, { method, headers: rest, body: `${body}` });
      assert.equal(reply.status, 200);
      return reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    };
    const readers = await Promise.all([
      readerOf(complete(stored, [[1, "last"]])),
      readerOf({ ...complete(refusedId, [[1, "last"]]), headers: { "If-None-Match": "*" } }),
    ]);
    const texts: string[] = [];
    for (const reader of readers) {
      let text = "";
      while (!text.endsWith(" ")) text += (await reader?.read())?.value;
      assert.match(text, /^<\?xml [^>]*>\n +$/);
      texts.push(text);
    }
    isSlow = false;
    slow.resolve();
    const ends = await Promise.all(readers.map(async (reader) => {
      let text = "";
      for (;;) {
        const read = await reader?.read();
        if (read?.done !== false) return text;
        text += read.value;
      }
    }));
    assert.match(ends[0] ?? "", /^ *<CompleteMultipartUploadResult /);
    assert.match(ends[1] ?? "", /^ *<Error><Code>PreconditionFailed<\/Code>/);
  });
  await t.step("C 22, 30 the audit log has the outcome of each", async () => {
    const outcomes = (await auditOf(server)).filter(({ paths }) => `${paths}` === "whole.bin")
      .map(({ outcome }) => outcome);
    assert.ok(outcomes.includes("ErrPreconditionFailed"), outcomes.join());
    assert.ok(outcomes.filter((it) => it === "ok").length >= 3, outcomes.join());
  });
});

Deno.test("C 30 two headers may state the same digest of a part", async () => {
  await using server = await TestServer.start();
  const client = await S3Client.of(server);
  const { begin, part } = uploadOf(client, "/s3/own/a");
  const sha256 = createHash("sha256").update("content").digest("base64");
  const reply = await part(await begin(), 1, "content", { "x-amz-checksum-sha256": sha256 });
  assert.equal(reply.status, 200, reply.body);
});

Deno.test("C 30 requests state what they expect, and are refused when it is not so", async (t) => {
  await using server = await TestServer.start();
  const trees = { 8: ["resources.view", "resources.download"] };
  const client = await S3Client.of(server, { trees });
  const { put, get } = objectsOf(client);
  const path = "/s3/own/a";
  const etag = `"${md5("content")}"`;
  await put("a", "content", { "x-amz-tagging": "a=1" });

  await t.step("C 30 the owner of a bucket", async () => {
    const owned = (owner: string) => ({
      method: "GET",
      path,
      headers: { "x-amz-expected-bucket-owner": owner },
    });
    await refused(client, owned("8"), [403, "AccessDenied"]);
    assert.equal((await client.request(owned("7"))).status, 200);
    const headers = { "x-amz-copy-source": "/own/a", "x-amz-source-expected-bucket-owner": "8" };
    await refused(client, { method: "PUT", path: "/s3/own/b", headers }, [403, "AccessDenied"]);
    // Who may do nothing in a tree does not learn whose it is.
    const other = await client.request({ ...owned("0"), path: "/s3/tree-9" });
    assert.match(other.body, /Privilege resources\.view required/);
  });
  await t.step("C 30 the object that is deleted", async () => {
    const deletion = (name: string, value: string) => ({
      method: "DELETE",
      path,
      headers: { [name]: value },
    });
    await refused(client, deletion("If-Match", '"0"'), [412, "PreconditionFailed"]);
    await refused(client, deletion("x-amz-if-match-size", "7"), [501, "NotImplemented"]);
    const body = `<Delete><Object><Key>a</Key><ETag>${etag}</ETag></Object></Delete>`;
    const many = { method: "POST", path: "/s3/own", query: { delete: "" }, body };
    assert.deepEqual(textsOf(await client.request(many), "Code"), ["NotImplemented"]);
    assert.equal((await get("a")).status, 200);
    assert.equal((await client.request(deletion("If-Match", etag))).status, 204);
    await put("a", "content");
  });
  await t.step("C 30 one checksum, of the algorithm that is announced", async () => {
    const sums = { "x-amz-checksum-crc32c": "4waSgw==", "x-amz-checksum-sha1": "" };
    const sha1 = createHash("sha1").update("123456789").digest("base64");
    const headers = { ...sums, "x-amz-checksum-sha1": sha1 };
    const request = { method: "PUT", path, body: "123456789", headers };
    await refused(client, request, [400, "InvalidRequest"]);
    const other = { "x-amz-checksum-crc32c": "4waSgw==", "x-amz-sdk-checksum-algorithm": "CRC32" };
    await refused(client, { ...request, headers: other }, [400, "InvalidRequest"]);
  });
  await t.step("C 30 tags as at Amazon's, and copies that change something", async () => {
    const eleven = Array.from({ length: 11 }, (_, at) => `k${at}=v`).join("&");
    const wrong = { "a=%26": "InvalidTag", "a=1&a=2": "InvalidTag", [eleven]: "BadRequest" };
    for (const [tags, code] of Object.entries(wrong)) {
      const headers = { "x-amz-tagging": tags };
      await refused(client, { method: "PUT", path, headers, body: "x" }, [400, code]);
    }
    const headers = { "x-amz-copy-source": "/own/a" };
    await refused(client, { method: "PUT", path, headers }, [400, "InvalidRequest"]);
    const long = { method: "PUT", path: `/s3/own/${"a/".repeat(2100)}b`, body: "x" };
    await refused(client, long, [400, "KeyTooLongError"]);
  });
  await t.step("C 30 who asks for a checksum gets that of the whole object", async () => {
    const asked = await get("a", { "x-amz-checksum-mode": "ENABLED" });
    assert.equal(headerOf(asked, "x-amz-checksum-type"), "FULL_OBJECT");
    const [bytes, part] = [new Uint8Array(4), { Range: "bytes=0-1" }];
    new DataView(bytes.buffer).setUint32(0, crc32("content"));
    assert.equal(headerOf(asked, "x-amz-checksum-crc32"), bytes.toBase64());
    const ranged = await get("a", { "x-amz-checksum-mode": "ENABLED", ...part });
    assert.equal(headerOf(ranged, "x-amz-checksum-crc32"), undefined);
  });
  await t.step("C 30 buckets and unfinished uploads are listed in pages", async () => {
    for (const key of ["d/1", "d/2", "e", "f/1"]) await uploadOf(client, `/s3/own/${key}`).begin();
    const uploads = async (query: Record<string, string>) => {
      const all = { uploads: "", delimiter: "/", "max-uploads": "2", ...query };
      return await client.request({ method: "GET", path: "/s3/own", query: all });
    };
    const first = await uploads({});
    assert.deepEqual([textsOf(first, "Prefix"), textsOf(first, "Key")], [["", "d/"], ["e"]]);
    const [key = "", id = ""] = [
      ...textsOf(first, "NextKeyMarker"),
      ...textsOf(first, "NextUploadIdMarker"),
    ];
    const second = await uploads({ "key-marker": key, "upload-id-marker": id });
    assert.deepEqual([textsOf(second, "Prefix"), textsOf(second, "Key")], [["", "f/"], []]);
    const buckets = async (query: Record<string, string>) =>
      await client.request({ method: "GET", path: "/s3", query });
    const page = await buckets({ "max-buckets": "1" });
    assert.deepEqual(textsOf(page, "Name"), ["own"]);
    const token = textsOf(page, "ContinuationToken")[0] ?? "";
    assert.deepEqual(textsOf(await buckets({ "continuation-token": token }), "Name"), ["tree-8"]);
    assert.deepEqual(textsOf(await buckets({ prefix: "tree" }), "Name"), ["tree-8"]);
  });
});

Deno.test("C 30 a credential mints access keys, which are listed by their ids", async () => {
  await using server = await TestServer.start();
  const privileges = USER_PRIVILEGES;
  const api = new Client(server.url, await mintToken({ userId: 7, privileges, jti: "mints" }));
  const minted = await api.json("POST", "/tokens/", { privileges, s3: true });
  const { token: secret, short } = v.parse(NewTokenEntry, dataOf(minted));
  const id = short?.access_key_id ?? "";
  const client = new S3Client(server, { id, secret });
  assert.equal((await objectsOf(client).put("a", "by S3")).status, 200);
  const { items } = v.parse(TokenList, dataOf(await api.send("GET", "/tokens/")));
  assert.deepEqual(items.map((it) => it.short?.access_key_id), [id]);
  assert.equal(JSON.stringify(items).includes(secret), false);
  const both = { privileges, s3: true, short: true };
  assert.equal((await api.json("POST", "/tokens/", both)).status, 400);
});
