import type { ContentAmount } from "../../core/upkeep/ports.ts";
import { orMissing } from "../disk/files.ts";
import type { GroupCommit } from "./group_commit.ts";
import type { PointReader } from "./point_reader.ts";

/** What a database holds, and how much it has written. */
export interface DatabaseMeasures {
  readonly contents: Record<"files" | "database", ContentAmount>;
  /** Transactions since the start, and the pieces of work that they carried out. */
  readonly commits: number;
  readonly works: number;
  /** The sizes of its files. */
  readonly databaseBytes: number;
  readonly logBytes: number;
}

/** Measures in a moment, however much the database holds. */
export async function measureDatabase(
  path: string,
  { points, commits }: { points: PointReader; commits: GroupCommit },
): Promise<DatabaseMeasures> {
  return {
    contents: points.contentTotals(),
    ...commits.committed,
    databaseBytes: await fileSize(path),
    logBytes: await fileSize(`${path}-wal`),
  };
}

/** The size of a file in bytes; 0 if there is none. */
async function fileSize(path: string): Promise<number> {
  return (await orMissing(Deno.stat(path)))?.size ?? 0;
}
