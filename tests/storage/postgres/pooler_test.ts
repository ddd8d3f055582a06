import * as assert from "node:assert/strict";
import { databaseAddress, databaseOf } from "../../../schemas/database_url.ts";
import { Database } from "../../../storage/postgres/database.ts";
import { ROOT } from "../../support/child_server.ts";
import { PgBouncer } from "../../support/pgbouncer.ts";
import { Postgres } from "../../support/postgres.ts";

const isInstalled = Postgres.isInstalled && PgBouncer.isInstalled;

/** Settings of a role with which no statement of ours would do what it says. */
const FOREIGN = {
  bytea_output: "'escape'",
  array_nulls: "off",
  search_path: "foreign_schema, pg_catalog",
  lock_timeout: "'1ms'",
  default_transaction_isolation: "'serializable'",
  default_transaction_read_only: "on",
  standard_conforming_strings: "off",
  synchronous_commit: "off",
  statement_timeout: "'3s'",
};

/** Gives the user of the tests settings that are not those of the statements. */
async function makeForeign(url: string): Promise<void> {
  await using database = await Database.open(databaseAddress(url), { connections: 1 });
  await database.use("writes", async (session) => {
    await session.script("CREATE SCHEMA foreign_schema");
    await session.script("CREATE TABLE foreign_schema.records (id integer)");
    for (const [name, value] of Object.entries(FOREIGN)) {
      const { pathname } = new URL(url);
      await session.script(
        `ALTER ROLE postgres IN DATABASE ${pathname.slice(1)} SET ${name} = ${value}`,
      );
    }
  });
}

async function checkSettings(database: Database): Promise<void> {
  const bytes = crypto.getRandomValues(new Uint8Array(1000));
  const settings = Object.keys(FOREIGN);
  const [row = []] = await database.values(
    `SELECT :bytes::bytea, (:list::text[])[2] IS NULL, 'a\\b', (SELECT count(*) FROM records),
       ${settings.map((name) => `current_setting('${name}')`).join(", ")}`,
    { bytes, list: ["a", null] },
  );
  assert.deepEqual(row.slice(0, 4), [bytes, true, "a\\b", 0]);
  assert.deepEqual(Object.fromEntries(settings.map((name, index) => [name, row[index + 4]])), {
    bytea_output: "hex",
    array_nulls: "on",
    search_path: '"$user",public',
    lock_timeout: "0",
    default_transaction_isolation: "read committed",
    default_transaction_read_only: "off",
    standard_conforming_strings: "on",
    synchronous_commit: "on",
    statement_timeout: "30s",
  });
  await database.use("writes", async (session) => {
    await session.begin();
    const unhurried = await session.get("SELECT current_setting('transaction_isolation') AS it");
    assert.equal(unhurried?.it, "read committed");
    await session.run("CREATE TABLE made (id integer)");
    await session.rollback();
    await session.run("SELECT 1");
  });
}

Deno.test({ name: "C 31 settings of connections", ignore: !isInstalled }, async (t) => {
  await using engine = await Postgres.start();
  await using pooler = await PgBouncer.start(engine);

  await t.step("what statements rely on is enforced on each connection", async () => {
    const url = await engine.createDatabase();
    await makeForeign(url);
    await using database = await Database.open(databaseAddress(url));
    await checkSettings(database);
  });

  await t.step("and on each transaction over a pooler", async () => {
    const url = await engine.createDatabase();
    await makeForeign(url);
    const address = databaseOf({ databaseUrl: pooler.urlOf(url), databaseDirectUrl: url });
    assert.ok(address);
    await using database = await Database.open(address);
    await checkSettings(database);
  });

  await t.step("tables in a schema that connections do not see are not made again", async () => {
    const url = await engine.createDatabase();
    {
      await using database = await Database.open(databaseAddress(url), { connections: 1 });
      await database.use("writes", async (session) => {
        await session.script("ALTER SCHEMA public RENAME TO ours");
        await session.script("CREATE SCHEMA public");
      });
    }
    await assert.rejects(Database.open(databaseAddress(url)), /in the schema "ours".*RENAME/);
  });
});

Deno.test({ name: "C 31 a database behind a pooler", ignore: !isInstalled }, async (t) => {
  await using engine = await Postgres.start();
  const url = await engine.createDatabase();

  await t.step("is refused without a way past it", async () => {
    for (const ignored of ["extra_float_digits", "options,replication"]) {
      await using pooler = await PgBouncer.start(engine, {
        settings: { ignore_startup_parameters: ignored },
      });
      const refusal = /name the database itself in STRONGROOM_DATABASE_DIRECT_URL/;
      await assert.rejects(Database.open(databaseAddress(pooler.urlOf(url))), refusal);
      const both = { databaseUrl: pooler.urlOf(url), databaseDirectUrl: pooler.urlOf(url) };
      const address = databaseOf(both);
      assert.ok(address);
      await assert.rejects(Database.open(address), refusal);
    }
  });

  await t.step(
    "a statement that fails fails with its own reason, and spares the next",
    async () => {
      await using pooler = await PgBouncer.start(engine, { connections: 1 });
      const address = databaseOf({ databaseUrl: pooler.urlOf(url), databaseDirectUrl: url });
      assert.ok(address);
      await using database = await Database.open(address);
      await assert.rejects(database.values("SELECT 1 / 0"), /division by zero/);
      // More clients than connections, at once.
      const numbers = Array.from({ length: 20 }, (_, index) => index);
      const found = await Promise.all(
        numbers.map((number) => database.values("SELECT :number::bigint", { number })),
      );
      assert.deepEqual(found.flat(2), numbers);
    },
  );

  await t.step("a standby behind it is not read", async () => {
    await using standby = await engine.startStandby();
    await using pooler = await PgBouncer.start(standby);
    const address = databaseOf({ databaseUrl: pooler.urlOf(url), databaseDirectUrl: url });
    assert.ok(address);
    await assert.rejects(Database.open(address), /the database server is a standby/);
  });
});

Deno.test("C 31 transactions begin in a way that a pooler can carry", async () => {
  const names = ["storage/postgres", "storage/upkeep/migrate", "storage/upkeep/check"];
  for (const name of names) {
    for await (const { name: file } of Deno.readDir(`${ROOT}${name}`)) {
      if (!file.endsWith(".ts") || file.startsWith("sqlite")) continue;
      const text = await Deno.readTextFile(`${ROOT}${name}/${file}`);
      assert.doesNotMatch(text, /script\("(?:BEGIN|COMMIT|ROLLBACK)/, `${name}/${file}`);
    }
  }
});
