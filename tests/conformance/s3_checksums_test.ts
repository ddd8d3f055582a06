import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type ChecksumAlgorithm, runningDigest } from "../../core/s3/checksum.ts";
import { S3Client, type S3Request } from "../support/s3_client.ts";
import {
  headerOf,
  md5,
  objectsOf,
  PART_BYTES,
  refused,
  textsOf,
  uploadOf,
} from "../support/s3_objects.ts";
import { TestServer } from "../support/server.ts";

const ALGORITHMS = ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"] as const;
const ASKED = { "x-amz-checksum-mode": "ENABLED" };

const headerFor = (algorithm: string) => `x-amz-checksum-${algorithm.toLowerCase()}`;

/** In base64. */
function checksum(algorithm: ChecksumAlgorithm, content: string | Uint8Array): string {
  const digest = runningDigest(algorithm);
  digest.update(typeof content === "string" ? new TextEncoder().encode(content) : content);
  return digest.digest().toBase64();
}

/** That of the checksums of parts. */
function composite(algorithm: ChecksumAlgorithm, parts: readonly string[]): string {
  const own = parts.map((part) => Uint8Array.fromBase64(checksum(algorithm, part)));
  return `${checksum(algorithm, new Uint8Array(own.flatMap((it) => [...it])))}-${parts.length}`;
}

Deno.test("C 30 the checksum that a client states of an object is kept with it", async (t) => {
  await using server = await TestServer.start();
  const client = await S3Client.of(server);
  const { put, get, list } = objectsOf(client);
  const content = "some content";
  /** The checksums of a reply, and its type. */
  const checksums = async (
    key: string,
    method = "HEAD",
    headers: Record<string, string> = ASKED,
  ) => {
    const reply = await client.request({ method, path: `/s3/own/${key}`, headers });
    const all = ALGORITHMS.map((it) => [it, headerOf(reply, headerFor(it))] as const)
      .filter(([, value]) => value !== undefined);
    return [...all, headerOf(reply, "x-amz-checksum-type")];
  };

  for (const algorithm of ALGORITHMS) {
    await t.step(`C 30 ${algorithm}`, async () => {
      const value = checksum(algorithm, content);
      const stored = await put(algorithm, content, { [headerFor(algorithm)]: value });
      assert.equal(headerOf(stored, "x-amz-checksum-type"), "FULL_OBJECT", stored.head);
      for (const method of ["HEAD", "GET"]) {
        const kept = [[algorithm, value], "FULL_OBJECT"];
        assert.deepEqual(await checksums(algorithm, method), kept);
        assert.deepEqual(await checksums(algorithm, method, {}), [undefined]);
        const range = { ...ASKED, Range: "bytes=0-3" };
        assert.deepEqual(await checksums(algorithm, method, range), [undefined]);
      }
    });
  }
  await t.step("C 30 in a trailer", async () => {
    const value = checksum("CRC64NVME", content);
    const request = { method: "PUT", path: "/s3/own/trailed" };
    const chunks = client.signChunks(request, [content], { "x-amz-checksum-crc64nvme": value });
    assert.equal((await client.send(chunks)).status, 200);
    assert.deepEqual(await checksums("trailed"), [["CRC64NVME", value], "FULL_OBJECT"]);
  });
  await t.step("C 30 lists say which each has", async () => {
    const expected = [...ALGORITHMS, "CRC64NVME"];
    const queries: Record<string, string>[] = [
      {},
      { "list-type": "2" },
      { delimiter: "/" },
      { versions: "" },
    ];
    for (const query of queries) {
      const listed = await client.request({ method: "GET", path: "/s3/own", query });
      assert.deepEqual(textsOf(listed, "ChecksumAlgorithm"), expected, JSON.stringify(query));
      assert.deepEqual(textsOf(listed, "ChecksumType"), expected.map(() => "FULL_OBJECT"));
    }
  });
  await t.step("C 30 what other doors store has the CRC-32", async () => {
    await (await server.as(7)).put("other", content);
    const kept = [["CRC32", checksum("CRC32", content)], "FULL_OBJECT"];
    assert.deepEqual(await checksums("other"), kept);
    // The row of the former content counts no more.
    await (await server.as(7)).put("SHA1", "other");
    assert.deepEqual((await checksums("SHA1"))[0], ["CRC32", checksum("CRC32", "other")]);
    await put("SHA1", content, { "x-amz-checksum-sha1": checksum("SHA1", content) });
    await put("SHA1", content);
    assert.deepEqual((await checksums("SHA1"))[0], ["CRC32", checksum("CRC32", content)]);
  });
  await t.step("C 30 copies have that of their source, or the one that is asked for", async () => {
    const copy = (key: string, source: string, headers: Record<string, string> = {}) =>
      put(key, "", { "x-amz-copy-source": `own/${source}`, ...headers });
    const sha256 = checksum("SHA256", content);
    assert.deepEqual(textsOf(await copy("copy", "SHA256"), "ChecksumSHA256"), [sha256]);
    assert.deepEqual(await checksums("copy"), [["SHA256", sha256], "FULL_OBJECT"]);
    for (const algorithm of ALGORITHMS) {
      const reply = await copy("copy", "SHA256", { "x-amz-checksum-algorithm": algorithm });
      const value = checksum(algorithm, content);
      assert.deepEqual(textsOf(reply, `Checksum${algorithm}`), [value]);
      assert.deepEqual(await checksums("copy"), [[algorithm, value], "FULL_OBJECT"]);
    }
    const headers = { "x-amz-copy-source": "own/SHA256", "x-amz-checksum-algorithm": "MD6" };
    const request = { method: "PUT", path: "/s3/own/copy", headers };
    await refused(client, request, [400, "InvalidRequest"]);
  });
  await t.step("C 30 tags and moves leave it as it is", async () => {
    const tagging = {
      ...{ method: "PUT", path: "/s3/own/SHA256", query: { tagging: "" } },
      body: "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>",
    };
    assert.equal((await client.request(tagging)).status, 200);
    const kept = [["SHA256", checksum("SHA256", content)], "FULL_OBJECT"];
    assert.deepEqual(await checksums("SHA256"), kept);
    const move = { sources: ["SHA256"], destination: "moved" };
    await (await server.as(7)).json("PUT", "/resources/move", move);
    assert.equal((await get("moved")).body, content, (await list()).body);
    assert.deepEqual(await checksums("moved"), kept);
  });
  await t.step("C 30 no checksum is kept of what was refused", async () => {
    const headers = { "x-amz-checksum-sha256": checksum("SHA256", "other") };
    const request = { method: "PUT", path: "/s3/own/CRC32C", headers, body: content };
    await refused(client, request, [400, "BadDigest"]);
    const kept = [["CRC32C", checksum("CRC32C", content)], "FULL_OBJECT"];
    assert.deepEqual(await checksums("CRC32C"), kept);
    const both = {
      ...headers,
      "x-amz-trailer": "x-amz-checksum-crc32",
      "x-amz-checksum-sha256": checksum("SHA256", content),
    };
    await refused(client, { ...request, headers: both }, [400, "InvalidRequest"]);
  });
});

Deno.test("C 30 uploads in parts have the checksum that they were created with", async (t) => {
  await using server = await TestServer.start();
  const client = await S3Client.of(server);
  const parts = ["a".repeat(PART_BYTES), "b".repeat(PART_BYTES + 1), "end"];
  const whole = parts.join("");
  const head = (path: string, query: Record<string, string> = {}) =>
    client.request({ method: "HEAD", path, query, headers: ASKED });
  /** Uploads the parts with their checksums. Returns the request that completes the upload. */
  const upload = async (
    path: string,
    algorithm: ChecksumAlgorithm,
    type: string,
    headers: Record<string, string> = {},
  ): Promise<S3Request> => {
    const { begin, part, complete } = uploadOf(client, path);
    const id = await begin({ "x-amz-checksum-algorithm": algorithm, "x-amz-checksum-type": type });
    for (const [at, content] of parts.entries()) {
      const stated = { [headerFor(algorithm)]: checksum(algorithm, content) };
      const reply = await part(id, at + 1, content, stated);
      assert.equal(headerOf(reply, headerFor(algorithm)), stated[headerFor(algorithm)], reply.body);
    }
    const listed = parts.map((content, at) => [at + 1, content] as const);
    const request = complete(id, listed);
    let at = 0;
    const body = String(request.body).replaceAll("</Part>", () => {
      const value = checksum(algorithm, parts[at++] ?? "");
      return `<Checksum${algorithm}>${value}</Checksum${algorithm}></Part>`;
    });
    return { ...request, body, headers };
  };

  for (const algorithm of ALGORITHMS) {
    for (const type of ["FULL_OBJECT", "COMPOSITE"]) {
      const isOffered = type === "COMPOSITE" ? algorithm !== "CRC64NVME" : /CRC/.test(algorithm);
      const path = `/s3/own/${algorithm}-${type}`;
      if (!isOffered) {
        await t.step(`C 30 no ${type} of ${algorithm}`, async () => {
          const headers = { "x-amz-checksum-algorithm": algorithm, "x-amz-checksum-type": type };
          const request = { method: "POST", path, query: { uploads: "" }, headers };
          await refused(client, request, [400, "InvalidRequest"]);
        });
        continue;
      }
      await t.step(`C 30 ${type} of ${algorithm}`, async () => {
        const value = type === "COMPOSITE"
          ? composite(algorithm, parts)
          : checksum(algorithm, whole);
        const complete = await upload(path, algorithm, type);
        const id = complete.query?.uploadId ?? "";
        const listed = await client.request({ method: "GET", path, query: { uploadId: id } });
        assert.deepEqual(textsOf(listed, "ChecksumAlgorithm"), [algorithm]);
        const own = parts.map((part) => checksum(algorithm, part));
        assert.deepEqual(textsOf(listed, `Checksum${algorithm}`), own);
        const wrong = { [headerFor(algorithm)]: checksum(algorithm, "other") };
        await refused(client, { ...complete, headers: wrong }, [400, "BadDigest"]);
        const other = type === "COMPOSITE" ? "FULL_OBJECT" : "COMPOSITE";
        const otherType = { "x-amz-checksum-type": other };
        await refused(client, { ...complete, headers: otherType }, [400, "InvalidRequest"]);
        const body = String(complete.body).replace(own[1] ?? "", own[0] ?? "");
        await refused(client, { ...complete, body }, [400, "InvalidPart"]);
        const stated = { [headerFor(algorithm)]: value, "x-amz-checksum-type": type };
        for (const attempt of [1, 2]) {
          const done = await client.request({ ...complete, headers: stated });
          assert.equal(done.status, 200, `${attempt} ${done.body}`);
          assert.deepEqual(textsOf(done, `Checksum${algorithm}`), [value]);
          assert.deepEqual(textsOf(done, "ChecksumType"), [type]);
        }
        const kept = await head(path);
        assert.equal(headerOf(kept, headerFor(algorithm)), value, kept.head);
        assert.equal(headerOf(kept, "x-amz-checksum-type"), type);
      });
    }
  }
  await t.step("C 30 parts are as the upload, and are read by their numbers", async () => {
    const path = "/s3/own/numbered";
    const { begin, part } = uploadOf(client, path);
    const id = await begin({ "x-amz-checksum-algorithm": "CRC32C" });
    const query = { uploadId: id, partNumber: "1" };
    const request = { method: "PUT", path, query, body: "x" };
    await refused(client, request, [400, "InvalidRequest"]);
    const sha1 = { "x-amz-checksum-sha1": checksum("SHA1", "x") };
    await refused(client, { ...request, headers: sha1 }, [400, "InvalidRequest"]);
    const full = await begin({
      "x-amz-checksum-algorithm": "CRC64NVME",
    });
    const reply = await part(full, 1, "x");
    assert.equal(headerOf(reply, "x-amz-checksum-crc64nvme"), checksum("CRC64NVME", "x"));
    const source = "/s3/own/CRC32C-FULL_OBJECT";
    let [start, end] = [0, 0];
    for (const [at, content] of parts.entries()) {
      [start, end] = [end, end + content.length];
      for (const method of ["GET", "HEAD"]) {
        const query = { partNumber: String(at + 1) };
        const read = await client.request({ method, path: source, query });
        assert.equal(read.status, 206, read.head);
        assert.equal(headerOf(read, "x-amz-mp-parts-count"), "3");
        const range = `bytes ${start}-${end - 1}/${whole.length}`;
        assert.equal(headerOf(read, "content-range"), range);
        assert.equal(headerOf(read, "content-length"), String(content.length));
        if (method === "GET") assert.equal(md5(read.body), md5(content), String(at));
      }
    }
    const get = { method: "GET", path: source };
    await refused(client, { ...get, query: { partNumber: "4" } }, [416, "InvalidPartNumber"]);
    await refused(client, { ...get, query: { partNumber: "0" } }, [400, "InvalidArgument"]);
    const both = { query: { partNumber: "1" }, headers: { Range: "bytes=0-1" } };
    await refused(client, { ...get, ...both }, [400, "InvalidRequest"]);
  });
  await t.step(
    "C 30 a part whose content is not signed is compared with its checksum",
    async () => {
      const path = "/s3/own/unsigned";
      for (const algorithm of ["CRC32", "SHA256"] as const) {
        const { begin, complete } = uploadOf(client, path);
        const uploadId = await begin({ "x-amz-checksum-algorithm": algorithm });
        const value = checksum(algorithm, "part");
        const request = {
          ...{ method: "PUT", path, query: { uploadId, partNumber: "1" } },
          ...{ payload: "UNSIGNED-PAYLOAD", headers: { [headerFor(algorithm)]: value } },
        };
        await refused(client, { ...request, body: "tarp" }, [400, "BadDigest"]);
        assert.equal((await client.request({ ...request, body: "part" })).status, 200);
        const { body, ...rest } = complete(uploadId, [[1, "part"]]);
        const element = `<Checksum${algorithm}>${value}</Checksum${algorithm}></Part>`;
        const listed = String(body).replace("</Part>", element);
        const done = await client.request({ ...rest, body: listed });
        assert.deepEqual(textsOf(done, `Checksum${algorithm}`), [composite(algorithm, ["part"])]);
      }
    },
  );
  await t.step("C 30 GetObjectAttributes has the checksum, and the parts in pages", async () => {
    const attributes = (headers: Record<string, string>) => ({
      method: "GET",
      path: "/s3/own/CRC32C-COMPOSITE",
      query: { attributes: "" },
      headers,
    });
    const all = "ETag,Checksum,ObjectParts,StorageClass,ObjectSize";
    const reply = await client.request(attributes({ "x-amz-object-attributes": all }));
    assert.deepEqual(textsOf(reply, "ObjectSize"), [String(whole.length)], reply.body);
    assert.deepEqual(textsOf(reply, "ChecksumCRC32C"), [composite("CRC32C", parts)]);
    assert.deepEqual(textsOf(reply, "ChecksumType"), ["COMPOSITE"]);
    assert.deepEqual(textsOf(reply, "Size"), parts.map(({ length }) => String(length)));
    const page = await client.request(attributes({
      "x-amz-object-attributes": "ObjectParts",
      "x-amz-part-number-marker": "1",
      "x-amz-max-parts": "1",
    }));
    assert.deepEqual(textsOf(page, "PartNumber"), ["2"], page.body);
    assert.deepEqual(textsOf(page, "NextPartNumberMarker"), ["2"]);
    assert.deepEqual(textsOf(page, "ObjectSize"), []);
    const unknown = attributes({ "x-amz-object-attributes": "ETag,Color" });
    await refused(client, unknown, [400, "InvalidArgument"]);
  });
  await t.step("C 30 a copy is one part, with a checksum of the whole", async () => {
    const headers = { "x-amz-copy-source": "own/SHA256-COMPOSITE" };
    const path = "/s3/own/copied";
    const reply = await client.request({ method: "PUT", path, headers });
    const sha256 = createHash("sha256").update(whole).digest("base64");
    assert.deepEqual(textsOf(reply, "ChecksumSHA256"), [sha256], reply.body);
    assert.equal(headerOf(await head(path), "x-amz-checksum-type"), "FULL_OBJECT");
    const first = await head(path, { partNumber: "1" });
    assert.equal(headerOf(first, "content-range"), `bytes 0-${whole.length - 1}/${whole.length}`);
    assert.equal(headerOf(first, "x-amz-mp-parts-count"), undefined);
  });
});
