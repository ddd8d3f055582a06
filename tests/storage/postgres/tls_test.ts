import * as assert from "node:assert/strict";
import { databaseAddress } from "../../../schemas/database_url.ts";
import { Database } from "../../../storage/postgres/database.ts";
import { Authority } from "../../support/certificates.ts";
import { ChildServer, strongroom } from "../../support/child_server.ts";
import { S3_CREDENTIALS, S3Engine } from "../../support/s3.ts";
import { Postgres } from "../../support/postgres.ts";
import { USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { hasProgram } from "../../support/tools.ts";

const ignore = !Postgres.isInstalled || !await hasProgram("openssl", "version");

Deno.test({ name: "TLS to PostgreSQL", ignore }, async (t) => {
  await using authority = await Authority.make();
  await using other = await Authority.make();
  await using engine = await Postgres.start({
    certificate: await authority.issue("IP:127.0.0.1"),
  });
  const url = await engine.createDatabase();
  /** Whether a connection is encrypted. */
  const connect = async (query: string) => {
    await using database = await Database.open(databaseAddress(`${url}?${query}`));
    const sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    return (await database.get(sql))?.ssl;
  };
  const root = (path: string) => `sslrootcert=${encodeURIComponent(path)}`;

  await t.step("C 23 a certificate of the named authority is accepted", async () => {
    assert.equal(await connect(`sslmode=verify-full&${root(authority.certificate)}`), true);
    assert.equal(await connect(root(authority.certificate)), true);
    assert.equal(await connect("sslmode=require"), true);
    assert.equal(await connect("sslmode=disable"), false);
  });
  await t.step("C 23 a certificate of another authority is refused", async () => {
    for (const query of ["sslmode=verify-full", root(other.certificate)]) {
      await assert.rejects(connect(query), /cannot be reached .*verify.* certificate/);
    }
  });
  await t.step("C 23 a certificate for another host is refused", async () => {
    await using elsewhere = await Postgres.start({
      certificate: await authority.issue("DNS:db.example"),
    });
    const address = databaseAddress(
      `${await elsewhere.createDatabase()}?${root(authority.certificate)}`,
    );
    await assert.rejects(Database.open(address), /does not match certificate/);
  });
  await t.step("C 23 a file of authorities that cannot be read is named", async () => {
    await assert.rejects(connect(root("/missing.pem")), /sslrootcert "\/missing.pem"/);
  });
  await t.step("C 23 a file of authorities that would be ignored is refused", async () => {
    for (const mode of ["require", "disable"]) {
      const query = `sslmode=${mode}&${root(authority.certificate)}`;
      await assert.rejects(connect(query), /sslrootcert needs sslmode=verify-full/);
    }
  });
  await t.step("C 23 servers and commands may read the file of authorities", async () => {
    await using directory = await TempDir.make();
    const databaseUrl = `${url}?sslmode=verify-full&${root(authority.certificate)}`;
    const env = { STRONGROOM_DATA_DIR: directory.path, STRONGROOM_DATABASE_URL: databaseUrl };
    await using server = await ChildServer.start({ dataDir: directory.path, env });
    const one = await server.as(1, [...USER_PRIVILEGES, "scans.run"]);
    assert.equal((await one.upload("d", { file: "text" })).status, 200);
    // Another thread makes reports, with connections of its own.
    const scanned = await one.json("POST", "/scans/?wait=60", { path: "d" });
    assert.match(scanned.text, /"status":"completed"/);
    for (const command of ["check", "token list"]) {
      const { code, stderr } = await strongroom(command.split(" "), env);
      assert.deepEqual([code, stderr], [0, ""], command);
    }
  });
  await t.step("C 31 SSL_CERT_FILE names authorities for both engines", async () => {
    const certificate = await authority.issue("IP:127.0.0.1");
    await using store = S3Engine.isInstalled ? await S3Engine.start(certificate) : undefined;
    const start = async (variables: Record<string, string>) => {
      await using directory = await TempDir.make();
      await using _server = await ChildServer.start({
        dataDir: directory.path,
        env: {
          STRONGROOM_DATABASE_URL: `${await engine.createDatabase()}?sslmode=verify-full`,
          ...store && {
            STRONGROOM_CONTENT_URL: store.contentUrl(),
            STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
            STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
          },
          ...variables,
        },
      });
    };
    await start({ SSL_CERT_FILE: authority.certificate });
    await assert.rejects(start({ SSL_CERT_FILE: other.certificate }), /verify.* certificate/);
  });
});
