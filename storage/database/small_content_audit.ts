import type { Chunk } from "../../core/content.ts";
import type { Connection } from "./connection.ts";
import { bytesOf, removeContents, sizesOf, smallHashes } from "./contents.ts";

/** The content that is in a database and not in files. A database of an earlier version has no such content. */
export class SmallContentAudit {
  readonly #connection: Connection | undefined;

  constructor(connection: Connection) {
    const table = connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'contents'");
    this.#connection = table === undefined ? undefined : connection;
  }

  /** The hashes that begin with a prefix. */
  hashesBelow(prefix: string): string[] {
    return this.#connection === undefined ? [] : smallHashes(this.#connection, prefix);
  }

  /** Returns those of the hashes of which the database has a row, wherever their content is. */
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

  /** When the content was stored, in milliseconds since the Unix epoch. */
  storedAt(hash: string): number | undefined {
    const row = this.#connection?.get("SELECT created_at FROM contents WHERE hash = :hash", {
      hash,
    });
    return row && Number(row.created_at);
  }

  remove(hashes: readonly string[]): Promise<void> {
    if (this.#connection !== undefined) removeContents(this.#connection, hashes);
    return Promise.resolve();
  }
}
