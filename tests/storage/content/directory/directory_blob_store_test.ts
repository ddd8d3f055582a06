import * as assert from "node:assert/strict";
import { DirectoryBlobStore } from "../../../../storage/content/directory/directory_blob_store.ts";
import { SqliteResourceStore } from "../../../../storage/sqlite/sqlite_resource_store.ts";
import { blobStoreSuite, chunksOf, publish } from "../../../conformance/blob_store_suite.ts";
import { noise } from "../../../support/random.ts";
import { TempDir } from "../../../support/temp_dir.ts";

async function open() {
  await using parts = new AsyncDisposableStack();
  const { path } = parts.use(await TempDir.make());
  const records = parts.use(await SqliteResourceStore.open(`${path}/strongroom.db`));
  const blobs = parts.use(await DirectoryBlobStore.open(path, { contents: records.contents }));
  const owned = parts.move();
  return { path, records, blobs, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

blobStoreSuite("DirectoryBlobStore", open);

Deno.test("DirectoryBlobStore writes nothing again that a file has as it comes in", async () => {
  await using stores = await open();
  const content = noise(3_000_000);
  const spool = `${stores.path}/tmp/spool`;
  await Deno.writeFile(spool, content);
  await using staged = await stores.blobs.stage(chunksOf(content), spool);
  assert.deepEqual((await Array.fromAsync(Deno.readDir(`${stores.path}/tmp`))).length, 1);
  await publish(stores, [staged]);
  const { ino } = await Deno.stat(stores.blobs.pathOf(staged.hash));
  assert.equal(ino, (await Deno.stat(spool)).ino);
});
