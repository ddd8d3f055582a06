import { S3BlobStore } from "../../../storage/s3/s3_blob_store.ts";
import { SqliteResourceStore } from "../../../storage/database/sqlite_resource_store.ts";
import { blobStoreSuite } from "../../conformance/blob_store_suite.ts";
import { S3Engine } from "../../support/s3.ts";
import { TempDir } from "../../support/temp_dir.ts";

if (S3Engine.isInstalled) {
  const engine = await S3Engine.start();
  Deno.test.afterAll(() => engine[Symbol.asyncDispose]());

  blobStoreSuite("S3BlobStore", async () => {
    await using parts = new AsyncDisposableStack();
    const { path } = parts.use(await TempDir.make());
    const records = parts.use(await SqliteResourceStore.open(`${path}/strongroom.db`));
    const blobs = parts.use(
      await S3BlobStore.open(path, { ...engine.content(), objects: records.objectTable }),
    );
    const owned = parts.move();
    return { records, blobs, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  });
}
