import type { Session } from "./session.ts";

/**
 * Has all servers of the database keep history from now on, or none. What was kept before it was off the last time
 * is not readable again, as nothing tells what changed meanwhile.
 * See docs/design/history.md.
 */
export async function turnHistory(session: Session, isOn: boolean): Promise<void> {
  await session.begin();
  const row = await session.get("SELECT keeps_history AS is_on FROM storage_state FOR UPDATE");
  if (row?.is_on !== isOn) {
    await session.run("UPDATE storage_state SET keeps_history = :isOn::boolean", { isOn });
    if (isOn) {
      await session.run(
        `INSERT INTO tree_changes (user_id, version, made_at)
         SELECT user_id, oldest, :now::bigint FROM tree_versions WHERE oldest > version`,
        { now: Date.now() },
      );
    }
    await session.run(
      isOn
        ? "UPDATE tree_versions SET version = oldest WHERE oldest > version"
        : `INSERT INTO tree_versions AS held (user_id, version, oldest) SELECT user_id, 0, 1 FROM usage
           ON CONFLICT (user_id) DO UPDATE SET oldest = held.version + 1`,
    );
  }
  await session.commit();
}
