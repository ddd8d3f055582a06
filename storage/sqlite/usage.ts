import type { Scope, Usage } from "../../core/ports.ts";
import type { ContentAmount } from "../../core/upkeep/ports.ts";
import type { Connection } from "./connection.ts";

/** Records of a page. */
const PAGE_RECORDS = 5000;

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
       (SELECT ifnull(sum(history_bytes), 0) FROM tree_versions WHERE ${inScope}) AS history_bytes
     FROM usage WHERE ${inScope}`,
    { user: scope.userId, users: JSON.stringify(userIds) },
  );
  return {
    records: Number(row?.records),
    files: Number(row?.files),
    bytes: Number(row?.bytes),
    uploading: Number(row?.uploading),
    historyBytes: Number(row?.history_bytes),
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

/** A count of the bytes that the contents of trees take, each content once. It reads all their records. */
export class StoredBytes implements Disposable {
  readonly #connection: Connection;
  readonly #sql: string;
  readonly #user: number;
  #after: string | number;

  /** @param connection A connection of its own, which is closed with this. */
  constructor(connection: Connection, { userId, everyone }: Scope) {
    this.#connection = connection;
    this.#user = userId;
    const [key, condition] = everyone ? ["id", ":user IS NOT NULL"] : ["path", "user_id = :user"];
    this.#after = everyone ? 0 : "";
    connection.script(
      "CREATE TEMP TABLE stored (hash TEXT PRIMARY KEY, size INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    );
    this.#sql = `SELECT ${key} AS last, hash, size FROM records
      WHERE ${condition} AND ${key} > :after ORDER BY ${key} LIMIT ${PAGE_RECORDS}`;
  }

  /** Reads a page. Returns the bytes after the last one. */
  next(): number | undefined {
    const parameters = { user: this.#user, after: this.#after };
    this.#connection.run(
      `INSERT OR IGNORE INTO temp.stored SELECT hash, size FROM (${this.#sql}) WHERE hash <> ''`,
      parameters,
    );
    const end = this.#connection.get(
      `SELECT max(last) AS last, count(*) AS count FROM (${this.#sql})`,
      parameters,
    );
    if (Number(end?.count) === PAGE_RECORDS) {
      this.#after = typeof end?.last === "string" ? end.last : Number(end?.last);
      return undefined;
    }
    const row = this.#connection.get("SELECT ifnull(sum(size), 0) AS bytes FROM temp.stored");
    return Number(row?.bytes);
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}
