import type { Database } from "./database.ts";
import { MAX_EVENTS } from "./event_log.ts";
import type { Session } from "./session.ts";

/** The owner of the channel of everyone. Users have positive ids. */
export const EVERYONE = 0;

/** How many operations get their places at once. */
const MAX_PLACED = 1000;

/**
 * Gives all events places in the stream of everyone that were committed before and have none. Those that come
 * meanwhile need not have one.
 * See docs/design/events.md.
 */
export async function placeEvents(database: Pick<Database, "get" | "use">): Promise<void> {
  const waiting = await database.get("SELECT EXISTS (SELECT FROM event_arrivals) AS found");
  if (waiting?.found !== true) return;
  for (let placed = MAX_PLACED; placed === MAX_PLACED;) {
    placed = await database.use("writes", async (session) => {
      await session.begin();
      const operations = await placeSome(session);
      await session.commit();
      return operations;
    });
  }
}

/**
 * The lock lets one transaction at a time give places. What the statement after it sees has the events that
 * were committed before any of those which it sees: for each owner it takes them in the order of commits.
 * Returns how many operations it has taken.
 */
async function placeSome(session: Session): Promise<number> {
  await session.run("SELECT FROM event_channels WHERE owner = :everyone FOR UPDATE", {
    everyone: EVERYONE,
  });
  const row = await session.get(
    `WITH taken AS (
       DELETE FROM event_arrivals WHERE id IN (
         SELECT id FROM event_arrivals ORDER BY id LIMIT ${MAX_PLACED}
       ) RETURNING id, owner, first, count
     ), placed AS (
       INSERT INTO event_places (place, owner, first, count)
       SELECT channel.next + sum(count) OVER (ORDER BY id) - count, taken.owner, first, count
       FROM taken, event_channels AS channel WHERE channel.owner = :everyone
     )
     UPDATE event_channels SET next = next + (SELECT coalesce(sum(count), 0) FROM taken)
     WHERE owner = :everyone RETURNING (SELECT count(*) FROM taken) AS operations`,
    { everyone: EVERYONE },
  );
  await session.run(
    `DELETE FROM event_places WHERE place < (
       SELECT max(place) FROM event_places
       WHERE place <= (SELECT next FROM event_channels WHERE owner = :everyone) - ${MAX_EVENTS}
     )`,
    { everyone: EVERYONE },
  );
  return Number(row?.operations);
}
