import type { Database } from "../../../storage/postgres/database.ts";
import type { Session } from "../../../storage/postgres/session.ts";
import { cpuSeconds } from "../measures.ts";

/** The table whose records move: one like that of records, without triggers, checks and foreign keys. */
const TABLE = "floor_records";
/** Where they go, as a large change plans it. */
const PLAN = "floor_plan";

/** Plans of the engine as a large change asks for them. */
const SETTINGS = "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_seqscan = off";
const MOVE = `UPDATE ${TABLE} AS records
  SET path = plan.path, parent = plan.parent, updated_at = 2, since = 2
  FROM ${PLAN} AS plan WHERE plan.id = records.id`;

/** Prints how long the processor works for one record of an UPDATE that moves them, by the indexes of their table. */
export async function printFloor(database: Database, size: number): Promise<void> {
  await database.use("long", async (session) => {
    const rows = await session.all(
      "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'records' ORDER BY indexname",
    );
    const indexes = rows.map(({ indexname, indexdef }) => ({
      name: String(indexname),
      sql: String(indexdef).replace(/ INDEX \S+ ON \S+ /, ` INDEX ON ${TABLE} `),
    }));
    const id = indexes.filter(({ name }) => name === "records_pkey");
    const others = indexes.filter(({ name }) => name !== "records_pkey");
    await plan(session, size);
    const variants = [
      { name: "records and their ids", with: id },
      ...others.map((index) => ({ name: `with ${index.name}`, with: [...id, index] })),
      ...others.map((index) => ({
        name: `all but ${index.name}`,
        with: indexes.filter((other) => other !== index),
      })),
      { name: "all indexes", with: indexes },
      { name: "all indexes, and checks", with: indexes, checks: true },
    ];
    for (const variant of variants) {
      await fill(session, variant.checks === true, variant.with.map(({ sql }) => sql));
      const { seconds, bytes } = await measure(session);
      const perRecord = (seconds * 1e6) / size;
      console.log(
        `${variant.name}: ${perRecord.toFixed(1)} µs a record, ` +
          `${Math.round(bytes / size)} bytes of log`,
      );
    }
    await session.script(`DROP TABLE ${TABLE}, ${PLAN}`);
  });
}

/** Plans where the records go, in the order of their paths. */
async function plan(session: Session, size: number): Promise<void> {
  await session.script(
    `${SETTINGS};
     CREATE UNLOGGED TABLE ${PLAN} AS
     SELECT id, 'moved/' || name AS path, 'moved' || directory AS parent,
       'models/team/model' || directory AS former, file
     FROM (
       SELECT number AS id, '/directory' || lpad((number / 100)::text, 6, '0') AS directory,
         'directory' || lpad((number / 100)::text, 6, '0') || '/' || file AS name, file
       FROM (
         SELECT number, 'model-file-' || lpad(number::text, 8, '0') || '.safetensors' AS file
         FROM generate_series(1, ${size}) AS number
       ) AS numbered
     ) AS named;
     ANALYZE ${PLAN}`,
  );
}

async function fill(session: Session, checks: boolean, indexes: readonly string[]): Promise<void> {
  const like = `LIKE records INCLUDING DEFAULTS${checks ? " INCLUDING CONSTRAINTS" : ""}`;
  await session.script(
    `DROP TABLE IF EXISTS ${TABLE};
     CREATE TABLE ${TABLE} (${like});
     INSERT INTO ${TABLE}
       (id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, since)
     SELECT id, 1, former || '/' || file, former, file, md5(id::text), 1, 1, FALSE, 1, 1, 1
     FROM ${PLAN};
     ${indexes.map((sql) => `${sql};`).join("\n")}
     ANALYZE ${TABLE}; CHECKPOINT`,
  );
}

/** What one process of the engine works for the move, and what it writes to the log. */
async function measure(
  session: Session,
): Promise<{ readonly seconds: number; readonly bytes: number }> {
  const place = async () => {
    const row = await session.get(
      "SELECT pg_backend_pid() AS pid, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bytes",
    );
    return { seconds: await cpuSeconds(Number(row?.pid)), bytes: Number(row?.bytes) };
  };
  const before = await place();
  await session.run(MOVE);
  const after = await place();
  return { seconds: after.seconds - before.seconds, bytes: after.bytes - before.bytes };
}
