import { dirname } from "node:path/posix";
import { DamagedContent } from "../../core/errors.ts";
import type { ContentFacts } from "../../core/ports.ts";
import { ContentCopier } from "../blobs/content_copier.ts";
import type { ContentTotals } from "../database/snapshot.ts";
import { makeDirectorySync, syncDirectory } from "../disk/files.ts";
import { forEach } from "../threads/for_each.ts";

/** Waiting for the disk, most of the time. */
const MAX_COPIES = 16;

export interface CopyOptions {
  /** A directory on the file system of the targets, for files that are not whole yet. */
  readonly temporary: string;
  /** The directory above all targets. It must exist. */
  readonly root: string;
  /** The paths where a content may be. */
  sourcesOf(content: ContentFacts): Iterable<string>;
  /** The path of the copy. */
  targetOf(content: ContentFacts): string;
  /** Called while contents are copied, with the totals since the start. */
  onProgress(done: ContentTotals): void;
  /** Called for each content that is missing or damaged. */
  onDamage(damage: DamagedContent): void;
}

/**
 * Copies contents and verifies them, several at once. The copies are durable once their directories
 * are ({@link syncTree}). Returns the totals of what was copied.
 *
 * @throws when a copy cannot be written. Those of other contents stay.
 */
export async function copyContents(
  pages: Iterable<readonly ContentFacts[]>,
  options: CopyOptions,
): Promise<ContentTotals> {
  using copier = new ContentCopier(options.temporary);
  const directories = new Set([options.root]);
  const done = { files: 0, bytes: 0 };
  let [files, bytes] = [0, 0];
  await forEach(contentsIn(pages), MAX_COPIES, async (content) => {
    const target = options.targetOf(content);
    makeDirectories(dirname(target), directories);
    const copying = copier.copy(content, {
      sources: options.sourcesOf(content),
      target,
      onBytes(count) {
        done.bytes += count;
        options.onProgress(done);
      },
    });
    try {
      await copying;
      files++;
      bytes += content.size;
    } catch (error) {
      if (!(error instanceof DamagedContent)) throw error;
      options.onDamage(error);
    }
    done.files++;
    options.onProgress(done);
  });
  return { files, bytes };
}

/** Syncs a directory and all those below it. */
export async function syncTree(path: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    if (isDirectory) await syncTree(`${path}/${name}`);
  }
  await syncDirectory(path);
}

/** Creates a directory and those above it, down from one that is known to exist. */
function makeDirectories(path: string, known: Set<string>): void {
  if (known.has(path)) return;
  makeDirectories(dirname(path), known);
  makeDirectorySync(path);
  known.add(path);
}

function* contentsIn(pages: Iterable<readonly ContentFacts[]>): Generator<ContentFacts, void> {
  for (const page of pages) yield* page;
}
