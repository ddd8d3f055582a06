import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Client, dataOf, entry, refused } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { abandonedRequest } from "../support/raw_http.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import {
  checksumOf,
  CONTENT_TYPE,
  createUpload,
  deleteUpload,
  headUpload,
  metadataOf,
  offsetOf,
  patchUpload,
  postUpload,
  stalledPatch,
  TUS,
} from "../support/tus.ts";
import { until } from "../support/until.ts";
import { statOf } from "../support/verdicts.ts";
import { waitingIn } from "../support/stored_content.ts";
import { IN_FILES } from "../support/engines.ts";
import { openDatabase } from "../support/test_database.ts";

const INVALID = "ErrResourcesInvalidRequest";

/** The names of all parts. */
function partsOf({ dataDir }: TestServer): Promise<string[]> {
  return waitingIn(dataDir);
}

Deno.test("C 21 a creation that cannot succeed is refused", async (t) => {
  await using server = await TestServer.start({
    limits: { maxUploadFileSize: 1000 },
    settings: { userQuota: 2000 },
  });
  const one = await server.as(1);
  await one.put("taken/file", "x");
  const path = { path: "a" };
  const cases: Record<string, [Parameters<typeof postUpload>[1], number, string]> = {
    "without a path": [{ size: 1, metadata: { filetype: "x" } }, 400, INVALID],
    "to an invalid path": [{ size: 1, metadata: { path: "a/../b" } }, 400, INVALID],
    "to an absolute path": [{ size: 1, metadata: { path: "/etc/passwd" } }, 400, INVALID],
    "to a file name that is none": [
      { size: 1, metadata: { filename: ".." } },
      400,
      "ErrResourcesInvalidData",
    ],
    "where a file is": [
      { size: 1, metadata: { path: "taken/file" } },
      409,
      "ErrResourcesAlreadyExists",
    ],
    "where a directory is": [
      { size: 1, metadata: { path: "taken" }, query: { on_conflict: "replace" } },
      409,
      "ErrResourcesAlreadyExists",
    ],
    "below a file": [
      { size: 1, metadata: { path: "taken/file/b" } },
      409,
      "ErrResourcesAlreadyExists",
    ],
    "of a file that is too large": [{ size: 1001, metadata: path }, 413, "ErrUploadsTooLarge"],
    "without a length": [{ size: "", metadata: path }, 400, INVALID],
    "of a negative length": [{ size: "-1", metadata: path }, 400, INVALID],
    "of a fractional length": [{ size: "1.5", metadata: path }, 400, INVALID],
    "of a length beyond all numbers": [{ size: "9".repeat(30), metadata: path }, 400, INVALID],
    "with a SHA-256 that is none": [
      { size: 1, metadata: { ...path, sha256: "abc" } },
      400,
      INVALID,
    ],
    "with another on_conflict": [
      { size: 1, metadata: path, query: { on_conflict: "ask" } },
      400,
      INVALID,
    ],
    "of a part of something": [
      { size: 1, metadata: path, headers: { "Upload-Concat": "parts" } },
      400,
      INVALID,
    ],
    "with a length and a deferred one": [
      { size: 1, metadata: path, headers: { "Upload-Defer-Length": "1" } },
      400,
      INVALID,
    ],
    "by another version of tus": [
      { size: 1, metadata: path, headers: { "Tus-Resumable": "0.2.2" } },
      412,
      "ErrPreconditionFailed",
    ],
    "with metadata that are not base64": [
      { size: 1, headers: { "Upload-Metadata": "path ä" } },
      400,
      INVALID,
    ],
    "with metadata that are not UTF-8": [
      { size: 1, headers: { "Upload-Metadata": "path /w==" } },
      400,
      INVALID,
    ],
    "with a key twice": [
      { size: 1, headers: { "Upload-Metadata": "path YQ==,path Yg==" } },
      400,
      INVALID,
    ],
  };
  for (const [name, [options, status, kind]] of Object.entries(cases)) {
    await t.step(`C 21 ${name}`, async () => {
      const reply = await postUpload(one, options);
      refused(reply, status, kind);
      assert.equal(reply.headers.get("Tus-Resumable"), "1.0.0");
      if (status === 412) assert.equal(reply.headers.get("Tus-Version"), "1.0.0");
    });
  }
  await t.step("C 21 replacing needs resources.edit", async () => {
    const uploader = await server.as(1, "resources.upload");
    refused(
      await postUpload(uploader, {
        size: 1,
        metadata: { path: "taken/file" },
        query: { on_conflict: "replace" },
      }),
      403,
      "ErrNotPermitted",
    );
  });
  await t.step(
    "C 21 and C 22 the quota counts unfinished uploads with their whole size",
    async () => {
      const upload = await createUpload(one, "half", 1000);
      await createUpload(one, "other", 900);
      const refusal = await postUpload(one, { size: 100, metadata: path });
      refused(refusal, 400, "ErrResourcesQuotaExceeded");
      refused(await one.put("b", "x".repeat(100)), 400, "ErrResourcesQuotaExceeded");
      assert.equal(JSON.parse((await one.send("GET", "/usage/")).text).data.uploading, 1900);
      // The upload itself has its share.
      const whole = await patchUpload(one, upload, { offset: 0, body: "y".repeat(1000) });
      assert.equal(whole.status, 204, whole.text);
    },
  );
  await t.step("C 21 none has left anything", async () => {
    assert.deepEqual(await one.tree(), ["half", "taken", "taken/file"]);
    assert.equal((await partsOf(server)).length, 1);
  });
});

Deno.test("C 21 content that does not fit is refused, and nothing of it is kept", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const upload = await createUpload(one, "a", 10);
  assert.equal((await patchUpload(one, upload, { offset: 0, body: "0123" })).status, 204);
  const send = (offset: number, body: BodyInit, headers = {}) =>
    patchUpload(one, upload, { offset, body, headers });

  await t.step("C 21 at another offset", async () => {
    for (const offset of [0, 3, 5, 10]) {
      refused(await send(offset, "4"), 409, "ErrUploadsConflict");
    }
  });
  await t.step("C 21 more bytes than are left, with and without their number", async () => {
    refused(await send(4, "4567890"), 413, "ErrUploadsTooLarge");
    const chunked = new Blob(["45678", "90123"]).stream();
    refused(await send(4, chunked), 413, "ErrUploadsTooLarge");
  });
  await t.step("C 21 of another type", async () => {
    refused(await send(4, "4", { "Content-Type": "text/plain" }), 400, INVALID);
  });
  await t.step("C 21 with another checksum", async () => {
    for (const algorithm of ["sha1", "sha256", "md5"] as const) {
      const headers = { "Upload-Checksum": checksumOf(algorithm, "other") };
      refused(await send(4, "45", headers), 460, "ErrUploadsChecksumMismatch");
    }
    refused(await send(4, "45", { "Upload-Checksum": "crc32 AAAAAA==" }), 400, INVALID);
    refused(await send(4, "45", { "Upload-Checksum": "sha1 AAAAAA==" }), 400, INVALID);
  });
  await t.step("C 21 the offset stays, and the upload goes on with a right checksum", async () => {
    assert.equal(await offsetOf(one, upload), 4);
    const headers = { "Upload-Checksum": checksumOf("sha1", "45") };
    assert.equal((await send(4, "45", headers)).status, 204);
    assert.equal((await send(6, "6789")).status, 204);
    assert.equal(new TextDecoder().decode(await one.bytes({ path: "a" })), "0123456789");
  });
  await t.step("C 21 after the last byte", async () => {
    refused(await send(10, "x"), 413, "ErrUploadsTooLarge");
    assert.equal((await send(10, "")).status, 204);
  });
});

Deno.test("C 21 a large body with a wrong checksum is reverted with its hashes", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const content = noise(4_000_000);
  const upload = await createUpload(one, "a", content.length);
  await patchUpload(one, upload, { offset: 0, body: content.slice(0, 1_500_000) });
  const rest = content.slice(1_500_000);
  const headers = { "Upload-Checksum": checksumOf("sha256", rest) };
  const damaged = rest.with(2_000_000, (rest[2_000_000] ?? 0) ^ 1);
  refused(
    await patchUpload(one, upload, { offset: 1_500_000, body: damaged, headers }),
    460,
    "ErrUploadsChecksumMismatch",
  );
  const right = await patchUpload(one, upload, { offset: 1_500_000, body: rest, headers });
  assert.equal(right.status, 204, right.text);
  const reply = await one.file("HEAD", "a");
  assert.equal(reply.headers.get("ETag"), `"${createHash("md5").update(content).digest("hex")}"`);
});

Deno.test("C 21 a file whose SHA-256 is not the stated one is refused, and nothing is kept", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const sha256 = createHash("sha256").update("right").digest("hex");
  const metadata = { path: "a", sha256 };
  const upload = await createUpload(one, "a", 5, { metadata });
  const reply = await patchUpload(one, upload, { offset: 0, body: "wrong" });
  assert.match(refused(reply, 400, "ErrResourcesInvalidData"), new RegExp(sha256));
  assert.equal((await headUpload(one, upload)).status, 404);
  const again = await createUpload(one, "a", 5, { metadata });
  assert.equal((await patchUpload(one, again, { offset: 0, body: "right" })).status, 204);
  assert.deepEqual(await one.tree(), ["a"]);
  assert.deepEqual(await partsOf(server), []);
});

Deno.test("C 21 the request that completes an upload may state the SHA-256 of the whole file", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const sha256 = createHash("sha256").update("right").digest("hex");
  const stating = (digest: string) => ({ "Upload-Metadata": metadataOf({ sha256: digest }) });
  await t.step("C 21 only the one that completes it is compared", async () => {
    const upload = await createUpload(one, "a", 5);
    const headers = stating(sha256);
    assert.equal((await patchUpload(one, upload, { offset: 0, body: "rig", headers })).status, 204);
    assert.equal((await patchUpload(one, upload, { offset: 3, body: "ht", headers })).status, 204);
    assert.equal((await statOf(one, "a")).sha256, sha256);
  });
  await t.step("C 21 another content is refused, and the upload is gone", async () => {
    const upload = await createUpload(one, "b", 5);
    const headers = stating(sha256);
    assert.equal((await patchUpload(one, upload, { offset: 0, body: "wro" })).status, 204);
    const reply = await patchUpload(one, upload, { offset: 3, body: "ng", headers });
    assert.match(refused(reply, 400, "ErrResourcesInvalidData"), new RegExp(sha256));
    assert.equal((await headUpload(one, upload)).status, 404);
    assert.equal((await one.send("GET", "/resources/stat", { query: { path: "b" } })).status, 404);
    assert.deepEqual(await partsOf(server), []);
  });
  await t.step("C 21 it cannot differ from that of the creation, nor be malformed", async () => {
    const upload = await createUpload(one, "c", 5, { metadata: { path: "c", sha256 } });
    for (const digest of ["0".repeat(64), "abc"]) {
      const headers = stating(digest);
      const reply = await patchUpload(one, upload, { offset: 0, body: "right", headers });
      refused(reply, 400, INVALID);
    }
    assert.equal((await patchUpload(one, upload, { offset: 0, body: "right" })).status, 204);
  });
});

Deno.test("C 21 and C 17 on_conflict decides when the path has been taken meanwhile", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const finish = async (on_conflict: string, content: string) => {
    const path = `${on_conflict}-${content}`;
    const upload = await createUpload(one, path, 3, { query: { on_conflict } });
    await one.put(path, "new");
    return { path, upload, reply: await patchUpload(one, upload, { offset: 0, body: content }) };
  };
  await t.step("C 17 error", async () => {
    const { upload, reply, path } = await finish("error", "old");
    refused(reply, 409, "ErrResourcesAlreadyExists");
    // A client must not take the offset for success.
    assert.equal((await headUpload(one, upload)).status, 404);
    assert.equal(new TextDecoder().decode(await one.bytes({ path })), "new");
  });
  await t.step("C 17 skip", async () => {
    refused((await finish("skip", "old")).reply, 409, "ErrResourcesAlreadyExists");
    assert.equal((await finish("skip", "new")).reply.status, 204);
  });
  await t.step("C 17 replace", async () => {
    const { reply, path } = await finish("replace", "old");
    assert.equal(reply.status, 204, reply.text);
    assert.equal(new TextDecoder().decode(await one.bytes({ path })), "old");
  });
  assert.deepEqual(await partsOf(server), []);
});

Deno.test("C 21 and C 19 an upload belongs to its tree", async () => {
  await using server = await TestServer.start();
  const trees = { "7": ["resources.upload"] };
  const token = await mintToken({ userId: 3, privileges: [...USER_PRIVILEGES], trees });
  const member = new Client(server.url, token);
  const owner = await server.as(7);
  const created = await postUpload(member.inTree(7), { size: 4, metadata: { path: "a" } });
  const location = created.headers.get("Location") ?? "";
  assert.match(location, /^[0-9a-f]{32}\?tree=7$/);
  const upload = `/uploads/${location.slice(0, 32)}`;
  assert.equal((await headUpload(member, upload)).status, 404);
  assert.equal(await offsetOf(owner, upload), 0);
  assert.equal(await offsetOf(member, `/uploads/${location}`), 0);
  const reply = await patchUpload(member.inTree(7), upload, { offset: 0, body: "team" });
  assert.equal(reply.status, 204, reply.text);
  assert.deepEqual(await owner.tree(), ["a"]);
  assert.deepEqual(await member.tree(), []);
});

Deno.test("C 21 an upload expires, and a sweep at the start removes it and stray parts", async () => {
  const dataDir = await Deno.makeTempDir();
  try {
    let upload = "";
    {
      await using server = await TestServer.start({
        dataDir,
        settings: { uploadExpiryH: 1 / 3600 },
      });
      const one = await server.as(1);
      const reply = await postUpload(one, { size: 4, metadata: { path: "a" } });
      assert.match(reply.headers.get("Upload-Expires") ?? "", /^\w{3}, \d\d \w{3} .* GMT$/);
      upload = `/uploads/${reply.headers.get("Location")}`;
      await until(async () => (await headUpload(one, upload)).status === 404);
      refused(await patchUpload(one, upload, { offset: 0, body: "x" }), 404, "ErrUploadsNotFound");
      assert.equal((await partsOf(server)).length, 1);
      if (IN_FILES) await Deno.writeTextFile(`${dataDir}/uploads/${"0".repeat(32)}`, "stray");
    }
    await using server = await TestServer.start({ dataDir });
    await until(async () => (await partsOf(server)).length === 0);
    const one = await server.as(1);
    assert.equal((await headUpload(one, upload)).status, 404);
    entry(await one.put("a", "x"), 201);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("C 21 what a connection brought before it broke stays", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const content = noise(3_000_000);
  const upload = await createUpload(one, "a", content.length);
  await abandonedRequest(server.origin, {
    line: `PATCH /api/v1${upload}`,
    headers: {
      ...TUS,
      "Authorization": `Bearer ${one.token}`,
      "Content-Type": CONTENT_TYPE,
      "Upload-Offset": "0",
    },
    body: content.slice(0, 2_000_001),
    declaredLength: content.length,
  });
  // A request for the offset would end the transfer.
  await using database = await openDatabase(server.dataDir);
  await until(async () =>
    (await database.get("SELECT received FROM uploads"))?.received === 2_000_001
  );
  assert.equal(await offsetOf(one, upload), 2_000_001);
  const rest = await patchUpload(one, upload, {
    offset: 2_000_001,
    body: content.slice(2_000_001),
  });
  assert.equal(rest.status, 204, rest.text);
  assert.deepEqual(await one.bytes({ path: "a" }), content);
});

Deno.test("C 21 a later request cuts a stalled one off, and goes on where that ended", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  // More than connections hold: once it is sent, the server has read some of it.
  const content = noise(48_000_000);
  const sent = content.length - 1;
  const upload = await createUpload(one, "a", content.length);
  using stalled = await stalledPatch(one, upload, content.slice(0, sent));
  const offset = await offsetOf(one, upload);
  assert.ok(offset > 0 && offset <= sent, String(offset));
  const rest = await patchUpload(one, upload, { offset, body: content.slice(offset) });
  assert.equal(rest.status, 204, rest.text);
  const reply = new Uint8Array(100);
  await stalled.read(reply);
  assert.match(new TextDecoder().decode(reply), /^HTTP\/1.1 423 /);
  assert.deepEqual(await one.bytes({ path: "a" }), content);
});

Deno.test("C 21 a request of another user does not cut a transfer off", async () => {
  await using server = await TestServer.start();
  const [one, stranger] = [await server.as(1), await server.as(2)];
  // More than connections hold: once it is sent, the server has read some of it.
  const content = noise(48_000_000);
  const sent = content.length - 1;
  const upload = await createUpload(one, "a", content.length);
  using stalled = await stalledPatch(one, upload, content.slice(0, sent));
  assert.equal((await headUpload(stranger, upload)).status, 404);
  const patched = await patchUpload(stranger, upload, { offset: 0, body: "x" });
  refused(patched, 404, "ErrUploadsNotFound");
  refused(await deleteUpload(stranger, upload), 404, "ErrUploadsNotFound");
  assert.equal((await stranger.send("GET", upload)).status, 404);
  await stalled.write(content.slice(sent));
  const reply = new Uint8Array(100);
  await stalled.read(reply);
  assert.match(new TextDecoder().decode(reply), /^HTTP\/1.1 204 /);
  assert.deepEqual(await one.bytes({ path: "a" }), content);
});

Deno.test("C 21 creation-with-upload, and POST in place of PATCH and DELETE", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const created = await postUpload(one, {
    size: 10,
    metadata: { path: "a" },
    headers: { "Content-Type": CONTENT_TYPE },
    body: "01234",
  });
  assert.equal(created.status, 201, created.text);
  assert.equal(created.headers.get("Upload-Offset"), "5");
  const upload = `/uploads/${created.headers.get("Location")}`;
  const override = (method: string, headers = {}) =>
    one.send("POST", upload, {
      headers: { ...TUS, "X-HTTP-Method-Override": method, ...headers },
      ...(method === "PATCH" && { body: "567" }),
    });
  const content = { "Content-Type": CONTENT_TYPE, "Upload-Offset": "5" };
  assert.equal((await override("PATCH", content)).status, 204);
  assert.equal(await offsetOf(one, upload), 8);
  refused(await override("GET"), 400, INVALID);
  assert.equal((await override("DELETE")).status, 204);
  assert.deepEqual(await partsOf(server), []);
  // The client never learned the address of this one.
  const wrong = await postUpload(one, {
    size: 10,
    metadata: { path: "a" },
    headers: { "Content-Type": CONTENT_TYPE, "Upload-Checksum": checksumOf("sha1", "other") },
    body: "01234",
  });
  refused(wrong, 460, "ErrUploadsChecksumMismatch");
  assert.deepEqual(await partsOf(server), []);
});

Deno.test("C 21 OPTIONS shows what the server supports, to foreign pages as well", async () => {
  for (const corsOrigins of [undefined, ["https://app.example"]]) {
    await using server = await TestServer.start({ settings: { corsOrigins } });
    const { status, headers } = await fetch(`${server.url}/uploads/`, {
      method: "OPTIONS",
      headers: { "Origin": "https://app.example", "Access-Control-Request-Method": "PATCH" },
    });
    assert.equal(status, 204);
    assert.equal(headers.get("Tus-Version"), "1.0.0");
    assert.match(
      headers.get("Tus-Extension") ?? "",
      /creation,.*checksum,concatenation,termination,expiration/,
    );
    assert.equal(headers.get("Tus-Max-Size"), "1099511627776");
    assert.match(headers.get("Tus-Checksum-Algorithm") ?? "", /sha1/);
    if (corsOrigins === undefined) continue;
    assert.match(headers.get("Access-Control-Allow-Methods") ?? "", /PATCH/);
    assert.match(headers.get("Access-Control-Allow-Headers") ?? "", /Upload-Offset/);
  }
});

Deno.test("C 21 and C 22 the audit log has uploads, not each request", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const upload = await createUpload(one, "a", 3);
  for (const offset of [0, 1, 2]) await patchUpload(one, upload, { offset, body: "x" });
  await offsetOf(one, upload);
  const refusedUpload = await createUpload(one, "b", 3);
  await patchUpload(one, refusedUpload, { offset: 1, body: "x" });
  await one.send("DELETE", refusedUpload, { headers: TUS });
  const lines = (await Deno.readTextFile(`${server.dataDir}/audit.log`)).trim().split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ action, paths, outcome }) => [action, paths[0], outcome]), [
    ["uploads.create", "a", "ok"],
    ["resources.upload", "a", "ok"],
    ["uploads.create", "b", "ok"],
    ["resources.upload", undefined, "ErrUploadsConflict"],
    ["uploads.delete", "b", "ok"],
  ]);
});

Deno.test("C 21 metadata come back as the client sent them", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const metadata = { path: "a", filetype: "text/plain", name: "ä" };
  const upload = await createUpload(one, "a", 3, { metadata });
  const reply = await headUpload(one, upload);
  assert.equal(reply.headers.get("Upload-Metadata"), metadataOf(metadata));
  const state = dataOf(await one.send("GET", upload));
  assert.ok(typeof state === "object" && state !== null && "received" in state);
  assert.equal(state.received, 0);
});
