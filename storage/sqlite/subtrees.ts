import type { ResourceRecord } from "../../core/ports.ts";
import type { Connection } from "./connection.ts";
import { descendantOf } from "./subtree.ts";

/** The root of a subtree. */
export type Root = Pick<ResourceRecord, "userId" | "path">;

/** Whether the records and their descendants are more than `max`. Reads no more than that. */
export function exceeds(connection: Connection, roots: readonly Root[], max: number): boolean {
  let count = roots.length;
  for (const { userId: user, path } of roots) {
    const row = connection.get(
      `SELECT count(*) AS count FROM (
         SELECT 1 FROM records WHERE user_id = :user AND ${descendantOf("path", ":path")}
         LIMIT :limit
       )`,
      { user, path, limit: Math.max(0, max + 1 - count) },
    );
    count += Number(row?.count);
  }
  return count > max;
}
