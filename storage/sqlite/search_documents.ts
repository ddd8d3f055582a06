import type { SqlParameters } from "../tables/dialect.ts";
import { ownDocumentOf, type Settle, settleMarks as settle } from "../tables/search_index.ts";
import type { SearchStatement } from "../tables/search_statements.ts";
import type { Connection } from "./connection.ts";
import { GIVE_UP_INDEX, INDEX_SQL, TO_ROWS } from "./search_engine.ts";
import { sqlOf } from "./statements.ts";
import type { Transactions } from "./transactions.ts";

/** The connection that writes, in a transaction. */
interface Writing {
  readonly connection: Connection;
  readonly transactions: Transactions;
}

/** Documents per transaction. Each transaction keeps other writers waiting for a few milliseconds. */
const MADE_AT_ONCE = 500;

/** The first records that were added, and whether they have a document, or get one by their marks. */
const ADDED = `SELECT added.user_id, added.last, target.id, target.path, target.is_dir,
    EXISTS (SELECT 1 FROM search_terms_docsize AS made WHERE made.id = target.id)
      OR EXISTS (
        SELECT 1 FROM search_marks AS marked
        WHERE marked.user_id = added.user_id AND marked.id = target.id
      ) AS is_known
  FROM (SELECT * FROM search_added ORDER BY last) AS added CROSS JOIN records AS target
  WHERE target.id BETWEEN added.first AND added.last
  LIMIT ${MADE_AT_ONCE}`;

/** A record among the next ones has documents up to this one. */
const CUT_RANGE = "UPDATE search_added SET first = :id + 1 WHERE last = :last";
const DROP_RANGES = "DELETE FROM search_added WHERE last < :last OR first > last";

/** Makes documents of what is marked. On a disk that is nearly full, the index gives way. */
export async function settleMarks(writing: Writing, known: Parameters<Settle>): Promise<void> {
  if (givesUp(writing)) return;
  const { connection, transactions } = writing;
  const run = (name: SearchStatement, parameters: SqlParameters) =>
    Promise.resolve(
      transactions.refuseFull(() => connection.all(sqlOf(["search", name]), parameters)),
    );
  await settle(run, TO_ROWS, ...known);
}

/**
 * Makes documents of some of the records that were added. Those that have facts are marked, so these have none. On a disk
 * that is nearly full, the index gives way. Returns whether there may be more.
 */
export function settleAdded(writing: Writing): boolean {
  if (givesUp(writing)) return false;
  const { connection, transactions } = writing;
  return transactions.refuseFull(() => {
    const rows = connection.all(ADDED);
    const last = rows.length < MADE_AT_ONCE ? undefined : rows.at(-1);
    if (last === undefined) connection.run("DELETE FROM search_added");
    else {
      connection.run(CUT_RANGE, { id: Number(last.id), last: Number(last.last) });
      connection.run(DROP_RANGES, { last: Number(last.last) });
    }
    const documents = rows.filter((row) => row.is_known === 0).map(ownDocumentOf);
    connection.run(INDEX_SQL.addDocuments, { documents: TO_ROWS.documents(documents) });
    return last !== undefined;
  });
}

function givesUp({ connection, transactions }: Writing): boolean {
  const { nearlyFull } = transactions;
  if (nearlyFull) transactions.refuseFull(() => connection.script(GIVE_UP_INDEX));
  return nearlyFull;
}
