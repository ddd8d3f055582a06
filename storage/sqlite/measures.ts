import { orMissing } from "../disk/files.ts";
import type { DatabaseMeasures } from "../tables/record_store.ts";
import type { GroupCommit } from "./group_commit.ts";
import type { PointReader } from "./point_reader.ts";

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
