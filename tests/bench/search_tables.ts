import { IN_SQLITE } from "../support/engines.ts";
import { childrenOf, parentOf } from "../support/processes.ts";
import { openDatabase, type TestDatabase } from "../support/test_database.ts";
import { cpuSeconds, endedCpuSeconds } from "./measures.ts";

/** The tables of the index of searches, whichever engine has them. */
export interface SearchTables extends AsyncDisposable {
  records(): Promise<number>;
  /** Marks of changes that the index does not know yet. */
  marks(): Promise<number>;
  /** The bytes that the index takes, with the facts of directories. */
  bytes(): Promise<number>;
  /** Has changes no longer noted for the index. */
  ignoreChanges(): Promise<void>;
  /** Undoes {@link ignoreChanges}. */
  noteChanges(): Promise<void>;
  /** The CPU time that the processes of the engine itself have taken, in seconds. */
  cpuSeconds(): Promise<number>;
}

/** Opens the tables of a data directory beside its server. */
export async function openSearchTables(dataDir: string): Promise<SearchTables> {
  const database = await openDatabase(dataDir);
  return IN_SQLITE ? await sqliteTables(database) : await postgresTables(database);
}

async function sqliteTables(database: TestDatabase): Promise<SearchTables> {
  const triggers = (await database.all(
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'search%'",
  )).map(({ name, sql }) => ({ name: String(name), sql: String(sql) }));
  return {
    ...counts(database, ["search_marks", "search_added"]),
    bytes: () =>
      number(
        database,
        `SELECT sum(pgsize) AS number FROM dbstat WHERE aggregate = TRUE
         AND (name LIKE 'search%' OR name = 'directory_facts')`,
      ),
    ignoreChanges: () =>
      database.script(triggers.map(({ name }) => `DROP TRIGGER ${name};`).join("\n")),
    noteChanges: () => database.script(triggers.map(({ sql }) => `${sql};`).join("\n")),
    // It works in the process of the server.
    cpuSeconds: () => Promise.resolve(0),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function postgresTables(database: TestDatabase): Promise<SearchTables> {
  const triggers = await database.all(
    `SELECT tgname AS name, tgrelid::regclass::text AS relation FROM pg_trigger
     WHERE tgname LIKE 'search%' AND NOT tgisinternal`,
  );
  const alter = (verb: "DISABLE" | "ENABLE") =>
    database.script(
      triggers.map(({ name, relation }) => `ALTER TABLE ${relation} ${verb} TRIGGER ${name};`)
        .join("\n"),
    );
  const main = await parentOf(await number(database, "SELECT pg_backend_pid() AS number"));
  return {
    ...counts(database, ["search_marks", "search_batches"]),
    bytes: () =>
      number(
        database,
        `SELECT sum(pg_total_relation_size(oid)) AS number FROM pg_class
         WHERE relkind = 'r' AND (relname LIKE 'search%' OR relname = 'directory_facts')`,
      ),
    ignoreChanges: () => alter("DISABLE"),
    noteChanges: () => alter("ENABLE"),
    async cpuSeconds() {
      let seconds = await endedCpuSeconds(main);
      for (const pid of [main, ...(await childrenOf(main)).keys()]) {
        // One that ends meanwhile counts with those that have ended the next time.
        seconds += await cpuSeconds(pid).catch(() => 0);
      }
      return seconds;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

function counts(database: TestDatabase, marks: readonly string[]) {
  const all = marks.map((table) => `(SELECT count(*) FROM ${table})`).join(" + ");
  return {
    records: () => number(database, "SELECT count(*) AS number FROM records"),
    marks: () => number(database, `SELECT ${all} AS number`),
  };
}

async function number(database: TestDatabase, sql: string): Promise<number> {
  return Number((await database.get(sql))?.number);
}
