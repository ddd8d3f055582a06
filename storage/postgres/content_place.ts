import type { Database } from "./database.ts";
import { DATABASE_ID } from "./restored.ts";

/** What a database knows of its strongroom and of where content is that is not in it. */
export interface StrongroomState {
  readonly strongroomId: string;
  /** Undefined before the first server. */
  readonly contentPlace: string | undefined;
  /** Which of several databases it is that are copies of one another. */
  readonly databaseId: string;
}

export async function strongroomState(database: Database): Promise<StrongroomState> {
  const row = await database.get(
    `SELECT strongroom_id, content_place, ${DATABASE_ID} AS database_id FROM storage_state`,
  );
  const place = row?.content_place;
  return {
    strongroomId: String(row?.strongroom_id),
    contentPlace: typeof place === "string" ? place : undefined,
    databaseId: String(row?.database_id),
  };
}

/**
 * Sets where content is, unless that is known.
 *
 * @param former What to replace; undefined for nothing.
 * @returns Where content is from now on.
 */
export async function claimContentPlace(
  database: Database,
  place: string,
  former?: string,
): Promise<string> {
  const row = await database.use("writes", (session) =>
    session.get(
      `UPDATE storage_state SET content_place =
         CASE WHEN content_place IS NULL OR content_place = :former::text THEN :place::text
         ELSE content_place END
       RETURNING content_place`,
      { place, former: former ?? null },
    ));
  return String(row?.content_place);
}
