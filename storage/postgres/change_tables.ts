import type { RecordEffect, RecordPage } from "../tables/record_pages.ts";
import type { Session, SqlRow, SqlValue } from "./session.ts";

/** What a change of subtrees did to records, in order. */
export const EFFECTS = "pg_temp.change_effects";
/** One row for each record that is moved or copied. */
export const PLAN = "pg_temp.transfer_plan";
/** The records that the sources of a move before have moved: those after may move them again, or remove them. */
export const MOVED = "pg_temp.moved_records";

/** The columns of {@link EFFECTS} that have the record, in the order of `RECORD_COLUMNS`. */
export const EFFECT_COLUMNS =
  "id, user_id, path, name, hash, size, crc32, is_dir, created_at, updated_at";

/** Each connection makes them once. They are empty at the start of a transaction. */
const SCHEMA = `
  CREATE TEMP TABLE IF NOT EXISTS change_effects (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    effect text NOT NULL,
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    path text COLLATE "C" NOT NULL, -- of a record that is gone, before the change
    name text COLLATE "C" NOT NULL,
    hash text NOT NULL,
    size bigint NOT NULL,
    crc32 bigint NOT NULL,
    is_dir integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
  ) ON COMMIT DELETE ROWS;
  CREATE TEMP TABLE IF NOT EXISTS transfer_plan (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- by source, then by path
    id bigint NOT NULL,
    source_path text COLLATE "C" NOT NULL,
    source_name text COLLATE "C" NOT NULL,
    target_path text COLLATE "C" NOT NULL,
    target_parent text COLLATE "C",
    target_name text COLLATE "C" NOT NULL,
    is_root boolean NOT NULL, -- whether it is a source, and not below one
    is_dir boolean NOT NULL,
    hash text COLLATE "C",
    size bigint NOT NULL,
    crc32 bigint NOT NULL,
    created_at bigint NOT NULL,
    conflicts_with bigint, -- id of the record at the target path
    problem text -- why the record cannot have its target path
  ) ON COMMIT DELETE ROWS;
  CREATE INDEX IF NOT EXISTS transfer_plan_conflicts ON pg_temp.transfer_plan (conflicts_with)
    WHERE conflicts_with IS NOT NULL;
  CREATE INDEX IF NOT EXISTS transfer_plan_problems ON pg_temp.transfer_plan (position)
    WHERE problem IS NOT NULL;
  CREATE TEMP TABLE IF NOT EXISTS moved_records (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id bigint NOT NULL UNIQUE,
    source_path text COLLATE "C" NOT NULL, -- before the first source
    source_name text COLLATE "C" NOT NULL
  ) ON COMMIT DELETE ROWS;
  DELETE FROM pg_temp.change_effects;
  DELETE FROM pg_temp.transfer_plan;
  DELETE FROM pg_temp.moved_records;
  -- A change of many records may take as long as it needs.
  SET LOCAL statement_timeout = 0;
  -- The engine does not know how few rows these tables have, and would read all records for them.
  SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off;
  SET LOCAL enable_seqscan = off;
  -- See migrations/0016_planned_changes.sql.
  SET LOCAL strongroom.planned = on`;

/** Makes and empties the tables of a change, in the current transaction. */
export async function makeTables(session: Session): Promise<void> {
  await session.script(SCHEMA);
}

/** Ends a change: what the transaction does next is none of subtrees. */
export async function endChange(session: Session): Promise<void> {
  await session.script("SET LOCAL strongroom.planned = off");
}

/** Rows of {@link EFFECTS} that are read at once, and how many of them a page has, at most. */
const MAX_ROWS = 2000;
const MAX_PAGE_ROWS = 250;

/**
 * What {@link EFFECTS} has, in order. The engine makes the pages: they pass through this thread as they are.
 * While some are taken, those after them are on their way.
 */
export async function* effectPages(session: Session): AsyncGenerator<RecordPage> {
  let next: Promise<SqlRow[]> | undefined = readPages(session, null);
  while (next !== undefined) {
    const rows: SqlRow[] = await next;
    const after = Number(rows[0]?.first) + MAX_ROWS;
    next = after <= Number(rows[0]?.last) ? readPages(session, after) : undefined;
    // Whoever takes no more has failed already.
    next?.catch(() => {});
    yield* rows.map(toPage);
  }
}

function readPages(session: Session, after: number | null): Promise<SqlRow[]> {
  return session.all(
    `WITH bounds AS MATERIALIZED (
       SELECT coalesce(:first::bigint, min(position)) AS first, max(position) AS last
       FROM ${EFFECTS}
     ), part AS MATERIALIZED (
       SELECT position, effect, user_id, json_build_array(${EFFECT_COLUMNS})::text AS json
       FROM ${EFFECTS} WHERE position >= (SELECT first FROM bounds)
         AND position < (SELECT first FROM bounds) + ${MAX_ROWS}
     ), runs AS (
       SELECT *, position / ${MAX_PAGE_ROWS} AS page,
         position - row_number() OVER (PARTITION BY effect, user_id ORDER BY position) AS run
       FROM part
     )
     SELECT effect, user_id, count(*) AS count,
       '[' || string_agg(json, ',' ORDER BY position) || ']' AS json,
       (SELECT first FROM bounds) AS first, (SELECT last FROM bounds) AS last
     FROM runs GROUP BY effect, user_id, run, page ORDER BY min(position)`,
    { first: after },
  );
}

const encoder = new TextEncoder();

function toPage({ effect, user_id, count, json }: SqlRow): RecordPage {
  return {
    effect: effectOf(effect),
    userId: Number(user_id),
    count: Number(count),
    json: encoder.encode(String(json)),
  };
}

const RECORD_EFFECTS = ["added", "updated", "overwritten", "merged", "deleted"] as const;

function effectOf(value: SqlValue | undefined): RecordEffect {
  const effect = RECORD_EFFECTS.find((known) => known === value);
  if (effect === undefined) throw new Error(`Unknown effect ${value}`);
  return effect;
}
