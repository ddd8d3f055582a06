import * as assert from "node:assert/strict";
import { S3BlobStore } from "../../../../storage/content/objects/s3_blob_store.ts";
import { blobStoreSuite } from "../../../conformance/blob_store_suite.ts";
import { postgresRecords, SQLITE_RECORDS } from "../../../support/object_stores.ts";
import { S3Engine } from "../../../support/s3.ts";
import { TempDir } from "../../../support/temp_dir.ts";

if (S3Engine.isInstalled) {
  const engine = await S3Engine.start();
  Deno.test.afterAll(() => engine[Symbol.asyncDispose]());

  for (const database of [SQLITE_RECORDS, postgresRecords()]) {
    if (!database.isInstalled) continue;
    blobStoreSuite(`S3BlobStore with ${database.name}`, async () => {
      await using parts = new AsyncDisposableStack();
      const { path } = parts.use(await TempDir.make());
      const { records, mayWrite } = parts.use(await (await database.room(path)).open());
      const objects = records.objectTable;
      const blobs = parts.use(
        await S3BlobStore.open(path, { ...engine.content(), objects, mayWrite }),
      );
      const owned = parts.move();
      return { records, blobs, [Symbol.asyncDispose]: () => owned.disposeAsync() };
    });
  }

  Deno.test("C 23 a start reads no table of contents if the database knows where they are", async () => {
    await using room = await TempDir.make();
    await using opened = await (await SQLITE_RECORDS.room(room.path)).open();
    const content = engine.content();
    const objects = opened.records.objectTable;
    await using _first = await S3BlobStore.open(room.path, { ...content, objects });
    objects.hasFiles = () => Promise.reject(new Error("All contents were read"));
    await assert.rejects(S3BlobStore.open(room.path, { ...content, objects }));
    await using _later = await S3BlobStore.open(room.path, { ...content, objects, isKnown: true });
  });
}
