import { newHash } from "../../content/hashes.ts";
import type { DatabaseRows } from "./database_rows.ts";
import { TableDigest, type TableSum } from "./table_digest.ts";
import type { Row, Table } from "./table.ts";

/** Rows that are added in one transaction have about this size, or number, at most. */
const MAX_BATCH_BYTES = 4 * 2 ** 20;
const MAX_BATCH_ROWS = 5000;

/**
 * Copies the rows of a table, and sums them up.
 *
 * @param check Returns those of the rows that can be copied. @default all
 */
export async function copyTable(
  table: Table,
  { from, to, check }: {
    readonly from: DatabaseRows;
    readonly to: DatabaseRows;
    readonly check?: (rows: readonly Row[]) => Promise<readonly Row[]>;
  },
): Promise<TableSum> {
  const digest = new TableDigest();
  let batch: Row[] = [];
  let bytes = 0;
  for await (const page of from.read(table)) {
    const rows = check === undefined ? page : await check(page);
    digest.add(rows);
    batch.push(...rows);
    bytes += sizeOf(rows);
    if (batch.length < MAX_BATCH_ROWS && bytes < MAX_BATCH_BYTES) continue;
    await to.add(table, batch);
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) await to.add(table, batch);
  return digest.end();
}

/** Sums up the rows of a table. */
export async function sumTable(table: Table, rows: DatabaseRows): Promise<TableSum> {
  const digest = new TableDigest();
  for await (const page of rows.read(table)) digest.add(page);
  return digest.end();
}

/** Whether a row of small content has the bytes that it states. */
export function isWhole([hash, size, crc32, sha256, , bytes]: Row): boolean {
  if (!(bytes instanceof Uint8Array) || bytes.length !== size) return false;
  const digestOf = (algorithm: "md5" | "sha256" | "crc32") => {
    const running = newHash(algorithm);
    running.update(bytes);
    return new Uint8Array(running.digest()).toHex();
  };
  return digestOf("md5") === hash && parseInt(digestOf("crc32"), 16) === crc32 &&
    (!(sha256 instanceof Uint8Array) || digestOf("sha256") === sha256.toHex());
}

function sizeOf(rows: readonly Row[]): number {
  let size = 0;
  for (const row of rows) {
    for (const value of row) {
      size += typeof value === "number" || value === null ? 8 : value.length;
    }
  }
  return size;
}
