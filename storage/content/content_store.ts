import type { BlobStore } from "../../core/blob_store.ts";
import type { ParkedContent } from "../../core/lfs_objects.ts";
import type { Room } from "../disk/room.ts";
import type { PartStore } from "../../core/uploads.ts";
import type { Quarantine } from "../../core/upkeep/ports.ts";

/** A file with the bytes of content. Dispose of it after reading. */
export type ContentFile = { readonly path: string } & AsyncDisposable;

/** Gives content to readers of files. */
export interface ContentFiles {
  /** A file that holds the content. If the content is missing, so is the file. */
  fileOf(hash: string): Promise<ContentFile>;
}

/** A store of content with all that a server uses of it. */
export interface ContentStore extends BlobStore, ContentFiles, AsyncDisposable {
  readonly quarantine: Quarantine;
  /** The room on the disk that has the content, if one has. */
  readonly room?: Room;
  /** What unfinished uploads have received, and what waits for a commit. */
  readonly parts: PartStore & ParkedContent;
  /** Ends the work that no request waits for, while the records are still open. */
  stop(): Promise<void>;
  /** Fails if no content can be stored now. */
  probe(): Promise<void>;
}
