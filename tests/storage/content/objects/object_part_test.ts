import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { OpenPart } from "../../../../core/uploads.ts";
import { contentOf, publish } from "../../../conformance/blob_store_suite.ts";
import { noise } from "../../../support/random.ts";
import { faults, type OpenStores, type Room, settledKeys } from "../../../support/s3_rooms.ts";

const ID = "1".repeat(32);
const TIMES = { createdAt: 0, expiresAt: 2 ** 50 };
/** An upload that is a file of its own. */
const FILE = { onConflict: "error", metadata: "", deferred: false, concat: "" } as const;

/** Begins an upload of a tree. */
async function begin({ records }: OpenStores, size: number): Promise<void> {
  const upload = { id: ID, userId: 1, createdBy: 1, path: "a", size, sha256: undefined, ...TIMES };
  const bounds = { maxUnfinished: 10, quota: undefined, replacedBytes: 0 };
  await records.uploads.add({ ...upload, ...FILE }, bounds);
}

/** Appends content as a request does. */
async function append(part: OpenPart, content: Uint8Array<ArrayBuffer>): Promise<void> {
  for (let at = 0; at < content.length; at += 500_000) {
    await part.append(content.slice(at, at + 500_000));
  }
}

/** Keeps what has come, and returns how much. */
async function keep({ records }: OpenStores, part: OpenPart): Promise<number> {
  const received = await part.sync();
  await records.uploads.advance(ID, { received, expiresAt: TIMES.expiresAt, turn: part.turn });
  return received;
}

/** Sends content in a request of its own. */
async function send(stores: OpenStores, from: number, content: Uint8Array<ArrayBuffer>) {
  const part = await stores.blobs.parts.open(ID, from);
  await part.begin(undefined);
  await append(part, content);
  const received = await keep(stores, part);
  await part.close();
  return received;
}

/** Ends the upload, and returns its content. */
async function finish(stores: OpenStores, size: number): Promise<Uint8Array | undefined> {
  const part = await stores.blobs.parts.open(ID, size);
  await using blob = await part.finish();
  await publish(stores, [blob]);
  await stores.records.write((transaction) => transaction.completeUploads([ID], 1));
  await part.close();
  await stores.blobs.parts.remove(ID);
  return await contentOf(stores.blobs, blob.hash);
}

function partsOf({ rows }: OpenStores) {
  return rows("SELECT position, size, object FROM upload_parts ORDER BY position");
}

async function leavesOne(room: Room, stores: OpenStores): Promise<void> {
  assert.deepEqual(await partsOf(stores), []);
  assert.equal((await settledKeys(room, stores)).length, 1);
}

faults("C 21 many small requests make few objects and rows", async (room) => {
  await using stores = await room.open();
  const content = noise(400 * 25_001);
  await begin(stores, content.length);
  let received = 0;
  for (let at = 0; at < content.length; at += 25_001) {
    received = await send(stores, received, content.slice(at, at + 25_001));
  }
  const parts = await partsOf(stores);
  assert.equal(parts.filter(({ object }) => object !== null).length, 1);
  assert.ok(parts.length < 30, String(parts.length));
  assert.deepEqual(await finish(stores, content.length), content);
  await leavesOne(room, stores);
});

faults("C 21 what a request has brought can be dropped, wherever it was stored", async (room) => {
  await using stores = await room.open();
  const content = noise(21_000_000);
  await begin(stores, content.length);
  for (const [before, brought] of [[100, 50], [70_000, 9_000_000], [9_000_000, 10]] as const) {
    const first = await send(stores, 0, content.slice(0, before));
    const part = await stores.blobs.parts.open(ID, first);
    await part.begin("sha256");
    await append(part, noise(brought, 2));
    const digest = createHash("sha256").update(noise(brought, 2)).digest("hex");
    assert.equal((await part.checksum()).toHex(), digest);
    // Of what was kept in between, the part keeps what came before the request.
    if (brought !== 50) assert.equal(await keep(stores, part), before + brought);
    await append(part, noise(200_000, 3));
    await part.revert();
    assert.equal(await keep(stores, part), before);
    await part.close();
    await send(stores, before, content.slice(before, before + 300_000));
    await send(stores, before + 300_000, content.slice(before + 300_000));
    const end = await stores.blobs.parts.open(ID, content.length);
    await using blob = await end.finish();
    assert.equal(blob.hash, createHash("md5").update(content).digest("hex"));
    await stores.records.uploads.advance(ID, { received: 0, ...TIMES, turn: end.turn });
    await end.close();
  }
  await send(stores, 0, content);
  assert.deepEqual(await finish(stores, content.length), content);
  await leavesOne(room, stores);
});

faults("C 21 what is not known to be received is dropped by the next request", async (room) => {
  await using stores = await room.open();
  const content = noise(10_000_000);
  await begin(stores, content.length);
  await send(stores, 0, content.slice(0, 1000));
  const part = await stores.blobs.parts.open(ID, 1000);
  await part.begin(undefined);
  await append(part, noise(9_000_000, 2));
  // As if the process had ended before it noted that.
  assert.equal(await part.sync(), 9_001_000);
  await part.close();
  await assert.rejects(stores.blobs.parts.open(ID, 9_001_000), { kind: "ErrUploadsLocked" });
  assert.equal(await send(stores, 1000, content.slice(1000)), content.length);
  assert.deepEqual(await finish(stores, content.length), content);
  await leavesOne(room, stores);
});

faults("C 21 of two requests, only the later one can change an upload", async (room) => {
  await using stores = await room.open();
  const content = noise(9_500_000);
  await begin(stores, content.length);
  const parts = [];
  for (const size of [1000, 9_000_000, 200]) {
    const part = await stores.blobs.parts.open(ID, 0);
    await part.begin(undefined);
    await append(part, noise(size, size));
    parts.push(part);
  }
  await send(stores, 0, content);
  for (const part of parts) {
    await assert.rejects(part.sync(), { kind: "ErrUploadsLocked" });
    const progress = { received: 0, ...TIMES, turn: part.turn };
    await assert.rejects(stores.records.uploads.advance(ID, progress), {
      kind: "ErrUploadsLocked",
    });
    await assert.rejects(part.sync(), { kind: "ErrUploadsLocked" });
    await part.close();
    await stores.records.uploads.remove(ID, part.turn);
  }
  assert.deepEqual(await finish(stores, content.length), content);
  await assert.rejects(
    stores.records.write((transaction) => transaction.completeUploads([ID], 2)),
    { kind: "ErrUploadsLocked" },
  );
  await leavesOne(room, stores);
});

faults("C 21 while the store fails, an upload keeps what it has", async (room) => {
  await using stores = await room.open();
  const content = noise(30_000_000);
  await begin(stores, content.length);
  await send(stores, 0, content.slice(0, 9_000_000));
  room.proxy.fault = ({ method }) => method === "PUT" ? { status: 500 } : "pass";
  const part = await stores.blobs.parts.open(ID, 9_000_000);
  await part.begin(undefined);
  const sent = append(part, content.slice(9_000_000)).then(() => part.sync());
  await assert.rejects(sent, { kind: "ErrUnavailable" });
  await assert.rejects(part.sync(), { kind: "ErrUnavailable" });
  await part.close();
  room.proxy.fault = () => "pass";
  assert.equal(await send(stores, 9_000_000, content.slice(9_000_000)), content.length);
  assert.deepEqual(await finish(stores, content.length), content);
  await leavesOne(room, stores);
});
