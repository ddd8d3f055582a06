import { DirectoryBlobStore } from "../../../../storage/content/directory/directory_blob_store.ts";
import { SqliteResourceStore } from "../../../../storage/sqlite/sqlite_resource_store.ts";
import { blobStoreSuite } from "../../../conformance/blob_store_suite.ts";
import { TempDir } from "../../../support/temp_dir.ts";

blobStoreSuite("DirectoryBlobStore", async () => {
  await using parts = new AsyncDisposableStack();
  const { path } = parts.use(await TempDir.make());
  const records = parts.use(await SqliteResourceStore.open(`${path}/strongroom.db`));
  const blobs = parts.use(await DirectoryBlobStore.open(path, { contents: records.contents }));
  const owned = parts.move();
  return { records, blobs, [Symbol.asyncDispose]: () => owned.disposeAsync() };
});
