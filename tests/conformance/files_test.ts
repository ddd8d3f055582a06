import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { WriteTransaction } from "../../core/ports.ts";
import { type Client, entry, items, refused } from "../support/client.ts";
import { abandonedRequest, joinBytes, rawRequest } from "../support/raw_http.ts";
import { TestServer, withRecords } from "../support/server.ts";
import { until } from "../support/until.ts";
import { statOf } from "../support/verdicts.ts";

function digest(algorithm: "md5" | "sha256", content: string): Uint8Array {
  return createHash(algorithm).update(content).digest();
}

function etag(content: string): string {
  return `"${digest("md5", content).toHex()}"`;
}

async function content(client: Client, path: string): Promise<string> {
  const reply = await client.file("GET", path);
  assert.equal(reply.status, 200, reply.text);
  return reply.text;
}

function randomBytes(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
  return bytes;
}

Deno.test("C 17 PUT /files/<path> stores the body", async (t) => {
  // Content goes with its last record, not when history gives it up.
  await using server = await TestServer.start({ settings: { history: 0 } });
  const one = await server.as(1);

  await t.step("C 17 a new file is 201, with the directories that are missing", async () => {
    await using events = await one.events();
    const reply = await one.put("models/llama/config.json", "{}", { "Content-Type": "text/html" });
    const { path, name, size, user_id } = entry(reply, 201);
    assert.deepEqual([path, name, size, user_id], [
      "models/llama/config.json",
      "config.json",
      2,
      1,
    ]);
    assert.equal(reply.headers.get("ETag"), etag("{}"));
    assert.deepEqual(await one.tree(), ["models", "models/llama", "models/llama/config.json"]);
    assert.equal(await content(one, "models/llama/config.json"), "{}");
    const told = [await events.next(), await events.next(), await events.next()];
    assert.deepEqual(told.map((it) => [it?.event, JSON.parse(it?.data ?? "").path]), [
      ["resource.added", "models"],
      ["resource.added", "models/llama"],
      ["resource.added", "models/llama/config.json"],
    ]);
  });
  await t.step("C 17 a replaced file is 200, and keeps its id and created_at", async () => {
    const before = entry(await one.put("note.txt", "first"), 201);
    await using events = await one.events();
    const after = entry(await one.put("note.txt", "second, longer"), 200);
    assert.deepEqual([after.id, after.created_at, after.size], [before.id, before.created_at, 14]);
    assert.ok(after.updated_at >= before.updated_at);
    const { md5, sha256 } = await statOf(one, "note.txt");
    assert.equal(md5, digest("md5", "second, longer").toHex());
    assert.equal(sha256, digest("sha256", "second, longer").toHex());
    const told = await events.next();
    assert.deepEqual([told?.event, JSON.parse(told?.data ?? "")], ["resource.updated", after]);
    assert.equal(await content(one, "note.txt"), "second, longer");
  });
  await t.step("C 5.4 the content that was replaced is removed", async () => {
    await one.put("gone.txt", "the former content");
    await one.put("gone.txt", "the new content");
    const stored = await server.storedHashes();
    assert.ok(!stored.includes(digest("md5", "the former content").toHex()));
    assert.ok(stored.includes(digest("md5", "the new content").toHex()));
  });
  await t.step("C 17 a file can be replaced by the content that it has", async () => {
    entry(await one.put("same.txt", "the same"), 201);
    entry(await one.put("same.txt", "the same"), 200);
    await server.storedHashes();
    assert.equal(await content(one, "same.txt"), "the same");
  });
  await t.step("C 17 an empty body is an empty file", async () => {
    assert.equal(entry(await one.put("empty", ""), 201).size, 0);
    assert.equal(await content(one, "empty"), "");
  });
  await t.step("C 17 bodies of any size and framing arrive unchanged", async () => {
    for (const size of [1, 65_535, 65_536, 65_537, 1 << 20, (1 << 20) + 1, 5_000_001]) {
      const bytes = randomBytes(size);
      entry(await one.put(`sizes/${size}`, bytes), 201);
      entry(await one.put(`chunked/${size}`, new Blob([bytes]).stream()), 201);
      assert.deepEqual(await one.bytes({ path: `sizes/${size}` }), bytes);
      assert.deepEqual(await one.bytes({ path: `chunked/${size}` }), bytes);
    }
  });
  await t.step("C 17 times are the server's", async () => {
    const reply = await one.put("times", "x", { "X-Modified": "2001-01-01T00:00:00Z" });
    assert.ok(entry(reply, 201).updated_at > "2026");
  });
  assert.deepEqual(await server.temporaryFiles(), []);
});

Deno.test("C 17 the path of an address", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const headers = { Authorization: `Bearer ${one.token}` };
  const put = (path: string) =>
    rawRequest(server.origin, { line: `PUT /api/v1/files/${path}`, headers, body: "x" });

  const stored: readonly (readonly [string, string])[] = [
    ["a%20b+c/%C3%A9%F0%9F%98%80", "a b+c/é😀"],
    ["slash%2Fin/it", "slash/in/it"],
    ["twice/%252e%252e/%2525", "twice/%2e%2e/%25"],
    ["./dot//double/", "dot/double"],
    ["back\\slash", "back/slash"],
    ["query?path=other", "query"],
    ["%66ile%23name", "file#name"],
  ];
  for (const [address, path] of stored) {
    await t.step(`C 17 ${address} is decoded once`, async () => {
      const reply = await put(address);
      assert.equal(reply.status, 201, reply.body);
      assert.equal(JSON.parse(reply.body).data.path, path);
      assert.equal(await content(one, path), "x");
    });
  }
  const before = await one.tree();
  const invalid = [
    "..",
    "a/../b",
    "a/%2e%2e/b",
    "a%2F..%2Fb",
    "..%5cb",
    "%2Fabsolute",
    "/absolute",
    "nul%00",
    "line%0Afeed",
    "%20/blank",
    "colon%3A",
    "invalid%ff",
    "surrogate%ed%a0%80",
    "cut%e",
    "%",
    ".",
    "n".repeat(256),
    "n/".repeat(2049),
    "n/".repeat(256) + "n",
  ];
  for (const address of invalid) {
    await t.step(`C 17 and C 4 ${address.slice(0, 20)} is refused for every method`, async () => {
      for (const method of ["PUT", "GET", "DELETE"]) {
        const line = `${method} /api/v1/files/${address}`;
        const reply = await rawRequest(server.origin, { line, headers, body: "" });
        const isDeep = reply.status === 404 && method !== "PUT" && address.length < 1000;
        if (isDeep) continue;
        assert.equal(reply.status, 400, `${line.slice(0, 60)}: ${reply.body}`);
        assert.equal(JSON.parse(reply.body).code, "ErrResourcesInvalidRequest");
      }
    });
  }
  await t.step("C 17 without a path there is no route", async () => {
    for (const address of ["files", "files/"]) {
      const line = `PUT /api/v1/${address}`;
      assert.equal((await rawRequest(server.origin, { line, headers })).status, 404);
    }
  });
  assert.deepEqual(await one.tree(), before);
});

Deno.test("C 17 PUT /files/<path> refuses and keeps nothing", async (t) => {
  await using server = await TestServer.start({
    limits: { maxUploadFileSize: 200_000, maxUploadTotalSize: 300_000 },
  });
  const one = await server.as(1);
  await one.put("dir/file.txt", "the file");
  const before = await one.list({ recursive: "1" });
  const hashes = await server.storedHashes();
  const refuses = async (
    name: string,
    { status, code, message }: { status: number; code: string; message?: RegExp },
    send: () => ReturnType<Client["send"]>,
  ) =>
    await t.step(name, async () => {
      const given = refused(await send(), status, code);
      if (message !== undefined) assert.match(given, message);
      assert.equal((await one.list({ recursive: "1" })).text, before.text);
      assert.deepEqual(await server.storedHashes(), hashes);
      assert.deepEqual(await server.temporaryFiles(), []);
    });
  const invalid = { status: 400, code: "ErrResourcesInvalidRequest" };
  const badData = { status: 400, code: "ErrResourcesInvalidData" };
  const exists = { status: 409, code: "ErrResourcesAlreadyExists" };
  const failed = { status: 412, code: "ErrPreconditionFailed" };
  const forbidden = { status: 403, code: "ErrNotPermitted" };
  const large = randomBytes(200_001);

  await refuses(
    "C 17 a directory at the path",
    { ...exists, message: /"dir".*directory/ },
    () => one.put("dir", "x"),
  );
  await refuses(
    "C 17 a file above the path",
    { ...exists, message: /"dir\/file.txt" is a file/ },
    () => one.put("dir/file.txt/below/it", "x"),
  );
  await refuses(
    "C 17 and C 6 a body over the limit, by its length",
    { ...invalid, message: /"x.bin" is larger than 195.3 KiB \(STRONGROOM_MAX_UPLOAD_FILE_SIZE\)/ },
    () => one.put("x.bin", large),
  );
  await refuses(
    "C 17 and C 6 a chunked body over the limit",
    { ...invalid, message: /"x.bin" is larger than 195.3 KiB \(STRONGROOM_MAX_UPLOAD_FILE_SIZE\)/ },
    () => one.put("x.bin", new Blob([large]).stream()),
  );
  await refuses(
    "C 17 a part of a file",
    { ...invalid, message: /Content-Range/ },
    () => one.put("dir/file.txt", "part", { "Content-Range": "bytes 0-3/8" }),
  );
  for (const path of ["dir/file.txt", "new.txt"]) {
    await refuses(
      `C 17 If-Match fails for ${path}`,
      { ...failed, message: /If-Match/ },
      () => one.put(path, "x", { "If-Match": etag("other") }),
    );
  }
  await refuses(
    "C 17 If-Match: * without a file",
    { ...failed, message: /nothing is there/ },
    () => one.put("new.txt", "x", { "If-Match": "*" }),
  );
  await refuses(
    "C 17 a weak If-Match",
    failed,
    () => one.put("dir/file.txt", "x", { "If-Match": `W/${etag("the file")}` }),
  );
  await refuses(
    "C 17 If-None-Match: * with a file",
    { ...failed, message: /If-None-Match/ },
    () => one.put("dir/file.txt", "x", { "If-None-Match": "*" }),
  );
  await refuses(
    "C 17 If-Unmodified-Since before the last change",
    { ...failed, message: /If-Unmodified-Since/ },
    () => one.put("dir/file.txt", "x", { "If-Unmodified-Since": "Wed, 21 Oct 2015 07:28:00 GMT" }),
  );
  const base64 = (algorithm: "md5" | "sha256", text: string) => digest(algorithm, text).toBase64();
  const wrong: readonly (readonly [string, string])[] = [
    ["Content-MD5", base64("md5", "other")],
    ["Content-Digest", `md5=:${base64("md5", "other")}:`],
    ["Content-Digest", `sha-256=:${base64("sha256", "other")}:`],
    ["Repr-Digest", `sha-512=:AAAA:, sha-256=:${base64("sha256", "other")}:`],
    ["Repr-Digest", `md5=:${base64("md5", "right")}:, sha-256=:${base64("sha256", "other")}:`],
  ];
  for (const [name, value] of wrong) {
    await refuses(
      `C 17 ${name}: ${value.slice(0, 12)} that disagrees`,
      { ...badData, message: new RegExp(name) },
      () => one.put("new.txt", "right", { [name]: value }),
    );
  }
  await refuses(
    "C 17 a digest that disagrees with a large body",
    badData,
    () => one.put("dir/file.txt", large.subarray(1), { "Content-MD5": base64("md5", "other") }),
  );
  for (
    const [name, value] of [
      ["Content-MD5", "short"],
      ["Content-MD5", digest("md5", "x").toHex()],
      ["Content-Digest", "sha-256=abc"],
      ["Repr-Digest", "sha-256"],
      ["Repr-Digest", "md5=:????:"],
    ] as const
  ) {
    await refuses(
      `C 17 ${name}: ${value} is malformed`,
      { ...invalid, message: new RegExp(name) },
      () => one.put("new.txt", "x", { [name]: value }),
    );
  }
  const uploader = await server.as(1, "resources.upload");
  await refuses(
    "C 17 replacing without resources.edit",
    { ...forbidden, message: /resources.edit/ },
    () => uploader.put("dir/file.txt", "x"),
  );
  await refuses(
    "C 17 storing without resources.upload",
    { ...forbidden, message: /resources.upload/ },
    async () => (await server.as(1, "resources.edit")).put("new.txt", "x"),
  );
  await t.step("C 17 adding needs resources.upload alone", async () => {
    entry(await uploader.put("dir/added.txt", "x"), 201);
  });
});

Deno.test("C 17 preconditions and digests that hold", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const first = await one.put("f", "first", {
    "If-None-Match": "*",
    "Content-MD5": digest("md5", "first").toBase64(),
    "Repr-Digest": `sha-256=:${digest("sha256", "first").toBase64()}:`,
    "Content-Digest": `md5=:${digest("md5", "first").toBase64()}:, sha-512=:AAAA:`,
  });
  entry(first, 201);
  const tag = first.headers.get("ETag") ?? "";
  entry(await one.put("f", "second", { "If-Match": `"other", ${tag}` }), 200);
  entry(await one.put("f", "third", { "If-Match": "*", "If-None-Match": tag }), 200);
  const late = "Fri, 01 Jan 2100 00:00:00 GMT";
  entry(await one.put("f", "fourth", { "If-Unmodified-Since": late }), 200);
  entry(await one.put("f", "fifth", { "If-Unmodified-Since": "no date" }), 200);
  // If-Match goes before it (RFC 9110, 13.2.2).
  const before = "Wed, 21 Oct 2015 07:28:00 GMT";
  entry(await one.put("f", "sixth", { "If-Match": "*", "If-Unmodified-Since": before }), 200);
  assert.equal(await content(one, "f"), "sixth");
});

Deno.test("C 17 of two PUTs with If-None-Match: * at once, one wins", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  for (let round = 0; round < 5; round++) {
    const bodies = Array.from({ length: 8 }, (_, index) => `${round} ${index}`);
    const replies = await Promise.all(bodies.map((body) =>
      // Small content is in memory, larger content in a file.
      one.put(`race/${round}`, body.repeat(round % 2 === 0 ? 1 : 50_000), { "If-None-Match": "*" })
    ));
    const won = replies.flatMap(({ status }, index) => status === 201 ? [bodies[index]] : []);
    assert.equal(won.length, 1);
    for (const reply of replies) {
      if (reply.status !== 201) refused(reply, 412, "ErrPreconditionFailed");
    }
    assert.ok((await content(one, `race/${round}`)).startsWith(won[0] ?? ""));
  }
  assert.equal((await server.storedHashes()).length, 5);
  assert.deepEqual(await server.temporaryFiles(), []);
});

Deno.test("C 17 of PUTs with one If-Match at once, one wins, and no update is lost", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.put("counter", "0");
  await Promise.all(Array.from({ length: 6 }, async () => {
    for (;;) {
      const read = await one.file("GET", "counter");
      const next = String(Number(read.text) + 1);
      const tag = read.headers.get("ETag") ?? "";
      const { status } = await one.put("counter", next, { "If-Match": tag });
      if (status === 200) return;
      assert.equal(status, 412);
    }
  }));
  assert.equal(await content(one, "counter"), "6");
});

Deno.test("C 17 a connection cut within PUT leaves nothing behind", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.put("kept", "kept");
  const hashes = await server.storedHashes();
  for (const size of [10, 70_000, 3_000_000]) {
    for (const path of ["cut", "kept"]) {
      await abandonedRequest(server.origin, {
        line: `PUT /api/v1/files/${path}`,
        headers: { Authorization: `Bearer ${one.token}` },
        body: randomBytes(size),
        declaredLength: size + 1,
      });
    }
  }
  await until(async () => (await server.temporaryFiles()).length === 0);
  await until(() => server.log.filter((line) => line.includes('"method":"PUT"')).length === 7);
  assert.deepEqual(await one.tree(), ["kept"]);
  assert.equal(await content(one, "kept"), "kept");
  assert.deepEqual(await server.storedHashes(), hashes);
});

Deno.test("C 5.5 a PUT whose record cannot be changed keeps the former content", async () => {
  let fails = false;
  await using server = await TestServer.start(withRecords((records) => ({
    write: (work, options) =>
      records.write((transaction) => work(fails ? failing(transaction) : transaction), options),
    storeDecided: (upload, onCommit) =>
      records.storeDecided?.(fails ? { ...upload, newContents: [NO_FILE] } : upload, onCommit) ??
        Promise.resolve(undefined),
  })));
  const one = await server.as(1);
  await one.put("f", "former");
  const hashes = await server.storedHashes();
  fails = true;
  refused(await one.put("f", "new"), 500, "ErrInternal");
  refused(await one.put("f", "n".repeat(100_000)), 500, "ErrInternal");
  fails = false;
  assert.equal(await content(one, "f"), "former");
  assert.deepEqual(await server.storedHashes(), hashes);
  assert.deepEqual(await server.temporaryFiles(), []);
});

/** New content of a file that is not there. */
const NO_FILE = { id: 999, userId: 1, hash: "0".repeat(32), size: 0, crc32: 0, updatedAt: 0 };

function failing(transaction: WriteTransaction): WriteTransaction {
  return { ...transaction, replaceFiles: () => Promise.reject(new Error("injected")) };
}

Deno.test("C 17 GET and HEAD /files/<path>", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.put("d/é.txt", "0123456789");
  await t.step("C 9 as a download of one file", async () => {
    const { status, headers, text } = await one.file("GET", "d/é.txt");
    assert.deepEqual([status, text], [200, "0123456789"]);
    const download = await one.download({ path: "d/é.txt" });
    await download.body?.cancel();
    for (
      const name of [
        "Content-Type",
        "Content-Length",
        "Content-Disposition",
        "ETag",
        "Last-Modified",
        "Accept-Ranges",
        "Cache-Control",
      ]
    ) {
      assert.equal(headers.get(name), download.headers.get(name), name);
      assert.notEqual(headers.get(name), null, name);
    }
    const head = await one.file("HEAD", "d/é.txt");
    assert.deepEqual([head.status, head.text], [200, ""]);
    assert.equal(head.headers.get("Content-Length"), "10");
    assert.equal(head.headers.get("ETag"), headers.get("ETag"));
  });
  await t.step("C 9 ranges and conditional requests", async () => {
    const get = (headers: HeadersInit) => one.file("GET", "d/é.txt", { headers });
    const part = await get({ Range: "bytes=2-4" });
    assert.deepEqual([part.status, part.text], [206, "234"]);
    assert.equal((await get({ Range: "bytes=10-" })).status, 416);
    assert.equal((await get({ "If-None-Match": etag("0123456789") })).status, 304);
    assert.equal((await get({ "If-Match": etag("0123456789") })).status, 200);
    refused(await get({ "If-Match": etag("other") }), 412, "ErrPreconditionFailed");
    refused(
      await get({ "If-Unmodified-Since": "Wed, 21 Oct 2015 07:28:00 GMT" }),
      412,
      "ErrPreconditionFailed",
    );
  });
  await t.step("C 17 refuses a directory and what is missing", async () => {
    assert.match(refused(await one.file("GET", "d"), 404, "ErrResourcesNotFound"), /directory/);
    refused(await one.file("GET", "d/missing"), 404, "ErrResourcesNotFound");
    assert.equal((await one.file("HEAD", "d/missing")).status, 404);
    const two = await server.as(2);
    refused(await two.file("GET", "d/é.txt"), 404, "ErrResourcesNotFound");
  });
  await t.step("C 17 needs resources.download", async () => {
    const viewer = await server.as(1, "resources.view");
    refused(await viewer.file("GET", "d/é.txt"), 403, "ErrNotPermitted");
  });
  await t.step("RS 1.4 an administrator gets the file of another user", async () => {
    assert.equal(await content(await server.admin(9), "d/é.txt"), "0123456789");
  });
});

Deno.test("C 17 DELETE /files/<path>", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await t.step("RS 4.6 deletes a file", async () => {
    await one.put("d/f", "x");
    assert.deepEqual(items(await one.file("DELETE", "d/f")).map(({ path }) => path), ["d/f"]);
    assert.deepEqual(await one.tree(), ["d"]);
  });
  await t.step("RS 4.6.3 deletes a directory with its content", async () => {
    await one.put("d/a/b", "x");
    const deleted = items(await one.file("DELETE", "d"));
    assert.deepEqual(deleted.map(({ path }) => path), ["d", "d/a", "d/a/b"]);
    assert.deepEqual(await one.tree(), []);
  });
  await t.step("C 17 honors If-Match", async () => {
    await one.put("e/f", "x");
    const remove = (path: string, tag: string) =>
      one.file("DELETE", path, { headers: { "If-Match": tag } });
    refused(await remove("e/f", etag("other")), 412, "ErrPreconditionFailed");
    refused(await remove("e", etag("x")), 412, "ErrPreconditionFailed");
    assert.deepEqual(await one.tree(), ["e", "e/f"]);
    assert.equal(items(await remove("e/f", etag("x"))).length, 1);
    assert.equal(items(await remove("e", "*")).length, 1);
    refused(await remove("e", "*"), 404, "ErrResourcesNotFound");
  });
  await t.step("RS 4.6.2 refuses what is missing", async () => {
    refused(await one.file("DELETE", "missing"), 404, "ErrResourcesNotFound");
  });
  await t.step("C 17 needs resources.delete", async () => {
    await one.put("g", "x");
    const editor = await server.as(1, "resources.edit", "resources.upload");
    refused(await editor.file("DELETE", "g"), 403, "ErrNotPermitted");
  });
});

Deno.test("C 17 and C 22 PUT counts against the quota, less what it replaces", async () => {
  await using server = await TestServer.start({ settings: { userQuota: 100_000 } });
  const one = await server.as(1);
  entry(await one.put("f", new Uint8Array(90_000)), 201);
  refused(await one.put("g", new Uint8Array(10_001)), 400, "ErrResourcesQuotaExceeded");
  entry(await one.put("f", new Uint8Array(100_000).fill(1)), 200);
  refused(await one.put("f", new Uint8Array(100_001)), 400, "ErrResourcesQuotaExceeded");
  assert.deepEqual(await one.bytes({ path: "f" }), new Uint8Array(100_000).fill(1));
});

Deno.test("C 17 and C 22 PUT and DELETE are in the audit log", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.put("d/f", "x");
  await one.put("d/f", "y");
  await one.put("d/f", "z", { "If-None-Match": "*" });
  await one.file("DELETE", "d/f");
  const text = await Deno.readTextFile(`${server.dataDir}/audit.log`);
  const lines = text.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ action, outcome, paths, records }) => [action, outcome, paths, records]),
    [
      ["resources.upload", "ok", ["d/f"], 2],
      ["resources.upload", "ok", ["d/f"], 1],
      ["resources.upload", "ErrPreconditionFailed", ["d/f"], undefined],
      ["resources.delete", "ok", ["d/f"], 1],
    ],
  );
});

Deno.test("C 17 a download of the former content goes on while a PUT replaces it", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const former = randomBytes(8_000_000);
  await one.put("f", former);
  const response = await one.fetch("/files/f");
  const reader = response.body?.getReader();
  const first = await reader?.read();
  entry(await one.put("f", "new"), 200);
  await server.storedHashes();
  const chunks = [first?.value ?? new Uint8Array()];
  for (;;) {
    const { value } = await reader?.read() ?? {};
    if (value === undefined) break;
    chunks.push(value);
  }
  assert.deepEqual(joinBytes(chunks), former);
  assert.equal(await content(one, "f"), "new");
});
