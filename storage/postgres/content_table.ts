import type { Chunk } from "../../core/content.ts";
import type { ContentRow } from "../../core/content_changes.ts";
import type { ContentTable } from "../content/content_table.ts";
import { announceContents, droppedContents, toBytes } from "./contents.ts";
import type { Database } from "./database.ts";

/** Keeps what is known of content in PostgreSQL. */
export class PostgresContentTable implements ContentTable {
  readonly #database: Database;
  #announcements = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** How many transactions have announced content. */
  get announcements(): number {
    return this.#announcements;
  }

  async announce(contents: readonly ContentRow[]): Promise<void> {
    await this.#database.use(
      "writes",
      (session) => announceContents(session, contents, Date.now()),
    );
    this.#announcements++;
  }

  /** {@link SharedUpkeep.dropped} */
  dropped(limit: number): Promise<string[]> {
    return this.#database.use("reads", (session) => droppedContents(session, limit));
  }

  async bytesOf(hash: string): Promise<Chunk | undefined> {
    return (await this.bytesOfAll([hash])).get(hash);
  }

  async sizeOf(hash: string): Promise<number | undefined> {
    return (await this.sizesOf([hash])).get(hash);
  }

  async bytesOfAll(hashes: readonly string[]): Promise<Map<string, Chunk>> {
    const rows = await this.#database.values(
      smallContents("bytes"),
      { hashes },
    );
    const found = new Map<string, Chunk>();
    for (const [hash, value] of rows) {
      const bytes = toBytes(value);
      if (bytes !== undefined) found.set(String(hash), bytes);
    }
    return found;
  }

  async sizesOf(hashes: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#database.values(
      smallContents("size"),
      { hashes },
    );
    return new Map(rows.map(([hash, size]) => [String(hash), Number(size)]));
  }

  async smallHashes(prefix: string): Promise<string[]> {
    const rows = await this.#database.values(
      `SELECT hash FROM contents WHERE hash >= :prefix::text AND hash < :prefix::text || 'g'
       AND bytes IS NOT NULL`,
      { prefix },
    );
    return rows.map(([hash]) => String(hash));
  }
}

/** Small contents by their hashes. OFFSET keeps the engine from reading all contents. */
function smallContents(column: "bytes" | "size"): string {
  return `SELECT asked.hash, found.${column}
    FROM unnest(:hashes::text[]) AS asked (hash) CROSS JOIN LATERAL (
      SELECT bytes, size FROM contents WHERE contents.hash = asked.hash AND bytes IS NOT NULL OFFSET 0
    ) AS found`;
}
