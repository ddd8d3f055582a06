import { S3BlobStore } from "../../../storage/s3/s3_blob_store.ts";
import { blobStoreSuite } from "../../conformance/blob_store_suite.ts";
import { postgresRecords, SQLITE_RECORDS } from "../../support/object_stores.ts";
import { S3Engine } from "../../support/s3.ts";
import { TempDir } from "../../support/temp_dir.ts";

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
}
