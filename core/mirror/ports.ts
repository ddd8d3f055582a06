/** What the mirror needs from others: the other hub, room for files that come in, their scans, and a policy (C 28). */

import type { StagedBlob } from "../blob_store.ts";
import type { Chunk } from "../content.ts";
import type { ContentVerdict } from "../verdicts.ts";
import type {
  AboutRevision,
  ListedEntry,
  MirroredName,
  MirrorEntry,
  MirrorRevision,
} from "./store.ts";

/** A revision as the other hub describes it. */
export interface UpstreamRevision {
  readonly commitId: string;
  readonly about: AboutRevision;
}

/** A branch or tag of a repository of the other hub. */
export interface UpstreamReference {
  readonly name: string;
  readonly commitId: string;
}

/** What the revisions of a repository of the other hub are called. */
export interface UpstreamReferences {
  readonly branches: readonly UpstreamReference[];
  readonly tags: readonly UpstreamReference[];
}

/** A commit of the other hub. */
export interface UpstreamCommit {
  readonly id: string;
  readonly title: string;
  readonly message: string;
  /** In milliseconds since the Unix epoch. */
  readonly time: number;
  readonly authors: readonly string[];
}

/** A part of the commits of a repository of the other hub. */
export interface UpstreamCommits {
  readonly items: readonly UpstreamCommit[];
  /** The cursor of the next part, if there is one. */
  readonly next: string | undefined;
}

/** A file of the other hub. */
export interface UpstreamFile extends MirroredName {
  readonly commitId: string;
  /** Relative to the repository. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/** The other hub, or what is in its place. */
export interface Upstream {
  /** Until when it is not asked, after failures, in milliseconds since the Unix epoch. Undefined if it may be. */
  readonly restsUntil: number | undefined;
  /**
   * The revision that a branch, a tag or a commit id names now.
   *
   * @throws {AppError} `ErrHubRepositoryNotFound`, `ErrHubRevisionNotFound`, `ErrNotPermitted` when the other hub
   *   gives the repository to others only.
   * @throws {UpstreamAway}
   */
  revision(repository: MirroredName, name: string): Promise<UpstreamRevision>;
  /**
   * All files and folders of a revision, in pages. Throws as {@link revision} does.
   */
  entries(repository: MirroredName, commitId: string): AsyncIterable<readonly ListedEntry[]>;
  /** Branches and tags. Throws as {@link revision} does. */
  references(repository: MirroredName): Promise<UpstreamReferences>;
  /**
   * A part of the commits that led to one, that one first. Throws as {@link revision} does.
   *
   * @param cursor Where the part begins. @default at the start
   */
  commits(
    repository: MirroredName,
    commitId: string,
    cursor: string | undefined,
  ): Promise<UpstreamCommits>;
  /**
   * Begins to read a file at a byte. The bytes may end early, or be others than those of the file.
   *
   * @throws {AppError} as {@link revision} does, and `ErrHubEntryNotFound`.
   * @throws {UpstreamAway} while it is read, too.
   */
  open(file: UpstreamFile, start: number, signal: AbortSignal): Promise<AsyncIterable<Chunk>>;
}

/** The other hub cannot be reached, does not answer as a hub does, or has no time. Another attempt may help. */
export class UpstreamAway extends Error {
  override readonly name = "UpstreamAway";

  /** @param retryAfterS When it asks to be asked again, in seconds. @default unknown */
  constructor(message: string, readonly retryAfterS?: number, options?: ErrorOptions) {
    super(message, options);
  }
}

/** A file that comes in, and is read meanwhile. Disposing removes it; those who read it go on. */
export interface Spool extends AsyncDisposable {
  /** Where it is on the disk. */
  readonly path: string;
  /** Appends a chunk. It can be read when this resolves. */
  append(chunk: Uint8Array): Promise<void>;
  /** Opens what has come in, and what is yet to come. */
  read(): Promise<SpoolReader>;
}

/** Reads a file that comes in. */
export interface SpoolReader extends Disposable {
  /** Bytes from `start` to `end`, or fewer, which have been appended. */
  bytes(start: number, end: number): Promise<Chunk>;
}

/** Where files come in. */
export interface Spools {
  /** @throws {AppError} `ErrInternal` when the storage has no room for so many bytes. */
  open(bytes: number): Promise<Spool>;
}

/** A scan of a file that begins while it comes in. Disposing ends it. */
export interface EarlyScan extends AsyncDisposable {
  /** Says how much of the file has come in. */
  arrived(bytes: number): void;
  /** Says which content all of it is, before a record has it. */
  isWhole(content: Pick<StagedBlob, "hash">): void;
  /**
   * Says that a record has the content. Resolves when its verdict is kept, or nothing comes of this scan.
   *
   * @throws the reason of the signal when it aborts first.
   */
  stored(signal: AbortSignal): Promise<void>;
}

/** Has a file that comes in, at a path of the disk, scanned for a user under the name that it is to have. */
export type ScanEarly = (
  file: {
    readonly path: string;
    readonly name: string;
    readonly size: number;
    readonly userId: number;
  },
) => EarlyScan;

/** A file that somebody asks for, for a policy to judge. */
export interface MirrorSubject {
  readonly revision: MirrorRevision;
  readonly file: MirrorEntry;
  /** What the scan of its content has found. Undefined before it has been fetched, and with the gate off. */
  readonly verdict: ContentVerdict | undefined;
}

/**
 * Judges whether a file may be had (C 28): before it is fetched, by what is known of it, and once more by its verdict.
 *
 * @throws {AppError} `ErrResourcesQuarantined` with the rule that refuses it.
 */
export type Judge = (subject: MirrorSubject) => Promise<void>;
