import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { entry, refused } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import {
  createUpload,
  deleteUpload,
  headUpload,
  offsetOf,
  patchUpload,
  postUpload,
} from "../support/tus.ts";
import { statOf } from "../support/verdicts.ts";
import { waitingIn } from "../support/stored_content.ts";

/** Three parts of a file that is too large for the database. */
const CONTENT = noise(300_000);
const CUTS = [0, 100_001, 250_000, CONTENT.length] as const;

function part(index: number): Uint8Array<ArrayBuffer> {
  return CONTENT.slice(CUTS[index], CUTS[index + 1]);
}

Deno.test("C 21 a file comes in several requests, and is placed as an upload places it", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await using events = await one.events();
  const upload = await createUpload(one, "models/a/weights.bin", CONTENT.length);
  for (const index of [0, 1, 2]) {
    assert.equal(await offsetOf(one, upload), CUTS[index]);
    const reply = await patchUpload(one, upload, { offset: CUTS[index] ?? 0, body: part(index) });
    assert.equal(reply.status, 204, reply.text);
    assert.equal(reply.headers.get("Upload-Offset"), String(CUTS[index + 1]));
    assert.equal(reply.headers.get("Tus-Resumable"), "1.0.0");
  }

  await t.step("C 21 its record, content and digests are right", async () => {
    assert.deepEqual(await one.bytes({ path: "models/a/weights.bin" }), CONTENT);
    const { md5, sha256, size } = await statOf(one, "models/a/weights.bin");
    assert.equal(md5, createHash("md5").update(CONTENT).digest("hex"));
    assert.equal(sha256, createHash("sha256").update(CONTENT).digest("hex"));
    assert.equal(size, CONTENT.length);
  });
  await t.step("C 21 subscribers learn of it", async () => {
    const told = [await events.next(), await events.next(), await events.next()];
    assert.deepEqual(told.map((it) => [it?.event, JSON.parse(it?.data ?? "").path]), [
      ["resource.added", "models"],
      ["resource.added", "models/a"],
      ["resource.added", "models/a/weights.bin"],
    ]);
  });
  await t.step("C 21 a client that lost the last reply sees that it is complete", async () => {
    const reply = await headUpload(one, upload);
    assert.equal(reply.headers.get("Upload-Offset"), String(CONTENT.length));
    assert.equal(reply.headers.get("Upload-Length"), String(CONTENT.length));
    assert.equal(reply.headers.get("Upload-Expires"), null);
    assert.deepEqual(await waitingIn(server.dataDir), []);
  });
});

Deno.test("C 21 a small and an empty file are placed", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const upload = await createUpload(one, "small.txt", 5);
  assert.equal((await patchUpload(one, upload, { offset: 0, body: "hello" })).status, 204);
  const empty = await postUpload(one, { metadata: { filename: "e", dir: "d" }, size: 0 });
  assert.equal(empty.status, 201, empty.text);
  assert.deepEqual(await one.tree(), ["d", "d/e", "small.txt"]);
  assert.equal(new TextDecoder().decode(await one.bytes({ path: "small.txt" })), "hello");
});

Deno.test("C 21 another user's upload is 404", async () => {
  await using server = await TestServer.start();
  const [one, two] = [await server.as(1), await server.as(2)];
  const upload = await createUpload(one, "secret.bin", 10);
  assert.equal((await headUpload(two, upload)).status, 404);
  refused(
    await patchUpload(two, upload, { offset: 0, body: "0123456789" }),
    404,
    "ErrUploadsNotFound",
  );
  refused(await deleteUpload(two, upload), 404, "ErrUploadsNotFound");
  assert.equal(await offsetOf(one, upload), 0);
});

Deno.test("C 21 an upload that is ended is gone", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const upload = await createUpload(one, "a", 10);
  await patchUpload(one, upload, { offset: 0, body: "01234" });
  assert.equal((await deleteUpload(one, upload)).status, 204);
  assert.equal((await headUpload(one, upload)).status, 404);
  assert.deepEqual(await waitingIn(server.dataDir), []);
  assert.deepEqual(await one.tree(), []);
  entry(await one.put("a", "new"), 201);
});
