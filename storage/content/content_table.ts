import type { Chunk } from "../../core/content.ts";
import type { ContentRow } from "../../core/content_changes.ts";

/**
 * What the database keeps of content: facts of all of it, and small content itself. Write transactions
 * change it (`ContentChanges`).
 */
export interface ContentTable {
  /** Adds rows of contents whose files are to come, durably, in a transaction of its own. */
  announce(contents: readonly ContentRow[]): Promise<void>;
  /** The content, or undefined if it is elsewhere or missing. */
  bytesOf(hash: string): Chunk | undefined | Promise<Chunk | undefined>;
  /** The size of the content, or undefined if it is elsewhere or missing. */
  sizeOf(hash: string): number | undefined | Promise<number | undefined>;
  /** The contents of those hashes that have one here. Ask for a few megabytes at most. */
  bytesOfAll(hashes: readonly string[]): Promise<Map<string, Chunk>>;
  /** The sizes of those contents that are here. */
  sizesOf(hashes: readonly string[]): Promise<Map<string, number>>;
  /** The hashes with a prefix whose content is here. */
  smallHashes(prefix: string): Promise<string[]>;
}
