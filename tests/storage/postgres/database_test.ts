import * as assert from "node:assert/strict";
import { databaseAddress, databaseUrl } from "../../../schemas/database_url.ts";
import { Database } from "../../../storage/postgres/database.ts";
import { Postgres } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";

const MIGRATIONS = new URL("../../../storage/postgres/migrations", import.meta.url);
const VERSION = [...Deno.readDirSync(MIGRATIONS)].length;

Deno.test({ name: "a database", ignore: !Postgres.isInstalled }, async (t) => {
  await using engine = await Postgres.start();
  const url = await engine.createEmptyDatabase();
  const open = (options = {}) => Database.open(databaseAddress(url), options);

  await t.step("C 23 several servers that start at once migrate it once", async () => {
    const databases = await Promise.all([1, 2, 3, 4].map(() => open()));
    for (const database of databases) await database[Symbol.asyncDispose]();
    await using database = await open();
    const rows = await database.all("SELECT version FROM schema_version");
    assert.deepEqual(rows, [{ version: VERSION }]);
  });
  await t.step("C 23 indexes have texts in the order of their bytes", async () => {
    await using database = await open();
    const others = await database.values(
      `SELECT indexrelid::regclass::text FROM pg_index
       JOIN pg_class ON pg_class.oid = indexrelid
       CROSS JOIN unnest(indcollation::oid[]) AS ordered (by)
       WHERE relnamespace = 'public'::regnamespace AND by NOT IN (0, '"C"'::regcollation)
       ORDER BY 1`,
    );
    assert.deepEqual(others.flat(), []);
  });
  await t.step("C 23 a schema that is newer than the program is refused", async () => {
    await using database = await open();
    await database.use(
      "writes",
      (session) => session.run("UPDATE schema_version SET version = 99"),
    );
    const refusal = {
      message: `The database has schema version 99; this program supports up to ${VERSION}`,
    };
    await assert.rejects(open(), refusal);
    await database.use(
      "writes",
      (session) => session.run("UPDATE schema_version SET version = :VERSION", { VERSION }),
    );
  });
  await t.step("values of all types come back as they went", async () => {
    await using database = await open();
    const bytes = crypto.getRandomValues(new Uint8Array(1000));
    const text = "ä'\"\\ %s $1 :a \u{1f600}";
    const [row] = await database.values(
      `SELECT :number::bigint, :text::text, :yes::boolean, :bytes::bytea, :nothing::text,
         :list::text[] = ARRAY['a"', 'b,{}'], (:ids::bigint[])[2], sum(n), 1.5::float8
       FROM generate_series(1, 3) AS n`,
      {
        number: Number.MAX_SAFE_INTEGER,
        text,
        yes: true,
        bytes,
        nothing: null,
        list: ['a"', "b,{}"],
        ids: [1, 2],
      },
    );
    assert.deepEqual(row, [Number.MAX_SAFE_INTEGER, text, true, bytes, null, true, 2, 6, 1.5]);
  });
  await t.step("C 23 a server whose connections are all in use says so", async () => {
    await using database = await open({ connections: 1, connectMs: 1000 });
    const refusal = { kind: "ErrUnavailable", message: /all connections are in use/ };
    await database.use("reads", () =>
      Promise.all([
        assert.rejects(database.get("SELECT 1"), refusal),
        assert.rejects(database.use("reads", () => Promise.resolve()), refusal),
      ]));
    assert.deepEqual(await database.values("SELECT 1"), [[1]]);
  });
  await t.step("C 23 connections give the password of the URL", async () => {
    await using database = await open();
    await database.use("writes", async (session) => {
      await session.script("CREATE ROLE guarded LOGIN PASSWORD 'pass:word'");
      const file = String((await session.get("SHOW hba_file"))?.hba_file);
      // Only this user needs a password.
      await session.script(`COPY (VALUES ('host all guarded all scram-sha-256'),
        ('host all all all trust')) TO '${file}'`);
      await session.script("SELECT pg_reload_conf()");
    });
    const { host, pathname } = new URL(url);
    const as = (password: string) =>
      Database.open(databaseAddress(`postgres://guarded:${password}@${host}${pathname}`));
    // The new role may connect, but not create tables.
    await until(() => as("wrong").then(() => false, (error) => /password/.test(String(error))));
    await assert.rejects(as("pass%3Aword"), /permission denied/);
  });
  await t.step("the URL of an address leads to the same address", () => {
    for (
      const text of [
        "postgres://a%20b:p%3A%40@[::1]:5433/d%2Fe?sslmode=require",
        "postgres://u@db.example.com/x",
        "postgres://u@localhost/x?sslrootcert=%2Fa%20b%26c",
        "postgres://u:p@one:1,[::2],three:3/x?sslcert=%2Fc&sslkey=%2Fk",
      ]
    ) {
      const address = databaseAddress(text);
      assert.deepEqual(databaseAddress(databaseUrl(address)), address);
    }
  });
});
