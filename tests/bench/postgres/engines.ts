/**
 * `deno task bench:engines`: prints what operations over PostgreSQL and an object store take of the engines, what
 * that costs, and what 1, 2 and 3 servers serve. Needs PostgreSQL, versitygw, wrk and taskset.
 */

import { Postgres } from "../../support/postgres.ts";
import { S3Engine } from "../../support/s3.ts";
import { countTrips, type TripCount } from "../../support/trip_counts.ts";
import { measureServers } from "./servers.ts";

/** US dollars: requests to S3 Standard, and traffic between two zones, both directions (us-east-1, list prices). */
const PRICES = { perPut: 5e-6, perGet: 0.4e-6, perByte: 0.02 / 1e9 };

const OPERATIONS = 1_000_000;

/** What a million operations cost, in US dollars, besides what the engines cost whether they are used or not. */
function costOf({ bytes, store }: TripCount): number {
  const { GET: gets = 0, PUT: puts = 0, POST: posts = 0 } = store;
  const { perPut, perGet, perByte } = PRICES;
  return OPERATIONS * ((puts + posts) * perPut + gets * perGet + bytes * perByte);
}

async function printCosts(): Promise<void> {
  await using engine = await Postgres.start();
  await using store = await S3Engine.start();
  const counts = await countTrips(engine, store.content(store.contentUrl()));
  const { perPut, perGet, perByte } = PRICES;
  console.log(
    `Requests to the store at $${(perPut * 1e6).toFixed(2)} (PUT, POST) and ` +
      `$${(perGet * 1e6).toFixed(2)} (GET) a million, ` +
      `traffic to the database at $${(perByte * 1e9).toFixed(2)} a GB\n`,
  );
  console.log(
    "| Operation | Round trips | Statements | Bytes, database | Requests, store | $ a million |\n" +
      "| --- | ---: | ---: | ---: | --- | ---: |",
  );
  for (const count of counts) {
    const requests = Object.entries(count.store).filter(([, sent]) => sent > 0)
      .map(([method, sent]) => `${sent} ${method}`).join(", ");
    const { request, trips, statements, bytes } = count;
    const columns = [
      request,
      trips,
      statements,
      bytes,
      requests || "none",
      costOf(count).toFixed(2),
    ];
    console.log(`| ${columns.join(" | ")} |`);
  }
  console.log();
}

if (import.meta.main) {
  await printCosts();
  await measureServers();
}
