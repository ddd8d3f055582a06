import { HISTORY_ROW_BYTES } from "../../core/history.ts";
import type { Scope } from "../../core/ports.ts";
import type { Usage } from "../../core/usage.ts";
import type { ContentAmount } from "../../core/upkeep/ports.ts";
import type { Connection } from "./connection.ts";

/** Restricts a sum to trees of some users, or to those of all others. */
export interface UsageFilter {
  readonly userIds: readonly number[];
  readonly isOthers: boolean;
}

/** What the trees within the scope hold. */
export function usageOf(
  connection: Connection,
  scope: Scope,
  { userIds, isOthers }: UsageFilter = { userIds: [], isOthers: true },
): Usage {
  const inScope = `${scope.everyone ? ":user IS NOT NULL" : "user_id = :user"}
    AND user_id ${isOthers ? "NOT IN" : "IN"} (SELECT value FROM json_each(:users))`;
  const row = connection.get(
    `SELECT ifnull(sum(records), 0) AS records, ifnull(sum(files), 0) AS files,
       ifnull(sum(bytes), 0) AS bytes, (SELECT ifnull(sum(size), 0) FROM uploads
         WHERE completed_at IS NULL AND ${inScope})
       + (SELECT ifnull(sum(size), 0) FROM lfs_objects WHERE ${inScope}) AS uploading,
       (SELECT ifnull(sum(history_bytes), 0) FROM tree_versions WHERE ${inScope}) AS history_bytes,
       (SELECT ifnull(sum(bytes + ${HISTORY_ROW_BYTES} * records), 0)
         FROM tags WHERE ${inScope}) AS tagged_bytes
     FROM usage WHERE ${inScope}`,
    { user: scope.userId, users: JSON.stringify(userIds) },
  );
  return {
    records: Number(row?.records),
    files: Number(row?.files),
    bytes: Number(row?.bytes),
    uploading: Number(row?.uploading),
    historyBytes: Number(row?.history_bytes),
    taggedBytes: Number(row?.tagged_bytes),
  };
}

/** The former state of the records of some users, while a large change is going on. */
export interface PinnedState {
  readonly connection: Connection;
  readonly userIds: ReadonlySet<number>;
}

/** What the trees within the scope hold, where some may have to be read in their former state. */
export function usageAcross(
  connection: Connection,
  pinned: PinnedState | undefined,
  scope: Scope,
): Usage {
  if (pinned === undefined) return usageOf(connection, scope);
  const userIds = [...pinned.userIds];
  const others = usageOf(connection, scope, { userIds, isOthers: true });
  const former = usageOf(pinned.connection, scope, { userIds, isOthers: false });
  return {
    records: others.records + former.records,
    files: others.files + former.files,
    bytes: others.bytes + former.bytes,
    uploading: others.uploading + former.uploading,
    historyBytes: others.historyBytes + former.historyBytes,
    taggedBytes: others.taggedBytes + former.taggedBytes,
  };
}

/** The contents in files, and those in the database. */
export function contentTotals(
  connection: Connection,
): Record<"files" | "database", ContentAmount> {
  const of = (inFile: 0 | 1): ContentAmount => {
    const row = connection.get(
      "SELECT contents, bytes FROM content_totals WHERE in_file = :inFile",
      { inFile },
    );
    return { count: Number(row?.contents), bytes: Number(row?.bytes) };
  };
  return { files: of(1), database: of(0) };
}
