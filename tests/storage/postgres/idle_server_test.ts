import * as assert from "node:assert/strict";
import { ChildServer } from "../../support/child_server.ts";
import { Postgres } from "../../support/postgres.ts";
import { RoundTrips } from "../../support/round_trips.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const startedPostgres = sharedPostgres();

/** A server renews its lease every 5 s, so these are one a second. */
const TRIPS_A_RENEWAL = 5;
const RENEWALS = 3;
const RENEWAL = /^UPDATE servers SET renewed_at/;

Deno.test({
  name: "C 31 a server to which nothing happens waits for the engine once a second at most",
  ignore: !Postgres.isInstalled,
}, async () => {
  const engine = startedPostgres();
  const url = await engine.createDatabase();
  await using proxy = new RoundTrips(engine.port);
  await using data = await TempDir.make();
  const databaseUrl = url.replace(`:${engine.port}/`, `:${proxy.port}/`);
  // Those of tests ask more often.
  await using _server = await ChildServer.start({
    dataDir: data.path,
    env: { STRONGROOM_DATABASE_URL: databaseUrl },
  });
  const taken: string[][] = [];
  let renewals = 0;
  const renewed = async () => {
    const before = renewals;
    await until(() => {
      for (const trip of proxy.take()) {
        taken.push([...trip]);
        if (trip.some((sql) => RENEWAL.test(sql))) renewals++;
      }
      return renewals > before;
    });
  };
  // What a start does is done when it has renewed its lease.
  await renewed();
  taken.length = 0;
  for (let count = 0; count < RENEWALS; count++) await renewed();
  assert.ok(
    taken.length <= RENEWALS * TRIPS_A_RENEWAL,
    `${taken.length} round trips:\n${taken.map((trip) => trip.join(" | ")).join("\n")}`,
  );
});
