import { DirectoryBlobStore } from "../../storage/blobs/directory_blob_store.ts";
import { SqliteResourceStore } from "../../storage/database/sqlite_resource_store.ts";
import { blobStoreSuite } from "../conformance/blob_store.ts";
import { resourceStoreSuite } from "../conformance/resource_store.ts";
import { TempDir } from "../support/temp_dir.ts";

resourceStoreSuite("SqliteResourceStore", async () => {
  const directory = await TempDir.make();
  const store = await SqliteResourceStore.open(`${directory.path}/strongroom.db`);
  const close = store[Symbol.asyncDispose].bind(store);
  store[Symbol.asyncDispose] = async () => {
    await close();
    await directory[Symbol.asyncDispose]();
  };
  return store;
});

blobStoreSuite("DirectoryBlobStore", async () => {
  const directory = await TempDir.make();
  const store = await DirectoryBlobStore.open(directory.path);
  return Object.assign(store, {
    async [Symbol.asyncDispose]() {
      store[Symbol.dispose]();
      await directory[Symbol.asyncDispose]();
    },
  });
});
