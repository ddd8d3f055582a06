import { hash } from "node:crypto";
import type { Verdict } from "../../schemas/verdict_names.ts";
import { isoTime } from "../entries.ts";
import { pointerTo } from "./lfs_pointer.ts";
import { isWaiting, type Security, securityOf } from "./security.ts";
import type { FileIssue, PageForm, RepositoryPage } from "./store.ts";

/** A record of a repository as a page has it. */
export interface PageRecord {
  /** Relative to the repository. */
  readonly path: string;
  readonly isDir: boolean;
  readonly size: number;
  readonly updatedAt: number;
  /** In hexadecimal; undefined for a directory, and for content that was not read yet. */
  readonly sha256: string | undefined;
  /** The id of the blob in Git of a file that is none of Git LFS, if it is known. */
  readonly blobId: string | undefined;
  readonly verdict: Verdict;
  readonly isWaived: boolean;
}

const encoder = new TextEncoder();

/** A page of the records in a form. */
export function pageOf(
  records: readonly PageRecord[],
  form: PageForm,
  next: string | undefined,
): RepositoryPage {
  const files = records.filter(({ isDir }) => !isDir);
  const shown = form.kind === "tree" ? records : files;
  const isJudged = form.kind === "siblings" && form.security;
  const securities = isJudged
    ? files.map((file) => ({ path: file.path, ...securityIn(file, form) }))
    : [];
  return {
    text: encoder.encode(shown.map((record) => textOf(record, form)).join("")),
    count: shown.length,
    next,
    modifiedAt: records.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt), 0),
    withoutSha256: files.find(({ sha256 }) => sha256 === undefined)?.path,
    issues: securities.filter((it) => !it.safe && !isWaiting(it))
      .map(({ path, status }): FileIssue => ({ path, level: status })),
    unscanned: securities.filter(isWaiting).length,
  };
}

function textOf(record: PageRecord, form: PageForm): string {
  const { path, sha256, size } = record;
  switch (form.kind) {
    case "digests":
      return `${sha256}  ${path}\n`;
    case "siblings": {
      if (!form.blobs || sha256 === undefined) return `,{"rfilename":${JSON.stringify(path)}}`;
      if (record.blobId !== undefined) {
        return `,${JSON.stringify({ rfilename: path, size, blobId: record.blobId })}`;
      }
      const { size: pointerSize, blobId } = pointerTo(sha256, size);
      const lfs = { sha256, size, pointerSize };
      return `,${JSON.stringify({ rfilename: path, size, blobId, lfs })}`;
    }
    case "tree":
      return `,${JSON.stringify(record.isDir ? folderOf(record, form) : fileOf(record, form))}`;
  }
}

type TreeForm = Extract<PageForm, { kind: "tree" }>;

function fileOf(record: PageRecord, form: TreeForm) {
  const { path, size, blobId } = record;
  // Clients before 0.26 fail without what they expect of other scanners.
  const security = { ...securityIn(record, form), avScan: null, pickleImportScan: null };
  return {
    type: "file",
    ...(blobId === undefined ? lfsOf(record) : { oid: blobId, size }),
    path,
    security,
    securityFileStatus: security,
    ...lastCommit(record, form),
  };
}

/** A file that Git LFS keeps, so that Git has a pointer to it. */
function lfsOf({ size, sha256 = "" }: PageRecord) {
  const { size: pointerSize, blobId } = pointerTo(sha256, size);
  return { oid: blobId, size, lfs: { oid: sha256, size, pointerSize } };
}

function securityIn(
  { verdict, isWaived }: PageRecord,
  { unscannedAs }: Exclude<PageForm, { kind: "digests" }>,
): Security {
  return securityOf(verdict === "unscanned" ? unscannedAs : verdict, isWaived);
}

/** The clients need some id of a folder. */
function folderOf(record: PageRecord, form: TreeForm) {
  const { path } = record;
  return {
    type: "directory",
    oid: hash("sha1", `tree ${path}`),
    size: 0,
    path,
    ...lastCommit(record, form),
  };
}

/** Former commits are not kept, so the present one stands for the last change of each file. */
function lastCommit({ updatedAt }: PageRecord, { commitId }: TreeForm) {
  if (commitId === undefined) return {};
  return { lastCommit: { id: commitId, title: "", date: isoTime(updatedAt) } };
}
