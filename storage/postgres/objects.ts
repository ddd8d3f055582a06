import { RetryLater } from "../../core/errors.ts";
import { NOBODY } from "./dialect.ts";
import type { Session } from "./session.ts";

/**
 * Notes that objects have arrived: they are content in this transaction.
 * See docs/design/content_of_several_servers.md.
 *
 * @throws {AppError} `ErrUnavailable` when others took this server for dead, and gave one up.
 */
export async function endArrivals(session: Session, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const ended = await session.run(
    "DELETE FROM objects WHERE key = ANY (:keys::text[]) AND state = 'arriving'",
    { keys },
  );
  if (ended === keys.length) return;
  throw new RetryLater("ErrUnavailable", "The server was out of touch: no changes were saved", 1);
}

/** Notes that objects are content no more. */
export async function beginLeaving(session: Session, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await session.run(
    `INSERT INTO objects (key, state, due_at, server)
     SELECT key, 'leaving', :now::bigint, :nobody::text FROM unnest(:keys::text[]) AS gone (key)`,
    { keys, now: Date.now(), nobody: NOBODY },
  );
}
