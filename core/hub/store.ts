/** What the hub needs from storage: pages of the files of repositories (C 20). */

import type { Verdict } from "../../schemas/verdict_names.ts";
import type { PastPoint } from "../history_changes.ts";
import type { Chunk } from "../content.ts";

/** The directory of a repository, and whose it is. */
export interface RepositoryDirectory {
  readonly userId: number;
  /** Such as `models/ns/name`. */
  readonly directory: string;
}

/** When a repository is read. */
export interface AtPoint {
  /** @default now */
  readonly past?: PastPoint | undefined;
}

/** What a page has of each record. */
export type PageForm =
  /** The lines that a commit id is made of: `<sha256>  <path>\n`, files only. */
  | { readonly kind: "digests" }
  /** Files and folders as lists of a tree have them. With a commit id, with the last commit as well. */
  | ({ readonly kind: "tree"; readonly commitId?: string | undefined } & JudgedForm)
  /** Files as the information on a repository has them; with sizes and digests, if `blobs`. */
  | (
    & { readonly kind: "siblings"; readonly blobs: boolean; readonly security: boolean }
    & JudgedForm
  );

interface JudgedForm {
  /** The verdict to show for files without one. */
  readonly unscannedAs: Verdict;
}

/** Which records of a repository a page has. */
export interface PageRequest extends RepositoryDirectory, AtPoint {
  readonly form: PageForm;
  /** The directory whose records are listed, by its path in the tree. */
  readonly below: string;
  /** Whether to list what is in the directories below it. */
  readonly recursive: boolean;
  /** The path in the tree after which the page begins; "" at the start. */
  readonly after: string;
  readonly limit: number;
}

/** Named records of a repository. */
export interface PathsRequest extends RepositoryDirectory, AtPoint {
  readonly form: PageForm;
  /** Paths in the tree. */
  readonly paths: readonly string[];
}

/** A file that was not found to be safe, as the clients show it. */
export interface FileIssue {
  /** Relative to the repository. */
  readonly path: string;
  readonly level: string;
}

/** Part of the records of a repository, in the order of the bytes of their paths. */
export interface RepositoryPage {
  /** The text of the form in UTF-8; of JSON items, a comma before each. */
  readonly text: Chunk;
  readonly count: number;
  /** The path of the last record in the tree, if there are more. */
  readonly next: string | undefined;
  /** When one of them was last changed, in milliseconds since the Unix epoch; 0 without any. */
  readonly modifiedAt: number;
  /** The first file whose SHA-256 is not known, relative to the repository. */
  readonly withoutSha256: string | undefined;
  /** Files with other verdicts than safe ones, if the form asks for them. */
  readonly issues: readonly FileIssue[];
  /** How many files wait for a scan, if the form asks for it. */
  readonly unscanned: number;
}

/** A list of the repositories of a user. */
export interface RepositoryQuery {
  readonly userId: number;
  /** The directory of their kind, such as `models`. */
  readonly root: string;
  /** Only those of a namespace. */
  readonly namespace?: string | undefined;
  /** Only those after this one, `namespace/name`. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A repository of a list. */
export interface ListedRepository {
  /** `namespace/name`. */
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The state of a repository. */
export interface Revision {
  /** 40 hexadecimal digits that follow from the paths and the SHA-256 of the files (C 20). */
  readonly commitId: string;
  /** When a record in it was last changed, in milliseconds since the Unix epoch; 0 without any. */
  readonly modifiedAt: number;
}

/** How much a repository has changed. */
export interface RepositoryVersion {
  /** Another one after the database has gone back to a former state: its changes count on from there. */
  readonly epoch: string;
  readonly changes: number;
  /** Its revision at this version. @default not kept: it has to be computed */
  readonly revision?: Revision;
}

/** Reads repositories. Each page is from one snapshot, and two pages may be from different ones. */
export interface HubStore {
  page(request: PageRequest): Promise<RepositoryPage>;
  /** The records at the paths that have one, in the order of their paths. */
  at(request: PathsRequest): Promise<RepositoryPage>;
  /**
   * The ids of the blobs in Git of contents, by their hashes. Those that are not in the database have none.
   * Ask for files of Git, not of Git LFS: all of the contents are read.
   */
  blobIds(hashes: readonly string[]): Promise<Map<string, string>>;
  /** Directories in the order of namespaces and names, whatever they are named. */
  repositories(query: RepositoryQuery): Promise<ListedRepository[]>;
  /**
   * The version of a repository, which each change in it by another server raises, and none elsewhere.
   * Resolves when this server has announced all of its own changes that a read before may have seen.
   */
  versionOf(repository: RepositoryDirectory): Promise<RepositoryVersion>;
  /** Keeps the revision of a repository for all servers and later starts, as long as it has this version. */
  keepRevision(
    repository: RepositoryDirectory,
    version: RepositoryVersion,
    revision: Revision,
  ): Promise<void>;
}
