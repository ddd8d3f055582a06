/** What the operations of the hub work with, and on (C 20). */

import type { Caller } from "../caller.ts";
import type { Chunk } from "../content.ts";
import type { LfsObjectStore, LfsPointer, ParkedContent } from "../lfs_objects.ts";
import type { ChangeSet } from "../tree/change_set.ts";
import type { UploadLocks } from "../tree/upload_locks.ts";
import type { Hub } from "./repository.ts";

/** What writing to the hub works with. */
export interface HubService extends Hub {
  readonly objects: LfsObjectStore;
  readonly parked: ParkedContent;
  /** The ids of files that have no row yet. */
  readonly locks: UploadLocks;
  /** Content that no commit takes expires this long after it was received, in milliseconds. */
  readonly expiryMs: number;
}

/** Content to keep until a commit takes it. `parkObject(hub, request): Promise<void>` */
export interface ParkRequest extends LfsPointer {
  /** Acts in the tree that the content is for. */
  readonly caller: Caller;
  /** The memory of its chunks is given away. */
  readonly content: AsyncIterable<Chunk>;
}

/** A change of one path. Paths are relative to the repository, as the client has sent them. */
export type Operation =
  | {
    readonly kind: "file";
    readonly path: string;
    /** Read before the next operation is requested. The memory of its chunks is given away. */
    readonly content: AsyncIterable<Chunk> | Chunk;
  }
  /** Content that waits, or that a file of the tree has. */
  | {
    readonly kind: "lfsFile";
    readonly path: string;
    readonly sha256: string;
    /** In bytes. Clients that copy a file do not state it. */
    readonly size: number | undefined;
  }
  | { readonly kind: "deletedFile"; readonly path: string }
  | { readonly kind: "deletedFolder"; readonly path: string }
  /** The source is a file of the repository before the commit. */
  | { readonly kind: "copyFile"; readonly from: string; readonly path: string };

/** What a commit changes. */
export interface CommitTarget {
  /** Acts in the tree of the repository. */
  readonly caller: Caller;
  /** The directory of the repository in the tree, such as `models/ns/name`. */
  readonly directory: string;
  /** The commit id that the repository must have. @default any */
  readonly parentCommit?: string | undefined;
  /** Why it is done. @default nothing is said */
  readonly message?: string | undefined;
  /** Aborts when the client has gone: a commit that has not begun then is not carried out. */
  readonly signal?: AbortSignal;
}

/** A commit to carry out. `commitFiles(hub, request): Promise<CommittedFiles>` */
export interface CommitRequest extends CommitTarget {
  readonly operations: AsyncIterable<Operation>;
}

/** What a commit did. */
export interface CommittedFiles {
  /** The commit id of the repository with the changes. */
  readonly commitOid: string;
  /** Deleted, added and updated records. The caller releases them. */
  readonly changes: ChangeSet;
}
