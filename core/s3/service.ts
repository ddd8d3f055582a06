import type { Tree } from "../tree/changes.ts";
import type { UploadService } from "../tree/resumable_upload.ts";
import type { FindAccessKey } from "./access_keys.ts";
import type { S3Store } from "./store.ts";

/** What the S3 door works with (C 30). */
export interface S3Service {
  readonly tree: Tree;
  readonly store: S3Store;
  /** Keeps the parts of uploads. */
  readonly uploads: UploadService;
  readonly findAccessKey: FindAccessKey;
}
