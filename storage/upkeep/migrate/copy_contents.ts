import type { StagedBlob } from "../../../core/blob_store.ts";
import type { ContentReader } from "../../../core/content.ts";
import type { ContentStore } from "../../content/content_store.ts";
import type { Storage } from "../../stores/storage.ts";
import { forEach } from "../../threads/for_each.ts";
import type { DatabaseRows, LargeContent } from "./database_rows.ts";

/** Each waits for its stores, most of the time. */
const MAX_COPIES = 8;
const BATCH_CONTENTS = 500;

/** A strongroom that is read, or written to. */
export interface Side {
  readonly storage: Storage;
  readonly rows: DatabaseRows;
}

/** Numbers of contents and of their bytes. */
export interface ContentCounts {
  files: number;
  bytes: number;
}

export interface CopyHooks {
  /** Called with how much more was copied. */
  readonly onCopied: (counts: Readonly<ContentCounts>) => void;
  /** Called with the hash of content that is missing or not what it should be. It is not copied. */
  readonly onDamage: (hash: string, problem: string) => Promise<void>;
}

/**
 * Copies the contents outside of the database that files have, several at once, and verifies each on its way.
 * Those that an earlier run has copied are not read again.
 */
export async function copyContents(from: Side, to: Side, hooks: CopyHooks): Promise<void> {
  let after = "";
  for (;;) {
    const batch = await from.rows.largeContents(after, BATCH_CONTENTS);
    const last = batch.at(-1);
    if (last === undefined) return;
    after = last.hash;
    const stored = await to.rows.stored(batch.map(({ hash }) => hash));
    await forEach(batch, MAX_COPIES, async (content) => {
      const { hash, size } = content;
      const isThere = stored.has(hash) && await to.storage.blobs.sizeOf(hash) === size;
      const problem = isThere ? undefined : await copyContent(content, from.storage.blobs, to);
      if (problem !== undefined) return await hooks.onDamage(hash, problem);
      hooks.onCopied({ files: 1, bytes: isThere ? size : 0 });
    });
    await to.rows.setStoredAt(batch);
  }

  /** Copies a content. Returns what is wrong with it, if anything is. */
  async function copyContent(
    content: LargeContent,
    blobs: ContentStore,
    { storage }: Side,
  ): Promise<string | undefined> {
    const opened = await blobs.open(content.hash, { start: 0, end: content.size });
    if (opened === undefined) return "is missing";
    if (opened.size !== content.size) {
      await opened.return();
      return "is damaged";
    }
    await using staged = await storage.blobs.stage(counted(opened, hooks));
    if (!isSame(staged, content)) return "is damaged";
    await storage.blobs.announce([staged]);
    await storage.records.write((transaction) => storage.blobs.publish([staged], transaction));
    return undefined;
  }
}

async function* counted(content: ContentReader, { onCopied }: CopyHooks) {
  for await (const chunk of content) {
    const bytes = chunk.length;
    yield chunk;
    onCopied({ files: 0, bytes });
  }
}

function isSame(staged: StagedBlob, { hash, size, crc32, sha256 }: LargeContent): boolean {
  return staged.hash === hash && staged.size === size && staged.crc32 === crc32 &&
    (sha256 === undefined || staged.sha256 === sha256);
}
