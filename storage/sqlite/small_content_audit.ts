import type { Chunk } from "../../core/content.ts";
import type { SmallContent, SmallContents } from "../tables/record_audit.ts";
import type { SqlParameters } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";
import { bytesOf, removeContents, sizesOf, smallHashes } from "./contents.ts";

/** Audits a SQLite file. A database of an earlier version has no such content. */
export class SmallContentAudit implements SmallContents {
  readonly #connection: Connection | undefined;

  constructor(connection: Connection) {
    const table = connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'contents'");
    this.#connection = table === undefined ? undefined : connection;
  }

  /** The hashes that begin with a prefix. */
  hashesBelow(prefix: string): string[] {
    return this.#connection === undefined ? [] : smallHashes(this.#connection, prefix);
  }

  below(prefix: string): SmallContent[] {
    return this.#contents("hash >= :prefix AND hash < :prefix || 'g'", { prefix });
  }

  find(hashes: readonly string[]): SmallContent[] {
    const condition = "hash IN (SELECT value FROM json_each(:hashes))";
    return this.#contents(condition, { hashes: JSON.stringify(hashes) });
  }

  known(hashes: readonly string[]): string[] {
    const rows = this.#connection?.all(
      "SELECT value AS hash FROM json_each(:hashes) JOIN contents ON contents.hash = value",
      { hashes: JSON.stringify(hashes) },
    );
    return rows?.map(({ hash }) => String(hash)) ?? [];
  }

  bytesOf(hash: string): Chunk | undefined {
    return this.#connection && bytesOf(this.#connection, hash);
  }

  sizeOf(hash: string): number | undefined {
    return this.#connection && sizesOf(this.#connection, [hash]).get(hash);
  }

  remove(hashes: readonly string[]): Promise<void> {
    if (this.#connection !== undefined) removeContents(this.#connection, hashes);
    return Promise.resolve();
  }

  #contents(condition: string, parameters: SqlParameters): SmallContent[] {
    const rows = this.#connection?.all(
      `SELECT hash, length(bytes) AS size, created_at FROM contents
       WHERE ${condition} AND bytes IS NOT NULL`,
      parameters,
    );
    return rows?.map((row) => ({
      hash: String(row.hash),
      size: Number(row.size),
      storedAt: Number(row.created_at),
    })) ?? [];
  }
}
