/** How often a server waits for PostgreSQL to answer requests. */

import * as assert from "node:assert/strict";
import type { ContentSettings } from "../../storage/stores/opening.ts";
import type { Client, Reply } from "./client.ts";
import { HubClient } from "./hub.ts";
import type { Postgres } from "./postgres.ts";
import { type RoundTrip, RoundTrips } from "./round_trips.ts";
import { TestServer } from "./server.ts";

/** What one request of a kind takes. */
export interface TripCount {
  readonly request: string;
  /** How often it waits for the engine. */
  readonly trips: number;
  readonly statements: number;
  /** The bytes to and from the engine, with what servers do besides. */
  readonly bytes: number;
  /** The requests to the object store, by method. */
  readonly store: Readonly<Record<string, number>>;
}

/** How often each request is sent: what servers do besides adds to some of them only. */
const REPETITIONS = 6;

/** What servers do by themselves, or once a second: look up whether a credential is revoked. */
const OF_UPKEEP =
  /'leaving'|mayDelete|issued_before|search_|directory_facts|unindexed|FROM servers|UPDATE servers|end_leases|FROM dropped|DELETE FROM contents|content_changes|NOTIFY|DELETE FROM events|FROM fresh_history|DISTINCT sha256 FROM waivers|pg_advisory_xact_lock\(\d+\)/;

interface Clients {
  readonly client: Client;
  readonly hub: HubClient;
}

interface Kind {
  readonly request: string;
  readonly send: (clients: Clients, index: number) => Promise<Reply>;
  /** What happens before each request, and is not counted. */
  readonly before?: (clients: Clients, index: number) => Promise<unknown>;
}

const REPOSITORY = "models/team/model";
/** A change in the tree, but not in the repository. */
const changeElsewhere: Kind["before"] = ({ client }, it) => client.put(`d/other${it}`, `${it}`);

const small = (index: number) => `${index}`.padEnd(1000, "x");
const large = (index: number) => `${index}`.padEnd(300_000, "x");

const KINDS: readonly Kind[] = [
  { request: "PUT of 1 KB", send: ({ client }, it) => client.put(`d/small${it}`, small(it)) },
  { request: "PUT of 300 KB", send: ({ client }, it) => client.put(`d/large${it}`, large(it)) },
  { request: "GET of 1 KB", send: ({ client }, it) => client.file("GET", `d/small${it}`) },
  { request: "GET of 300 KB", send: ({ client }, it) => client.file("GET", `d/large${it}`) },
  { request: "list of a directory", send: ({ client }) => client.list({ path: "d" }) },
  {
    request: "move of a file",
    send: ({ client }, it) => client.move({ source: `d/small${it}`, destination: `d/moved${it}` }),
  },
  {
    request: "copy of a file",
    send: ({ client }, it) => client.copy({ source: `d/moved${it}`, destination: `d/copied${it}` }),
  },
  {
    request: "page of a hub tree, after a change elsewhere",
    before: changeElsewhere,
    send: ({ hub }) => hub.send("GET", "/api/models/team/model/tree/main"),
  },
  {
    request: "file of the hub, after a change elsewhere",
    before: changeElsewhere,
    send: ({ hub }) =>
      hub.send("HEAD", "/team/model/resolve/main/weights0.safetensors", { redirect: "manual" }),
  },
  {
    request: "deletion of a file",
    send: ({ client }, it) => client.remove({ path: `d/copied${it}` }),
  },
];

/** Counts for each kind of request, of which some content is in files unless `content` says otherwise. */
export async function countTrips(
  engine: Postgres,
  content?: ContentSettings,
): Promise<TripCount[]> {
  const url = await engine.createDatabase();
  await using proxy = new RoundTrips(engine.port);
  await using server = await TestServer.start({
    settings: {
      databaseUrl: url.replace(`:${engine.port}/`, `:${proxy.port}/`),
      metrics: "open",
    },
    pollIntervalMs: 600_000,
    ...content !== undefined && { content },
  });
  const client = await server.as(1);
  const hub = new HubClient(server, client);
  await client.mkdir("d");
  for (let index = 0; index < 3; index++) {
    await client.put(`${REPOSITORY}/weights${index}.safetensors`, small(index));
  }
  const counts: TripCount[] = [];
  for (const { request, send, before: prepare } of KINDS) {
    const taken: TripCount[] = [];
    for (let index = 0; index < REPETITIONS; index++) {
      await prepare?.({ client, hub }, index);
      const sent = await storeRequests(server);
      proxy.take();
      const before = proxy.bytes;
      const { status, text } = await send({ client, hub }, index);
      assert.ok(status < 400, text);
      const trips = proxy.take().filter((trip) => !isUpkeep(trip));
      const bytes = proxy.bytes - before;
      const store = Object.entries(await storeRequests(server))
        .map(([method, count]) => [method, count - (sent[method] ?? 0)] as const);
      taken.push({
        request,
        trips: trips.length,
        statements: trips.flat().length,
        bytes,
        store: Object.fromEntries(store),
      });
    }
    taken.sort((a, b) => a.trips - b.trips);
    counts.push(...taken.slice(0, 1));
  }
  return counts;
}

/** The requests to the object store so far, by method. */
async function storeRequests({ origin }: TestServer): Promise<Record<string, number>> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const lines = text.matchAll(/^strongroom_store_requests_total{method="(\w+)"} (\d+)$/gm);
  return Object.fromEntries(lines.map(([, method, count]) => [method, Number(count)]));
}

/** Whether a trip is one of upkeep. Requests send their commit together with their events. */
function isUpkeep(trip: RoundTrip): boolean {
  return trip.some((sql) => OF_UPKEEP.test(sql)) || trip.every((sql) => sql === "COMMIT");
}
