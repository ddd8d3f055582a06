import { KIB } from "../../schemas/units.ts";
import type { Database } from "./database.ts";
import { EVERYONE, placeEvents } from "./event_places.ts";

/** How many events a page has, at most, and after how many bytes it ends. */
const MAX_PAGE_EVENTS = 256;
const MAX_PAGE_BYTES = 64 * KIB;

/** The state of a channel. */
export interface EventPosition {
  /** Random, and part of each id: it tells nothing about other channels. */
  readonly epoch: string;
  /** The sequence number of the next event. */
  readonly end: number;
}

/** The state of a channel, and some of its events. */
export interface EventPage extends EventPosition {
  /** Those from the requested sequence number on without a gap: none if that one is not kept. */
  readonly texts: readonly string[];
}

const OWN_EVENTS = `
  SELECT sequence, text FROM events WHERE owner = :owner AND sequence >= :next
  ORDER BY sequence LIMIT ${MAX_PAGE_EVENTS}`;

const ALL_EVENTS = `
  SELECT place + events.sequence - first AS sequence, text
  FROM event_places AS places JOIN events
    ON events.owner = places.owner AND events.sequence >= first + greatest(0, :next - place)
    AND events.sequence < first + count
  WHERE :owner = ${EVERYONE}
    AND place >= coalesce((SELECT max(place) FROM event_places WHERE place <= :next), :next)
  ORDER BY place, events.sequence LIMIT ${MAX_PAGE_EVENTS}`;

/** The state of a channel that exists, and its events from a sequence number on. */
export async function readPage(
  database: Database,
  owner: number,
  next: number,
): Promise<EventPage> {
  if (owner === EVERYONE) await placeEvents(database);
  const rows = await database.values(
    `SELECT epoch, next, sequence, text FROM event_channels AS channel LEFT JOIN (
       SELECT sequence, text, sum(octet_length(text)) OVER (ORDER BY sequence) AS size
       FROM (${owner === EVERYONE ? ALL_EVENTS : OWN_EVENTS}) AS page
     ) AS page ON size - octet_length(text) < ${MAX_PAGE_BYTES}
     WHERE channel.owner = :owner ORDER BY sequence`,
    { owner, next },
  );
  const [epoch, end] = rows[0] ?? [];
  const gap = rows.findIndex(([, , sequence], index) => sequence !== next + index);
  const texts = rows.slice(0, gap === -1 ? rows.length : gap).map(([, , , text]) => String(text));
  return { epoch: String(epoch), end: Number(end), texts };
}

/** The present state of the channel, which then exists. */
export async function readPosition(database: Database, owner: number): Promise<EventPosition> {
  if (owner === EVERYONE) await placeEvents(database);
  const row = await database.get(
    "SELECT epoch, next FROM event_channels WHERE owner = :owner",
    { owner },
  );
  if (row !== undefined) return { epoch: String(row.epoch), end: Number(row.next) };
  await addChannel(database, owner);
  return await readPosition(database, owner);
}

/** An id of an owner without events must stay valid. */
async function addChannel(database: Database, owner: number): Promise<void> {
  await database.use("writes", (session) =>
    session.run(
      `INSERT INTO event_channels (owner, epoch, next, total)
       VALUES (:owner, replace(gen_random_uuid()::text, '-', ''), 1, 0) ON CONFLICT DO NOTHING`,
      { owner },
    ));
}
