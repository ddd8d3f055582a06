import type { Chunk } from "../../core/content.ts";
import type { ContentRow } from "../../core/content_changes.ts";
import type { ContentTable } from "../content/content_table.ts";
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

/** Keeps what is known of content in the SQLite file of the records. */
export class SqliteContentTable implements ContentTable {
  readonly #parts: ContentTableParts;

  constructor(parts: ContentTableParts) {
    this.#parts = parts;
  }

  announce(contents: readonly ContentRow[]): Promise<void> {
    const { writer, commits } = this.#parts;
    return commits.run(() => writer.announceContents(contents, Date.now()));
  }

  bytesOf(hash: string): Chunk | undefined {
    return this.#parts.points.contentBytes(hash);
  }

  sizeOf(hash: string): number | undefined {
    return this.#parts.points.contentSize(hash);
  }

  bytesOfAll(hashes: readonly string[]): Promise<Map<string, Chunk>> {
    return this.#parts.reader.contentBytes(hashes);
  }

  sizesOf(hashes: readonly string[]): Promise<Map<string, number>> {
    return this.#parts.reader.contentSizes(hashes);
  }

  smallHashes(prefix: string): Promise<string[]> {
    return this.#parts.reader.smallHashes(prefix);
  }
}
