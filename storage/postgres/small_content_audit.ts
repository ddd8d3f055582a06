import type { Chunk } from "../../core/content.ts";
import type { SmallContent, SmallContents } from "../tables/record_audit.ts";
import { removeContents } from "./contents.ts";
import { PostgresContentTable } from "./content_table.ts";
import type { Database } from "./database.ts";

/** Audits the small content in a database of PostgreSQL whose other content is in files. */
export class PostgresSmallContents implements SmallContents {
  readonly #database: Database;
  readonly #table: PostgresContentTable;

  constructor(database: Database) {
    this.#database = database;
    this.#table = new PostgresContentTable(database);
  }

  below(prefix: string): Promise<SmallContent[]> {
    return this.#find("hash >= :prefix::text AND hash < :prefix::text || 'g'", { prefix });
  }

  find(hashes: readonly string[]): Promise<SmallContent[]> {
    return this.#find("hash = ANY (:hashes::text[])", { hashes });
  }

  async known(hashes: readonly string[]): Promise<string[]> {
    const sql = "SELECT hash FROM contents WHERE hash = ANY (:hashes::text[])";
    return (await this.#database.values(sql, { hashes })).map(([hash]) => String(hash));
  }

  bytesOf(hash: string): Promise<Chunk | undefined> {
    return this.#table.bytesOf(hash);
  }

  sizeOf(hash: string): Promise<number | undefined> {
    return this.#table.sizeOf(hash);
  }

  async remove(hashes: readonly string[]): Promise<void> {
    await this.#database.use("writes", async (session) => {
      await session.begin();
      await removeContents(session, hashes);
      await session.commit();
    });
  }

  async #find(
    condition: string,
    parameters: { prefix: string } | { hashes: readonly string[] },
  ): Promise<SmallContent[]> {
    const rows = await this.#database.values(
      `SELECT hash, length(bytes), created_at FROM contents WHERE ${condition} AND bytes IS NOT NULL`,
      parameters,
    );
    return rows.map(([hash, size, storedAt]) => ({
      hash: String(hash),
      size: Number(size),
      storedAt: Number(storedAt),
    }));
  }
}
