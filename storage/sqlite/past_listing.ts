import { compareBytewise } from "../../core/paths.ts";
import type { ListQuery, ResourceRecord } from "../../core/ports.ts";
import type { PastTree } from "../tables/history_store.ts";
import type { Connection } from "./connection.ts";
import { ROOT_ORDER, shortListProbe, withinBytes } from "./listing.ts";
import { findPastByPath } from "./past.ts";
import { countRead, inside, rowsOf } from "./past_parts.ts";

/** So many rows of other versions may be looked at for one that is listed. */
const ROWS_PER_RECORD = 10;

/**
 * A whole listing of the root or of one directory of a tree at a version, or undefined if that would read many more
 * records than `limit`, or has more than a page of paths. Call it in a transaction.
 */
export function shortPastListing(
  connection: Connection,
  tree: PastTree,
  query: ListQuery,
  limit: number,
): ResourceRecord[] | undefined {
  const [directory] = query.directories;
  const part = inside(query, directory);
  if (tree.tag === undefined) {
    const present = shortListProbe(query, limit + 1);
    if (Number(connection.get(present.sql, present.parameters)?.count) > limit) return undefined;
  }
  const most = tree.tag === undefined ? limit * ROWS_PER_RECORD : limit;
  if (countRead(connection, tree, part, most + 1) > most) return undefined;
  const found = rowsOf(
    connection,
    tree,
    part,
    directory === undefined ? ROOT_ORDER : "ORDER BY path",
  );
  const records = [...above(connection, tree, query), ...found];
  const isShort = records.length <= limit && withinBytes(records).length === records.length;
  return isShort ? records : undefined;
}

/** What a listing has besides what is in its directory: those above, and the file that was there instead (RS 4.1). */
function above(
  connection: Connection,
  tree: PastTree,
  { directories, chain, recursive }: ListQuery,
): ResourceRecord[] {
  const files = new Set(recursive ? directories : []);
  const paths = [...new Set([...chain, ...files])];
  if (paths.length === 0) return [];
  // Paths of directories above sort before what is below.
  return findPastByPath(connection, tree, paths)
    .filter(({ path, isDir }) => isDir ? chain.includes(path) : files.has(path))
    .sort((a, b) => compareBytewise(a.path, b.path));
}
