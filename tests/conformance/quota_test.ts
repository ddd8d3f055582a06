import * as assert from "node:assert/strict";
import * as v from "valibot";
import { HISTORY_ROW_BYTES } from "../../core/history.ts";
import { Client, dataOf, refused } from "../support/client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { fileHead, rawRequest } from "../support/raw_http.ts";

const MIB = 2 ** 20;

const Usage = v.strictObject({
  files: v.number(),
  directories: v.number(),
  bytes: v.number(),
  stored_bytes: v.number(),
  history_bytes: v.number(),
  tagged_bytes: v.number(),
  uploading: v.number(),
  quota: v.nullable(v.number()),
});

async function usageOf(client: Client, scope?: string): Promise<v.InferOutput<typeof Usage>> {
  return v.parse(Usage, dataOf(await client.send("GET", "/usage/", { query: { scope } })));
}

function exceeds(reply: Parameters<typeof refused>[0]): string {
  return refused(reply, 400, "ErrResourcesQuotaExceeded");
}

Deno.test("C 22 GET /usage/ counts files, bytes and stored bytes of the caller's tree", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  assert.deepEqual(await usageOf(user), {
    files: 0,
    directories: 0,
    bytes: 0,
    stored_bytes: 0,
    history_bytes: 0,
    tagged_bytes: 0,
    uploading: 0,
    quota: null,
  });
  const large = new Uint8Array(100_000);
  await user.upload("a/b", { "1": "12345", "2": "12345", "3": large });
  await user.copy({ source: "a", destination: "c" });
  await user.move({ sources: ["c/b"], destination: "d" });
  await user.remove({ path: "a/b/3" });
  await (await server.as(8)).upload("", { "1": "12345", "other": "1234567" });
  const { quota: _, ...counted } = await usageOf(user);
  assert.deepEqual(counted, {
    files: 5,
    directories: 4,
    bytes: 100_020,
    stored_bytes: 100_005,
    // A file was deleted; a directory and three files were moved.
    history_bytes: 100_000 + 5 * HISTORY_ROW_BYTES,
    tagged_bytes: 0,
    uploading: 0,
  });
});

Deno.test("C 22 GET /usage/ counts all trees for administrators only", async () => {
  await using server = await TestServer.start();
  for (const id of [1, 2]) await (await server.as(id)).upload("d", { "a": "12345", "b": `${id}` });
  const { quota: _, ...all } = await usageOf(await server.admin(), "all");
  assert.deepEqual(all, {
    files: 4,
    directories: 2,
    bytes: 12,
    stored_bytes: 7,
    uploading: 0,
    history_bytes: 0,
    tagged_bytes: 0,
  });
  const user = await server.as(1);
  refused(await user.send("GET", "/usage/?scope=all"), 403, "ErrNotPermitted");
  refused(await user.send("GET", "/usage/?scope=none"), 400, "ErrResourcesInvalidRequest");
});

Deno.test("C 22 an upload beyond the quota of the user is refused, and nothing of it is kept", async () => {
  await using server = await TestServer.start({ limits: { userQuota: 10 } });
  const user = await server.as(7);
  await user.upload("", { "a": "123456" });
  assert.match(exceeds(await user.upload("d", { "b": "12", "c": "345" })), /quota of 10 bytes/);
  assert.deepEqual(await user.tree(), ["a"]);
  assert.deepEqual(await server.temporaryFiles(), []);
  assert.equal((await user.upload("d", { "b": "12", "c": "34" })).status, 200);
  assert.equal((await usageOf(user)).quota, 10);
  assert.equal((await (await server.as(8)).upload("", { "a": "1234567" })).status, 200);
  await user.remove({ path: "a" });
  assert.equal((await user.upload("", { "a": "123456" })).status, 200);
});

Deno.test("C 22 an upload is refused while its body still comes in", async () => {
  await using server = await TestServer.start({ limits: { userQuota: 3 * MIB } });
  const token = await mintToken({ userId: 7, privileges: USER_PRIVILEGES });
  const content = "x".repeat(4 * MIB);
  const reply = await rawRequest(server.origin, {
    line: "POST /api/v1/resources/",
    headers: {
      "Authorization": `Bearer ${token}`,
      "Content-Type": "multipart/form-data; boundary=boundary",
      "Content-Length": String(100 * MIB),
    },
    body: `--boundary\r\n${fileHead("a")}\r\n\r\n${content}`,
  });
  assert.equal(reply.status, 400);
  assert.match(reply.body, /ErrResourcesQuotaExceeded/);
});

Deno.test("C 22 concurrent uploads cannot exceed the quota together", async () => {
  await using server = await TestServer.start({ limits: { userQuota: 50 } });
  const user = await server.as(7);
  const names = Array.from({ length: 20 }, (_, index) => `${index}`);
  const replies = await Promise.all(names.map((name) => user.upload("", { [name]: "1234567890" })));
  assert.equal(replies.filter(({ status }) => status === 200).length, 5);
  for (const reply of replies) if (reply.status !== 200) exceeds(reply);
  assert.equal((await usageOf(user)).bytes, 50);
});

Deno.test("C 22 doubling copies end at the quota", async () => {
  await using server = await TestServer.start({ limits: { userQuota: 1000 } });
  const user = await server.as(7);
  await user.upload("all/0", { "a": "1234567890" });
  const refusal = await doubled(user);
  assert.match(exceeds(refusal), /quota of 1,000 bytes/);
  assert.ok((await usageOf(user)).bytes <= 1000);
});

Deno.test("C 22 doubling copies of empty directories end at the quota", async () => {
  await using server = await TestServer.start({ limits: { userQuota: 1 } });
  const user = await server.as(7);
  await user.mkdir(`all/0/${"d/".repeat(200)}`);
  const refusal = await doubled(user);
  assert.match(exceeds(refusal), /10000 files and directories/);
  const { directories } = await usageOf(user);
  assert.ok(directories <= 10_000 && directories > 5000, `${directories}`);
});

async function doubled(user: Client) {
  for (let round = 1;; round++) {
    const reply = await user.copy({ source: "all", destination: `copy${round}` });
    if (reply.status !== 200 || round > 12) return reply;
    await user.move({ sources: [`copy${round}`], destination: "all/" });
  }
}

Deno.test("C 22 the quota of a credential overrides the setting", async () => {
  await using server = await TestServer.start({ limits: { userQuota: 5 } });
  const token = (quota: number) => mintToken({ userId: 7, privileges: USER_PRIVILEGES, quota });
  const more = new Client(server.url, await token(20));
  assert.equal((await more.upload("", { "a": "1234567890" })).status, 200);
  exceeds(await (await server.as(7)).upload("", { "b": "1" }));
  exceeds(await new Client(server.url, await token(0)).upload("", { "b": "1" }));
  const invalid = new Client(server.url, await token(-1));
  refused(await invalid.upload("", { "b": "1" }), 401, "ErrAuthRequired");
});

Deno.test("C 22 what does not grow a tree is possible beyond its quota", async () => {
  await using server = await TestServer.start({ limits: { userQuota: 20 } });
  const privileges = USER_PRIVILEGES;
  const user = new Client(server.url, await mintToken({ userId: 7, privileges, quota: 100 }));
  await user.upload("d", { "a": "x".repeat(50), "b": "1" });
  const over = await server.as(7);
  assert.equal((await over.mkdir("e")).status, 200);
  assert.equal((await over.move({ sources: ["d"], destination: "f" })).status, 200);
  const shrinking = { source: "f/b", destination: "f/a", force: true };
  assert.equal((await over.copy(shrinking)).status, 200);
  assert.equal((await usageOf(over)).bytes, 2);
});
