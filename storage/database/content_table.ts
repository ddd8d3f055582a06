import type { Chunk } from "../../core/content.ts";
import type { ContentRow } from "../../core/content_changes.ts";
import type { Remote } from "../threads/rpc.ts";
import type { GroupCommit } from "./group_commit.ts";
import type { PointReader } from "./point_reader.ts";
import type { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

export interface ContentTableParts {
  readonly writer: Remote<Writer>;
  readonly reader: Remote<Reader>;
  readonly points: PointReader;
  readonly commits: GroupCommit;
}

/**
 * What the database keeps of content: facts of all of it, and small content itself. Write transactions
 * change it (`ContentChanges`).
 */
export class ContentTable {
  readonly #parts: ContentTableParts;

  constructor(parts: ContentTableParts) {
    this.#parts = parts;
  }

  /** Adds rows of contents whose files are to come, durably, in a transaction of its own. */
  announce(contents: readonly ContentRow[]): Promise<void> {
    const { writer, commits } = this.#parts;
    return commits.run(() => writer.announceContents(contents, Date.now()));
  }

  /** The content, or undefined if it is in a file or missing. */
  bytesOf(hash: string): Chunk | undefined {
    return this.#parts.points.contentBytes(hash);
  }

  /** The size of the content, or undefined if it is in a file or missing. */
  sizeOf(hash: string): number | undefined {
    return this.#parts.points.contentSize(hash);
  }

  /** The contents of those hashes that have one here. Ask for a few megabytes at most. */
  bytesOfAll(hashes: readonly string[]): Promise<Map<string, Chunk>> {
    return this.#parts.reader.contentBytes(hashes);
  }

  /** The sizes of those contents that are not in files. */
  sizesOf(hashes: readonly string[]): Promise<Map<string, number>> {
    return this.#parts.reader.contentSizes(hashes);
  }

  /** The hashes with a prefix whose content is not in a file. */
  smallHashes(prefix: string): Promise<string[]> {
    return this.#parts.reader.smallHashes(prefix);
  }
}
