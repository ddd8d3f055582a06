import * as assert from "node:assert/strict";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { S3Engine } from "../../support/s3.ts";
import { countTrips, type TripCount } from "../../support/trip_counts.ts";

const startedPostgres = sharedPostgres();

/** How often a request may wait for the engine, at most. Content in files is announced, too. */
const BOUNDS = {
  "PUT of 1 KB": 3,
  "PUT of 300 KB": 5,
  "GET of 1 KB": 1,
  "GET of 300 KB": 1,
  "list of a directory": 2,
  "move of a file": 4,
  "copy of a file": 4,
  "page of a hub tree, after a change elsewhere": 3,
  "file of the hub, after a change elsewhere": 5,
  "deletion of a file": 3,
};

function requireWithin(
  counts: readonly TripCount[],
  bounds: Readonly<Record<string, number>>,
): void {
  const over = counts.filter(({ request, trips }) => trips > (bounds[request] ?? 0));
  assert.deepEqual(over, []);
}

Deno.test({
  name: "C 23 requests wait for the engine a few times each, with content in files",
  ignore: !Postgres.isInstalled,
}, async () => {
  const engine = startedPostgres();
  requireWithin(await countTrips(engine), { ...BOUNDS, "PUT of 300 KB": 6 });
});

Deno.test({
  name: "C 23 requests wait for the engine a few times each, with content in objects",
  ignore: !Postgres.isInstalled || !S3Engine.isInstalled,
}, async () => {
  const engine = startedPostgres();
  await using store = await S3Engine.start();
  const content = store.content(store.contentUrl());
  requireWithin(await countTrips(engine, content), BOUNDS);
});
