import type { EffectRows, RecordEffect } from "../tables/record_pages.ts";
import type { Session, SqlValue } from "./session.ts";

/** What a change of subtrees did to records, in order. */
export const EFFECTS = "pg_temp.change_effects";
/** One row for each record that is moved or copied. */
export const PLAN = "pg_temp.transfer_plan";
/** The records that the sources of a move before have moved: those after may move them again, or remove them. */
export const MOVED = "pg_temp.moved_records";

/** The columns of {@link EFFECTS} that have the record, in the order of `RECORD_COLUMNS`. */
export const EFFECT_COLUMNS =
  "id, user_id, path, name, hash, size, crc32, is_dir, created_at, updated_at";

/** The number of those. */
const RECORD_VALUES = 10;

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
    conflicts_with bigint, -- id of the record at the target path
    conflict_is_dir boolean
  ) ON COMMIT DELETE ROWS;
  CREATE INDEX IF NOT EXISTS transfer_plan_conflicts ON pg_temp.transfer_plan (conflicts_with)
    WHERE conflicts_with IS NOT NULL;
  CREATE TEMP TABLE IF NOT EXISTS moved_records (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id bigint NOT NULL UNIQUE,
    source_path text COLLATE "C" NOT NULL, -- before the first source
    source_name text COLLATE "C" NOT NULL
  ) ON COMMIT DELETE ROWS;
  DELETE FROM pg_temp.change_effects;
  DELETE FROM pg_temp.moved_records;
  -- A change of many records may take as long as it needs.
  SET LOCAL statement_timeout = 0;
  -- The engine does not know how few rows these tables have, and would read all records for them.
  SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off;
  SET LOCAL enable_seqscan = off`;

/** Makes and empties the tables of a change, in the current transaction. */
export async function makeTables(session: Session): Promise<void> {
  await session.script(SCHEMA);
}

/** Rows of {@link EFFECTS} after a position, and the position of the last of them; 0 without any. */
export async function effectsAfter(
  session: Session,
  after: number,
  limit: number,
): Promise<{ readonly effects: readonly EffectRows[]; readonly last: number }> {
  const rows = await session.values(
    `SELECT ${EFFECT_COLUMNS}, effect, position FROM ${EFFECTS}
     WHERE position > :after::bigint ORDER BY position LIMIT :limit::bigint`,
    { after, limit },
  );
  const effects: { effect: RecordEffect; rows: SqlValue[][] }[] = [];
  for (const row of rows) {
    const effect = effectOf(row[RECORD_VALUES]);
    const values = row.slice(0, RECORD_VALUES);
    const current = effects.at(-1);
    if (current?.effect === effect) current.rows.push(values);
    else effects.push({ effect, rows: [values] });
  }
  return { effects, last: Number(rows.at(-1)?.at(-1) ?? 0) };
}

const RECORD_EFFECTS = ["added", "updated", "overwritten", "merged", "deleted"] as const;

function effectOf(value: SqlValue | undefined): RecordEffect {
  const effect = RECORD_EFFECTS.find((known) => known === value);
  if (effect === undefined) throw new Error(`Unknown effect ${value}`);
  return effect;
}
