import { dirname } from "node:path/posix";
import { ContentCopier, type CopyPaths, NOTHING } from "../../content/directory/content_copier.ts";
import { isDigest, PREFIXES } from "../../content/paths.ts";
import { nameOf } from "../check/check_contents.ts";
import { differenceOf, digestOf } from "../check/stored_contents.ts";
import type { Findings } from "../check/findings.ts";
import type { SqliteRecordAudit } from "../../sqlite/record_audit.ts";
import type { ContentUse } from "../../tables/record_audit.ts";
import type { ContentTotals } from "../../sqlite/snapshot.ts";
import { makeDirectorySync, syncDirectory } from "../../disk/files.ts";
import { forEach } from "../../threads/for_each.ts";

/** Each waits for the disk, most of the time. */
const MAX_COPIES = 16;

/** Called while contents are copied, with what is done of the total. */
export type OnProgress = (done: ContentTotals, total: ContentTotals) => void;

export interface CopyOptions {
  /** A directory on the file system of the targets, for what is not whole yet. */
  readonly temporary: string;
  /** The directory above all targets. It must exist. */
  readonly root: string;
  readonly pathsOf: (content: ContentUse) => CopyPaths;
  /** Receives what is missing or damaged, and thus not copied. */
  readonly findings: Findings;
  readonly onProgress: OnProgress;
}

/**
 * Copies contents and verifies them, several at once. The copies are durable once their directories
 * are ({@link syncTree}). Returns the totals of what was copied.
 *
 * @param contents Read twice: first for the total.
 * @throws when a copy cannot be written. Other copies stay.
 */
export async function copyContents(
  contents: () => Iterable<ContentUse>,
  { temporary, root, pathsOf, findings, onProgress }: CopyOptions,
): Promise<ContentTotals> {
  using copier = new ContentCopier(temporary);
  const directories = new Set([root]);
  const total = totalsOf(contents());
  const done = { files: 0, bytes: 0 };
  const copied = { files: 0, bytes: 0 };
  const onBytes = (bytes: number) => {
    done.bytes += bytes;
    onProgress(done, total);
  };
  await forEach(contents(), MAX_COPIES, async (content) => {
    const paths = pathsOf(content);
    makeDirectories(dirname(paths.target), directories);
    const found = await copier.copy(content, paths, onBytes);
    done.files++;
    if (found !== undefined) return addFinding(findings, content, found);
    copied.files++;
    copied.bytes += content.size;
  });
  return copied;
}

/** All contents in files that records have, in the order of their hashes. */
export function* contentsOf(audit: SqliteRecordAudit): Generator<ContentUse, void> {
  for (const prefix of PREFIXES) yield* contentsBelow(audit, prefix);
}

/**
 * The contents in files that records have and whose hash begins with a prefix of two digits. Leaves out
 * what is not a hash: the check of the records has reported it.
 */
export function contentsBelow(audit: SqliteRecordAudit, prefix: string): ContentUse[] {
  const small = new Set(audit.small.hashesBelow(prefix));
  return audit.contentsBelow(prefix).filter(({ hash }) => isDigest(hash) && !small.has(hash));
}

/** Reads all content that is in the database itself, reports what is damaged, and returns how much it is. */
export function checkSmallContents(audit: SqliteRecordAudit, findings: Findings): ContentTotals {
  const total = { files: 0, bytes: 0 };
  for (const prefix of PREFIXES) {
    for (const content of audit.contentsBelow(prefix)) {
      const bytes = audit.small.bytesOf(content.hash);
      if (bytes === undefined) continue;
      total.files++;
      total.bytes += bytes.length;
      const isWhole = bytes.length === content.size;
      const found = differenceOf(digestOf(bytes, () => {}), content) ??
        (isWhole ? undefined : `${bytes.length} bytes`);
      if (found !== undefined) addFinding(findings, content, found);
    }
  }
  return total;
}

/** Syncs a directory and all those below it. */
export async function syncTree(path: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    if (isDirectory) await syncTree(`${path}/${name}`);
  }
  await syncDirectory(path);
}

function totalsOf(contents: Iterable<ContentUse>): ContentTotals {
  let [files, bytes] = [0, 0];
  for (const { size } of contents) {
    files++;
    bytes += size;
  }
  return { files, bytes };
}

function addFinding(findings: Findings, content: ContentUse, found: string): void {
  const { hash, record: { userId: user_id, path } } = content;
  const [kind, what] = found === NOTHING
    ? ["missing", "is missing"] as const
    : ["damaged", `is damaged: found ${found}`] as const;
  const message = `Content ${hash} ${what}; it is that of ${nameOf(content)}`;
  findings.add({ kind, message, hash, user_id, path });
}

/** Creates a directory and those above it, down from one that is known to exist. */
function makeDirectories(path: string, known: Set<string>): void {
  if (known.has(path)) return;
  makeDirectories(dirname(path), known);
  makeDirectorySync(path);
  known.add(path);
}
