import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Client } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { TestServer, type TestServerOptions } from "../support/server.ts";
import { CONTENT_TYPE, metadataOf, TUS } from "../support/tus.ts";

const BODY = { ...TUS, "Content-Type": CONTENT_TYPE };

function post(client: Client, headers: Record<string, string>, body?: BodyInit) {
  return client.send("POST", "/uploads/", {
    headers: { ...TUS, ...headers },
    ...(body !== undefined && { body }),
  });
}

function patch(client: Client, address: string, offset: number, body: BodyInit, size?: number) {
  const headers = {
    ...BODY,
    "Upload-Offset": String(offset),
    ...(size !== undefined && { "Upload-Length": String(size) }),
  };
  return client.send("PATCH", address, { headers, body });
}

/** Creates an upload, which must succeed. Returns its address, relative to the base. */
async function created(client: Client, headers: Record<string, string>, body?: BodyInit) {
  const reply = await post(client, headers, body);
  assert.equal(reply.status, 201, reply.text);
  return `/uploads/${reply.headers.get("Location")}`;
}

/** Uploads a part of a file. Returns its address. */
function part(client: Client, content: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const headers = { "Upload-Concat": "partial", "Upload-Length": String(bytes.length) };
  return created(client, { ...headers, "Content-Type": CONTENT_TYPE }, bytes);
}

function join(client: Client, addresses: readonly string[], metadata: Record<string, string>) {
  return post(client, {
    "Upload-Concat": `final;${addresses.join(" ")}`,
    "Upload-Metadata": metadataOf(metadata),
  });
}

async function started(options?: TestServerOptions) {
  const server = await TestServer.start(options);
  return { server, one: await server.as(1), two: await server.as(2) };
}

function head(client: Client, address: string) {
  return client.send("HEAD", address, { headers: TUS });
}

Deno.test("C 21 a file is joined from uploads that came beside each other", async (t) => {
  const { server, one, two } = await started();
  await using _server = server;
  const contents = [noise(3_000_000), noise(70_000), new Uint8Array(), noise(1_500_001)];
  const whole = new Uint8Array(await new Blob(contents).arrayBuffer());
  const sha256 = createHash("sha256").update(whole).digest("hex");

  await t.step("C 21 the server says so", async () => {
    const { headers } = await one.send("OPTIONS", "/uploads/");
    const extensions = (headers.get("Tus-Extension") ?? "").split(",");
    assert.ok(extensions.includes("concatenation") && extensions.includes("creation-defer-length"));
  });
  await t.step("C 21 parts become no files, and show that they are parts", async () => {
    const address = await part(one, "abc");
    assert.deepEqual(await one.tree(), []);
    const reply = await head(one, address);
    assert.equal(reply.headers.get("Upload-Concat"), "partial");
    assert.equal(reply.headers.get("Upload-Offset"), "3");
    const { data } = JSON.parse((await one.send("GET", address)).text);
    assert.equal(data.path, null);
    assert.equal((await one.send("DELETE", address, { headers: TUS })).status, 204);
  });
  await t.step("C 21 the file has the content of the parts in order, and its digest", async () => {
    const parts = await Promise.all(contents.map((content) => part(one, content)));
    const addresses = parts.map((address, index) => index === 1 ? one.url + address : address);
    const reply = await join(one, addresses, { path: "a/joined", sha256 });
    assert.equal(reply.status, 201, reply.text);
    assert.deepEqual(await one.bytes({ path: "a/joined" }), whole);
    const checksums = await one.send("GET", "/resources/checksums?path=a");
    assert.match(checksums.text, new RegExp(sha256));
    const address = `/uploads/${reply.headers.get("Location")}`;
    const shown = await head(one, address);
    assert.equal(shown.headers.get("Upload-Concat"), `final;${addresses.join(" ")}`);
    assert.equal(shown.headers.get("Upload-Offset"), String(whole.length));
    assert.equal(shown.headers.get("Upload-Length"), String(whole.length));
    assert.equal((await patch(one, address, whole.length, "")).status, 403);
    for (const gone of parts) assert.equal((await head(one, gone)).status, 404);
    assert.deepEqual(await server.storedHashes(), [
      createHash("md5").update(whole).digest("hex"),
    ]);
  });
  await t.step("C 21 parts of one part are that file", async () => {
    const reply = await join(one, [await part(one, "only")], { path: "only" });
    assert.equal(reply.status, 201, reply.text);
    assert.equal(new TextDecoder().decode(await one.bytes({ path: "only" })), "only");
  });
  await t.step("C 21 what is refused leaves the parts as they are", async () => {
    const [a, b] = [await part(one, "a".repeat(100_000)), await part(one, "b".repeat(100_000))];
    const refusals: [number, string[], Record<string, string>][] = [
      [409, [a, b], { path: "only" }],
      [400, [a, b], { path: "new", sha256: "0".repeat(64) }],
      [400, [a, b, a], { path: "new" }],
      [400, [a, "nonsense"], { path: "new" }],
      [400, [], { path: "new" }],
      [400, [a, b], {}],
      [404, [a, `/uploads/${"0".repeat(32)}`], { path: "new" }],
    ];
    for (const [status, addresses, metadata] of refusals) {
      const reply = await join(one, addresses, metadata);
      assert.equal(reply.status, status, reply.text);
    }
    assert.equal((await join(two, [a, b], { path: "new" })).status, 404);
    const plain = await created(one, {
      "Upload-Length": "5",
      "Upload-Metadata": metadataOf({ path: "plain" }),
    });
    assert.equal((await join(one, [plain], { path: "new" })).status, 400);
    const partial = { "Upload-Concat": "partial", "Upload-Length": "5" };
    const unfinished = await created(one, partial);
    assert.equal((await join(one, [a, unfinished], { path: "new" })).status, 409);
    const final = { "Upload-Concat": `final;${a}`, "Upload-Metadata": metadataOf({ path: "new" }) };
    assert.equal((await post(one, { ...final, "Upload-Length": "5" })).status, 400);
    assert.equal((await post(one, { ...final, "Upload-Defer-Length": "1" })).status, 400);
    assert.equal((await post(one, { ...final, "Content-Type": CONTENT_TYPE }, "x")).status, 400);
    assert.equal((await post(one, { ...partial, "Upload-Concat": "other" })).status, 400);
    assert.deepEqual((await one.tree()).sort(), ["a", "a/joined", "only"]);
    // The parts are as they were.
    const reply = await join(one, [b, a], { path: "new" });
    assert.equal(reply.status, 201, reply.text);
    const text = new TextDecoder().decode(await one.bytes({ path: "new" }));
    assert.equal(text, "b".repeat(100_000) + "a".repeat(100_000));
  });
  await t.step("C 21 of two requests that join the same parts, one does", async () => {
    const parts = [await part(one, "x".repeat(70_000)), await part(one, "y".repeat(70_000))];
    const replies = await Promise.all(
      ["p", "q"].map((path, index) =>
        join(one, index === 0 ? parts : parts.toReversed(), { path })
      ),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 404]);
  });
});

Deno.test("C 21 parts count against the limits and the quota, once", async () => {
  const { server, one } = await started({
    limits: { userQuota: 1000, maxUploadFileSize: 800, maxUploadTotalSize: 800 },
  });
  await using _server = server;
  const [a, b] = [await part(one, "a".repeat(500)), await part(one, "b".repeat(400))];
  const partial = (size: number) => ({ "Upload-Concat": "partial", "Upload-Length": `${size}` });
  assert.match((await post(one, partial(200))).text, /ErrResourcesQuotaExceeded/);
  assert.equal((await post(one, partial(801))).status, 413);
  // Together they are too large for one file.
  const reply = await join(one, [a, b], { path: "large" });
  assert.match(reply.text, /ErrUploadsTooLarge/);
  await one.send("DELETE", b, { headers: TUS });
  const c = await part(one, "c".repeat(300));
  const joined = await join(one, [a, c], { path: "whole" });
  assert.equal(joined.status, 201, joined.text);
  assert.equal((await one.bytes({ path: "whole" })).length, 800);
  // The parts count no more.
  await part(one, "d".repeat(200));
});

Deno.test("C 21 the size of an upload may be stated later", async (t) => {
  const { server, one } = await started({
    limits: { userQuota: 10_000, maxUploadFileSize: 8000, maxUploadTotalSize: 8000 },
  });
  await using _server = server;
  const deferred = (path: string) =>
    created(one, { "Upload-Defer-Length": "1", "Upload-Metadata": metadataOf({ path }) });

  await t.step("C 21 with any request, and the file is stored when it is whole", async () => {
    const address = await deferred("a");
    assert.equal((await patch(one, address, 0, "one ")).status, 204);
    const reply = await head(one, address);
    assert.equal(reply.headers.get("Upload-Defer-Length"), "1");
    assert.equal(reply.headers.get("Upload-Length"), null);
    assert.equal(reply.headers.get("Upload-Offset"), "4");
    const { data } = JSON.parse((await one.send("GET", address)).text);
    assert.equal(data.size, null);
    assert.deepEqual(await one.tree(), []);
    assert.equal((await patch(one, address, 4, "two ", 13)).status, 204);
    assert.equal((await head(one, address)).headers.get("Upload-Length"), "13");
    assert.equal((await patch(one, address, 8, "three", 13)).status, 204);
    assert.equal(new TextDecoder().decode(await one.bytes({ path: "a" })), "one two three");
  });
  await t.step("C 21 with an empty request at the end", async () => {
    const address = await deferred("b");
    assert.equal((await patch(one, address, 0, "content")).status, 204);
    assert.equal((await patch(one, address, 7, "", 7)).status, 204);
    assert.equal(new TextDecoder().decode(await one.bytes({ path: "b" })), "content");
  });
  await t.step("C 21 but not twice, nor less than what has come, nor beyond a limit", async () => {
    const address = await deferred("c");
    assert.equal((await patch(one, address, 0, "content")).status, 204);
    assert.equal((await patch(one, address, 7, "", 6)).status, 400);
    assert.equal((await patch(one, address, 7, "", 8001)).status, 413);
    assert.equal((await patch(one, address, 7, "x", 8000)).status, 204);
    assert.equal((await patch(one, address, 8, "x", 7999)).status, 400);
    await one.send("DELETE", address, { headers: TUS });
    const metadata = { "Upload-Metadata": metadataOf({ path: "c" }) };
    const both = { "Upload-Defer-Length": "1", "Upload-Length": "5", ...metadata };
    assert.equal((await post(one, both)).status, 400);
    assert.equal((await post(one, { "Upload-Defer-Length": "2", ...metadata })).status, 400);
  });
  await t.step("C 21 what comes counts against the limits and the quota", async () => {
    const [d, e] = [await deferred("d"), await deferred("e")];
    assert.equal((await patch(one, d, 0, "x".repeat(8001))).status, 413);
    assert.equal((await patch(one, d, 0, "x".repeat(7000))).status, 204);
    assert.match((await patch(one, e, 0, "x".repeat(4000))).text, /ErrResourcesQuotaExceeded/);
    const offset = Number((await head(one, e)).headers.get("Upload-Offset"));
    assert.match((await patch(one, e, offset, "", 4000)).text, /ErrResourcesQuotaExceeded/);
    assert.equal((await patch(one, e, offset, "x".repeat(2000 - offset), 2000)).status, 204);
  });
});
