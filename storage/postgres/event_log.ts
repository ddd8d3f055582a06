import type { Entries, EventEntry, StoredEntries } from "../../core/event_channel.ts";
import { MIB } from "../../schemas/units.ts";
import type { Database } from "./database.ts";
import type { Session, SqlParameters } from "./session.ts";

/** How many events of one owner are kept, and their bytes. */
export const MAX_EVENTS = 10_000;
const MAX_BYTES = 4 * MIB;
/**
 * Events of one operation that are larger are not kept: its subscribers must list again. Others who change the
 * tree wait while they are added, which is to take less than 2 s (C 31).
 */
const MAX_OPERATION_BYTES = 8 * MIB;
/** How many events a statement adds, and how many it removes. */
const MAX_ADDED = 500;
const MAX_REMOVED = 1000;
/** The events of an owner that are due are removed after so many others. */
const REMOVAL_INTERVAL = 64;

/** The sequence numbers that the events of one owner got in a transaction. */
export interface Appended {
  readonly owner: number;
  readonly first: number;
  readonly count: number;
}

/**
 * Appends events in the current transaction, in their order. The numbers of an owner are in the order of
 * commits, as others who append for the same owner wait. Events in memory need no reply: the statements
 * have been sent when this returns.
 * See docs/design/events.md.
 */
export async function appendEvents(session: Session, entries: Entries): Promise<Appended[]> {
  if (!("owners" in entries)) return together(await appendBatch(session, entries));
  if (entries.bytes > MAX_OPERATION_BYTES) return await skipNumbers(session, entries.owners);
  const appended: Appended[] = [];
  for (let position = 0; position < entries.length;) {
    const batch = await entries.from(position);
    appended.push(...await appendBatch(session, batch));
    position += batch.length;
  }
  return together(appended);
}

/** Appends the events that were staged. */
export type AppendStaged = () => Promise<Appended[]>;

/**
 * Sends events to the engine that get their numbers later: others who append for the same owners wait for a
 * moment then.
 */
export async function stageEvents(session: Session, entries: StoredEntries): Promise<AppendStaged> {
  if (entries.bytes > MAX_OPERATION_BYTES) return () => skipNumbers(session, entries.owners);
  await session.script(STAGED_SCHEMA);
  for (let position = 0; position < entries.length;) {
    const batch = await entries.from(position);
    await Promise.all(
      partsOf(batch).map((part) =>
        session.run(
          `INSERT INTO ${STAGED} (owner, text)
         SELECT * FROM unnest(:owners::bigint[], :texts::text[])`,
          { owners: part.map(({ owner }) => owner), texts: part.map(({ text }) => text) },
        )
      ),
    );
    position += batch.length;
  }
  const owners = [...entries.owners].sort(([a], [b]) => a - b);
  return () =>
    Promise.all(owners.map(([owner, count]) =>
      appendFrom(
        session,
        `SELECT row_number() OVER (ORDER BY position) AS position, text FROM ${STAGED}
         WHERE owner = :owner::bigint`,
        { owner, count },
      )
    ));
}

const STAGED = "pg_temp.staged_events";
const STAGED_SCHEMA = `CREATE TEMP TABLE IF NOT EXISTS staged_events (
    position bigint GENERATED ALWAYS AS IDENTITY,
    owner bigint NOT NULL,
    text text NOT NULL
  ) ON COMMIT DELETE ROWS;
  DELETE FROM ${STAGED}`;

/** Numbers of an owner that one transaction got follow each other. */
function together(appended: readonly Appended[]): Appended[] {
  const byOwner = Map.groupBy(appended, ({ owner }) => owner);
  return Array.from(byOwner, ([owner, parts]) => ({
    owner,
    first: Math.min(...parts.map(({ first }) => first)),
    count: parts.reduce((sum, { count }) => sum + count, 0),
  }));
}

async function appendBatch(session: Session, entries: readonly EventEntry[]): Promise<Appended[]> {
  // Most transactions take the rows in the same order, so that they rarely wait for each other in a circle.
  const byOwner = [...Map.groupBy(entries, ({ owner }) => owner)].sort(([a], [b]) => a - b);
  return await Promise.all(
    byOwner.flatMap(([owner, own]) =>
      partsOf(own).map((part) => append(session, owner, part.map(({ text }) => text)))
    ),
  );
}

function partsOf(entries: readonly EventEntry[]): (readonly EventEntry[])[] {
  const count = Math.ceil(entries.length / MAX_ADDED);
  return Array.from(
    { length: count },
    (_, index) => entries.slice(MAX_ADDED * index, MAX_ADDED * (index + 1)),
  );
}

function append(session: Session, owner: number, texts: readonly string[]): Promise<Appended> {
  const added =
    "SELECT text, position FROM unnest(:texts::text[]) WITH ORDINALITY AS it (text, position)";
  return appendFrom(session, added, { owner, count: texts.length, texts });
}

/**
 * Appends events of an owner. Those of a change state the version that the transaction has made of the tree (C 26),
 * at the end of their JSON. The engine alone knows it.
 *
 * @param added Selects their texts, and their positions from 1.
 */
async function appendFrom(
  session: Session,
  added: string,
  parameters: SqlParameters & { readonly owner: number; readonly count: number },
): Promise<Appended> {
  const { owner, count } = parameters;
  const row = await session.get(
    `WITH noted AS (
       SELECT (regexp_match(
         coalesce(current_setting('strongroom.versions', true), ''), ',' || :owner::bigint || '=(-?\\d+)'
       ))[1]::bigint AS number
     ), made AS MATERIALIZED (
       SELECT ',"version":' || CASE
         WHEN number > 0 THEN number
         ELSE (SELECT version FROM tree_changes WHERE user_id = :owner AND change = -number)
       END || '}' AS ending FROM noted
     ), added AS MATERIALIZED (
       SELECT position, text, sum(octet_length(text)) OVER (ORDER BY position) AS size
       FROM (
         SELECT position, coalesce(left(text, -1) || ending, text) AS text FROM (${added}) AS it, made
       ) AS stated
     ), channel AS (
       INSERT INTO event_channels AS channel (owner, epoch, next, total)
       SELECT :owner::bigint, replace(gen_random_uuid()::text, '-', ''), 1 + count(*), max(size)
       FROM added
       ON CONFLICT (owner) DO UPDATE
       SET next = channel.next + excluded.next - 1, total = channel.total + excluded.total
       RETURNING next - :count::bigint AS first, total - (SELECT max(size) FROM added) AS before
     ), kept AS (
       INSERT INTO events (owner, sequence, total, text)
       SELECT :owner, first + position - 1, before + size, text FROM channel, added
     ), arrived AS (
       INSERT INTO event_arrivals (owner, first, count) SELECT :owner, first, :count FROM channel
     )
     SELECT first FROM channel`,
    parameters,
  );
  return { owner, first: Number(row?.first), count };
}

/** Takes the numbers of events that are not kept, so that subscribers find that they miss some. */
async function skipNumbers(
  session: Session,
  owners: ReadonlyMap<number, number>,
): Promise<Appended[]> {
  const sorted = [...owners].sort(([a], [b]) => a - b);
  return await Promise.all(sorted.map(async ([owner, count]) => {
    const row = await session.get(
      `WITH channel AS (
         INSERT INTO event_channels AS channel (owner, epoch, next, total)
         VALUES (:owner, replace(gen_random_uuid()::text, '-', ''), 1 + :count::bigint, 0)
         ON CONFLICT (owner) DO UPDATE SET next = channel.next + :count::bigint RETURNING next
       ), arrived AS (
         INSERT INTO event_arrivals (owner, first, count)
         SELECT :owner, next - :count, :count FROM channel
       )
       SELECT next - :count AS first FROM channel`,
      { owner, count },
    );
    return { owner, first: Number(row?.first), count };
  }));
}

/** Whether so many events were appended that some before them may be due. */
export function mayBeDue({ first, count }: Appended): boolean {
  return Math.floor(first / REMOVAL_INTERVAL) < Math.floor((first + count) / REMOVAL_INTERVAL);
}

/** Removes the oldest events of an owner that enough others follow. Those just appended stay. */
export async function removeDue(session: Session, { owner, first }: Appended): Promise<void> {
  for (let from = 0;;) {
    // A part does not begin before the one that it follows: it would pass by all that is gone.
    const row = await session.get(
      `WITH part AS MATERIALIZED (
         SELECT min(sequence) AS start, least(min(sequence) + ${MAX_REMOVED}, :first::bigint) AS "end"
         FROM events WHERE owner = :owner::bigint AND sequence >= :from::bigint
           AND sequence < :first::bigint
       ), removed AS (
         DELETE FROM events USING event_channels AS channel, part
         WHERE channel.owner = :owner::bigint AND events.owner = :owner::bigint
           AND sequence >= part.start AND sequence < part.end
           AND (sequence < next - ${MAX_EVENTS} OR events.total <= channel.total - ${MAX_BYTES})
         RETURNING sequence
       )
       SELECT part.end, (SELECT count(*) FROM removed) AS removed FROM part`,
      { owner, first, from },
    );
    if (Number(row?.removed) === 0) return;
    from = Number(row?.end);
  }
}

/** Removes some events that are older than a time. Returns whether there may be more. */
export async function forgetEvents(database: Database, olderMs: number): Promise<boolean> {
  const removed = await database.use("writes", (session) =>
    session.run(
      `DELETE FROM events WHERE (owner, sequence) IN (
         SELECT owner, sequence FROM events
         WHERE created_at < clock_timestamp() - :older * interval '1 millisecond'
         ORDER BY created_at LIMIT ${MAX_REMOVED} FOR UPDATE SKIP LOCKED
       )`,
      { older: olderMs },
    ));
  return removed === MAX_REMOVED;
}
