import type { FileState, StatesQuery } from "../../core/history.ts";
import type { SqlRow, Statements } from "./dialect.ts";
import { toListedFacts } from "./s3_store.ts";

/**
 * Files of a tree as they are and were.
 *
 * @param oldest The first version that can be read.
 */
export async function readStates(
  statements: Statements<"states">,
  { userId: user, below, ...query }: StatesQuery,
  oldest: number,
): Promise<FileState[]> {
  const rows = await statements.read("states", {
    ...query,
    user,
    oldest,
    below: Math.min(below, Number.MAX_SAFE_INTEGER),
  });
  return rows.map(toState);
}

function toState(row: SqlRow): FileState {
  return {
    path: String(row.path),
    since: Number(row.since),
    until: row.until === null ? undefined : Number(row.until),
    endedAt: Number(row.ended_at),
    size: Number(row.size),
    hash: String(row.hash),
    updatedAt: Number(row.updated_at),
    ...toListedFacts(row),
  };
}
