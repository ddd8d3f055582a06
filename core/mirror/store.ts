/** What is known of the repositories of another hub (C 28). Times are milliseconds since the Unix epoch. */

/** The kinds of repositories, named as the directories that have them. */
export type MirroredKind = "models" | "datasets";

/** A repository of the other hub. */
export interface MirroredName {
  readonly kind: MirroredKind;
  /** `namespace/name`. */
  readonly id: string;
}

/** What the other hub says of a revision. */
export interface AboutRevision {
  readonly createdAt: number;
  /** When the revision was made, or 0 if the other hub does not say so. */
  readonly modifiedAt: number;
  /** Such as `license:mit` and `safetensors`. */
  readonly tags: readonly string[];
  readonly pipelineTag?: string | undefined;
  readonly libraryName?: string | undefined;
  /** The name that the repository has, if it was asked for by another one. */
  readonly realId?: string | undefined;
}

/** A revision of a repository, which never changes. */
export interface MirrorRevision extends MirroredName {
  /** The number of the revision here. */
  readonly revision: number;
  /** As the other hub names it. */
  readonly commitId: string;
  readonly about: AboutRevision;
  readonly files: number;
  /** Of all files. */
  readonly bytes: number;
  readonly askedFirstAt: number;
  /** The user who asked first. */
  readonly askedFirstBy: number;
  /** Undefined if its files may be given up. */
  readonly pinnedAt: number | undefined;
  /** Whether it has code that loaders may run. Undefined as long as nobody has looked. */
  readonly hasCode: boolean | undefined;
}

/** A revision, and how much of it the tree has. */
export interface ShelvedRevision extends MirrorRevision {
  readonly fetchedFiles: number;
  readonly fetchedBytes: number;
}

/** A revision to store. */
export type NewRevision = Omit<
  MirrorRevision,
  "revision" | "files" | "bytes" | "pinnedAt" | "hasCode"
>;

/** A file or folder of a revision as the other hub lists it. */
export interface ListedEntry {
  /** Relative to the repository. */
  readonly path: string;
  readonly isDir: boolean;
  readonly size: number;
  /** The id of its blob in Git: of a file that Git LFS keeps, that of its pointer. */
  readonly blobId: string;
  /** Of a file that Git LFS keeps, in lower-case hex. */
  readonly sha256: string | undefined;
}

/** A file or folder of a revision. */
export interface MirrorEntry extends ListedEntry {
  /** When it was let through for the first time. Undefined if it never was. */
  readonly admittedAt: number | undefined;
  /** When the tree got the file. Undefined if it does not have it. */
  readonly fetchedAt: number | undefined;
  /** Since when readers may have bytes of it that were never verified. */
  readonly passedOnAt: number | undefined;
}

/** A file that the tree has. */
export interface FetchedFile extends MirroredName {
  readonly revision: number;
  readonly commitId: string;
  readonly path: string;
}

/** What a branch or tag named when the other hub was last asked. */
export interface KnownName {
  readonly commitId: string;
  readonly checkedAt: number;
}

/** A part of the entries of a revision. */
export interface EntryPage {
  readonly revision: number;
  /** The folder whose entries are listed; "" is the repository. */
  readonly below: string;
  /** Whether to list what is in the folders below it. */
  readonly recursive: boolean;
  /** The path after which the page begins; "" at the start. */
  readonly after: string;
  readonly limit: number;
}

/** Content to find in a repository. */
export interface ContentsRequest {
  /** The revision that is looked at first. Undefined without one. */
  readonly first: number | undefined;
  readonly sha256s: readonly string[];
}

/** Keeps what is known of mirrored repositories. Files themselves are in the tree of the mirror. */
export interface MirrorStore {
  /** What a branch or tag named when the other hub was last asked. */
  findName(repository: MirroredName, name: string): Promise<KnownName | undefined>;
  keepName(repository: MirroredName, name: string, known: KnownName): Promise<void>;
  /** All branches and tags of a repository that were asked for, by name. */
  listNames(repository: MirroredName): Promise<(KnownName & { readonly name: string })[]>;
  /** A revision whose entries are all stored. */
  findRevision(repository: MirroredName, commitId: string): Promise<MirrorRevision | undefined>;
  /**
   * Stores a revision with its entries, in steps: it is found when all are stored. Several servers may store the
   * same one at once.
   */
  addRevision(
    revision: NewRevision,
    entries: AsyncIterable<readonly ListedEntry[]>,
  ): Promise<void>;
  /** The entries at some paths of a revision, in the order of the bytes of their paths. */
  findEntries(revision: number, paths: readonly string[]): Promise<MirrorEntry[]>;
  /**
   * A file for each content that a stored revision of a repository has: of the first revision or else the newest one,
   * the first of its paths.
   */
  findContents(
    repository: MirroredName,
    request: ContentsRequest,
  ): Promise<{ readonly revision: MirrorRevision; readonly file: MirrorEntry }[]>;
  /** A part of the entries, in the order of the bytes of their paths. */
  listEntries(page: EntryPage): Promise<MirrorEntry[]>;
  /** Notes that a file was asked for. */
  noteAsked(revision: number, path: string, now: number): Promise<void>;
  /** Whether the tree has a file with this SHA-256, probably. */
  hasContent(sha256: string): Promise<boolean>;
  /** Has this server fetch a file. Returns whether no other one does. */
  takeFetch(revision: number, path: string): Promise<boolean>;
  /** Ends what {@link takeFetch} began. */
  endFetch(revision: number, path: string): Promise<void>;
  /** Notes that a file is let through. Returns whether it is for the first time. */
  noteAdmitted(revision: number, path: string, now: number): Promise<boolean>;
  /** Notes that the tree has a file, or with undefined that it does not have it any more. */
  noteFetched(revision: number, path: string, fetchedAt: number | undefined): Promise<void>;
  /** Notes that readers get bytes of a file that are not verified. Returns false if that was noted before. */
  notePassedOn(revision: number, path: string, now: number): Promise<boolean>;
  /** Notes that all bytes that readers have of a file are verified. */
  forgetPassedOn(revision: number, path: string): Promise<void>;
  /** The revisions that are pinned, or of which the tree has files, newest first. */
  listShelved(page: { readonly limit: number; readonly before?: number }): Promise<
    ShelvedRevision[]
  >;
  /** The revision with a number, with how much of it the tree has. */
  findShelved(revision: number): Promise<ShelvedRevision | undefined>;
  /** What files of pinned revisions take. */
  pinnedBytes(): Promise<number>;
  /** Notes since when a revision is pinned, or with undefined that it is not. */
  notePinned(revision: number, pinnedAt: number | undefined): Promise<void>;
  /** Notes whether a revision has code that loaders may run. */
  noteCode(revision: number, hasCode: boolean): Promise<void>;
  /** Notes that the tree has no file of a revision any more. */
  forgetFetched(revision: number): Promise<void>;
  /**
   * The fetched files of revisions that are not pinned, those first that were asked for longest ago. Not those that
   * another server still fetches.
   */
  leastAsked(limit: number): Promise<FetchedFile[]>;
}
