import * as assert from "node:assert/strict";
import { databaseAddress, databaseOf } from "../../../schemas/database_url.ts";
import { Database } from "../../../storage/postgres/database.ts";
import { Authority } from "../../support/certificates.ts";
import { ChildServer } from "../../support/child_server.ts";
import { freePort } from "../../support/ports.ts";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { withContents } from "../../support/referenced_contents.ts";
import { seed } from "../../support/seed.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { hasProgram } from "../../support/tools.ts";
import { until } from "../../support/until.ts";

const ignore = !Postgres.isInstalled;
const ROLES = ["first", "second"];

/** Asks for a certificate of clients whose connections are encrypted. */
async function requireCertificates(database: Database): Promise<void> {
  await database.use("writes", async (session) => {
    const file = (await session.get("SHOW hba_file"))?.hba_file;
    await session.script(`COPY (VALUES ('hostssl all all all trust clientcert=verify-ca'),
      ('hostnossl all all all trust')) TO '${file}'`);
    await session.script("SELECT pg_reload_conf()");
  });
}

Deno.test({
  name: "C 31 of several hosts, the one that accepts writes is used, also after another takes over",
  ignore,
}, async () => {
  await using primary = await Postgres.start();
  const url = await primary.createDatabase();
  // What starts as a copy of tables has them at once.
  await using _migrated = await Database.open(databaseAddress(url));
  await using standby = await primary.startStandby();
  const hosts = [freePort(), standby.port, primary.port].map((port) => `127.0.0.1:${port}`);
  const several = url.replace(`127.0.0.1:${primary.port}`, hosts.join());
  await using store = await openPostgresStore(`${several}?target_session_attrs=read-write`);
  await seed(withContents(store), ["before/"]);
  await using beside = await Database.open(
    databaseAddress(url.replace(`:${primary.port}/`, `:${standby.port}/`)),
    { keepsSchema: true, readOnly: true },
  );
  await until(async () =>
    (await beside.get("SELECT path FROM records WHERE path = 'before'"))?.path === "before"
  );
  await primary.kill();
  await beside.get("SELECT pg_promote()");
  await until(() =>
    seed(withContents(store), ["after/"]).then(() => true, (error) => {
      assert.match(String(error), /Cannot use the database/);
      return false;
    })
  );
  const found = await store.findByPath({ userId: 1, everyone: false }, ["before", "after"]);
  assert.equal(found.size, 2);
});

Deno.test({
  name: "C 31 user and password are read again from their file for each connection",
  ignore,
}, async () => {
  await using engine = await Postgres.start();
  const url = await engine.createEmptyDatabase();
  await using admin = await Database.open(databaseAddress(await engine.createEmptyDatabase()));
  await admin.use("writes", (session) =>
    session.script(`
      CREATE ROLE holder;
      ${
      ROLES.map((it) =>
        `CREATE ROLE ${it} LOGIN IN ROLE holder; ALTER ROLE ${it} SET role = holder`
      ).join(";")
    };
    `));
  const name = new URL(url).pathname.slice(1);
  // Whoever owns the database may make tables in it.
  await admin.use("writes", (session) => session.script(`ALTER DATABASE ${name} OWNER TO holder`));
  await using directory = await TempDir.make();
  // As Kubernetes has secrets in a directory, and replaces them.
  const write = async (role: string) => {
    await Deno.mkdir(`${directory.path}/..${role}`);
    await Deno.writeTextFile(
      `${directory.path}/..${role}/url`,
      `${url.replace("postgres:secret@", `${role}:secret@`)}\n`,
    );
    await Deno.symlink(`..${role}`, `${directory.path}/..data_new`);
    await Deno.rename(`${directory.path}/..data_new`, `${directory.path}/..data`);
  };
  await write("first");
  const urlFile = `${directory.path}/url`;
  await Deno.symlink("..data/url", urlFile);
  await using data = await TempDir.make();
  await using server = await ChildServer.start({
    dataDir: data.path,
    env: { STRONGROOM_DATABASE_URL_FILE: urlFile },
  });
  const client = await server.as(1);
  const rolesOfConnections = async () => {
    const rows = await admin.all(
      "SELECT DISTINCT usename AS role FROM pg_stat_activity WHERE usename = ANY (:roles::text[])",
      { roles: ROLES },
    );
    return rows.map(({ role }) => role);
  };
  assert.equal((await client.put("a", "1")).status, 201);
  assert.deepEqual(await rolesOfConnections(), ["first"]);
  await write("second");
  // What is open stays as it is, until it breaks.
  assert.equal((await client.put("b", "2")).status, 201);
  await admin.get(
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'first'",
  );
  await until(async () => (await client.put("c", "3")).status === 201);
  assert.deepEqual(await rolesOfConnections(), ["second"]);
});

Deno.test({
  name: "C 31 a certificate names the server to the database, and is read again",
  ignore: ignore || !await hasProgram("openssl", "version"),
}, async () => {
  await using authority = await Authority.make();
  await using other = await Authority.make();
  await using engine = await Postgres.start({
    certificate: await authority.issue("IP:127.0.0.1"),
    settings: { ssl_ca_file: `'${authority.certificate}'` },
  });
  const url = await engine.createEmptyDatabase();
  await using admin = await Database.open(databaseAddress(url));
  await requireCertificates(admin);
  const known = await authority.issue("DNS:client");
  const unknown = await other.issue("DNS:client");
  await using directory = await TempDir.make();
  const files = { certificate: `${directory.path}/tls.crt`, key: `${directory.path}/tls.key` };
  const use = async (from: typeof known) => {
    await Deno.copyFile(from.certificate, files.certificate);
    await Deno.copyFile(from.key, files.key);
  };
  const query = new URLSearchParams({
    sslrootcert: authority.certificate,
    sslcert: files.certificate,
    sslkey: files.key,
  });
  const address = databaseOf({ databaseUrl: `${url}?${query}` });
  assert.ok(address);
  await use(unknown);
  await assert.rejects(Database.open(address), /certificate|alert|cannot be reached/);
  await use(known);
  await using database = await Database.open(address, { connections: 1 });
  await database.get("SELECT 1");
  // What is open stays as it is, until it breaks.
  await use(unknown);
  assert.equal((await database.get("SELECT 1 AS one"))?.one, 1);
  await admin.get(
    `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
     WHERE pid <> pg_backend_pid() AND pid IN (SELECT pid FROM pg_stat_ssl WHERE client_dn <> '')`,
  );
  await until(() => database.get("SELECT 1 AS one").then(() => false, () => true));
  await use(known);
  await until(() => database.get("SELECT 1 AS one").then(() => true, () => false));
});
