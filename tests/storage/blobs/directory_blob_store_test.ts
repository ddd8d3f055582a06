import { DirectoryBlobStore } from "../../../storage/blobs/directory_blob_store.ts";
import { blobStoreSuite } from "../../conformance/blob_store_suite.ts";
import { TempDir } from "../../support/temp_dir.ts";

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
