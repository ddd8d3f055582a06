import type { Side } from "./copy_contents.ts";
import { sumTable } from "./copy_rows.ts";
import type { TableSum } from "./table_digest.ts";
import type { Table } from "./table.ts";
import { LARGE_CONTENTS, USAGE } from "./tables.ts";

/**
 * Compares what was carried with the source: each table by the number and a hash of its rows, and that each
 * content of a file is there, and no other.
 *
 * @param sums What was read of each table.
 * @throws {Error} that names what differs.
 */
export async function verifyCopy(
  from: Side,
  to: Side,
  sums: ReadonlyMap<Table, TableSum>,
): Promise<void> {
  const expected = new Map(sums);
  for (const table of [LARGE_CONTENTS, USAGE]) {
    expected.set(table, await sumTable(table, from.rows));
  }
  for (const [table, sum] of expected) {
    const found = await sumTable(table, to.rows);
    if (found.digest === sum.digest) continue;
    throw new Error(
      `The table ${table.name} was not carried as it is: ${sum.rows} rows are ${found.rows} now`,
    );
  }
  const { blobs, records } = to.storage;
  for await (const { prefix, hashes } of blobs.hashes()) {
    const { missing, unreferenced } = await records.upkeep.findGap(prefix, hashes);
    const [lost] = missing;
    if (lost !== undefined) throw new Error(`The content ${lost} has not arrived`);
    const [stray] = unreferenced;
    if (stray !== undefined) throw new Error(`The content ${stray} is not of the source`);
  }
}
