import * as assert from "node:assert/strict";
import type { StagedBlob } from "../../../core/blob_store.ts";
import { StagedObject } from "../../../storage/content/objects/staged_object.ts";
import { chunksOf, contentOf, publish } from "../../conformance/blob_store_suite.ts";
import { postgresRecords } from "../../support/object_stores.ts";
import { noise } from "../../support/random.ts";
import { faults, makeRoom, settledKeys } from "../../support/s3_rooms.ts";
import { S3Engine } from "../../support/s3.ts";

const CONTENT = noise(3_000_000);
const POSTGRES = postgresRecords();

function keyOf(blob: StagedBlob): string {
  assert.ok(blob instanceof StagedObject);
  return blob.key;
}

Deno.test({
  name:
    "C 23 what a server was receiving leaves when others take it for dead, and is not published",
  ignore: !S3Engine.isInstalled || !POSTGRES.isInstalled,
  async fn() {
    await using room = await makeRoom(POSTGRES);
    await using slow = await room.open();
    const staged = await slow.blobs.stage(chunksOf(CONTENT));
    await using other = await room.open();
    await using kept = await other.blobs.stage(chunksOf(noise(3_000_000, 2)));
    // As if its lease had run out.
    await other.rows(
      `DELETE FROM servers WHERE id = (SELECT server FROM objects WHERE key = '${keyOf(staged)}')`,
    );
    await using third = await room.open();
    assert.deepEqual(await settledKeys(room, third), [keyOf(kept)]);
    await assert.rejects(publish(slow, [staged]), { kind: "ErrUnavailable" });
    await staged[Symbol.asyncDispose]();
    await publish(other, [kept]);
    assert.deepEqual(await contentOf(slow.blobs, kept.hash), noise(3_000_000, 2));
    assert.equal(await slow.blobs.open(staged.hash, { start: 0, end: 1 }), undefined);
  },
});

faults("a server that others may take for dead sends nothing more", async (room) => {
  let isAlive = true;
  await using stores = await room.open({ mayWrite: () => isAlive });
  isAlive = false;
  const before = room.proxy.requests.length;
  await assert.rejects(stores.blobs.stage(chunksOf(CONTENT)), { kind: "ErrUnavailable" });
  const sent = room.proxy.requests.slice(before).filter(({ method }) => method === "PUT");
  assert.deepEqual(sent, []);
  isAlive = true;
  await using staged = await stores.blobs.stage(chunksOf(CONTENT));
  await publish(stores, [staged]);
  assert.equal((await settledKeys(room, stores)).length, 1);
});
