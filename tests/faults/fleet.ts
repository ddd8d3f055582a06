import * as assert from "node:assert/strict";
import { databaseAddress } from "../../schemas/database_url.ts";
import { Database } from "../../storage/postgres/database.ts";
import { treeLock } from "../../storage/postgres/locks.ts";
import { S3BlobStore } from "../../storage/content/objects/s3_blob_store.ts";
import { ChildServer, strongroom } from "../support/child_server.ts";
import { openPostgres } from "../support/object_stores.ts";
import { isAlive } from "../support/processes.ts";
import { freePort } from "../support/ports.ts";
import { PgBouncer } from "../support/pgbouncer.ts";
import { Postgres } from "../support/postgres.ts";
import { seededRandom } from "../support/random.ts";
import { S3_CREDENTIALS, S3Engine } from "../support/s3.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";
import {
  type CampaignOptions,
  modeledClients,
  type Outcome,
  outcomeOf,
  withServerLog,
} from "./campaign.ts";
import { type ModeledClient, SECRET } from "./modeled_client.ts";

const SERVERS = 3;
const CLIENTS = 4;
/** The longest time under load before a fault. */
const MAX_LOAD_MS = 600;
/** Of so many faults, one is an engine's. */
const ENGINE_FAULTS = 8;

/** How old an answer of `/readyz` may be. */
const MAX_AGE_MS = 5000;

/** A server that was started so often is replaced, with its supervisor. */
const MAX_STARTS = 3;

/** Why servers that share engines cannot be tested here, if they cannot. */
export const fleetMissing = Postgres.isInstalled && S3Engine.isInstalled
  ? undefined
  : "no PostgreSQL or no object store here";

/**
 * Three servers share a database, behind a pooler, and an object store (C 23). While clients change their trees by way of any of
 * them, one server after the other is killed at a random moment, or an engine, and started again.
 */
export async function fleetFaults({ count, seed, progress }: CampaignOptions): Promise<Outcome> {
  await using fleet = await Fleet.start(seed);
  const random = seededRandom(seed);
  const clients = modeledClients(CLIENTS, { seed });
  for (const client of clients) client.mayFail = true;
  const load = clients.map((client) => fleet.keepWorking(client));
  try {
    for (let tried = 0; tried < count; tried++) {
      await Promise.race([
        new Promise((resolve) => setTimeout(resolve, random(MAX_LOAD_MS))),
        ...load,
      ]);
      if (random(ENGINE_FAULTS) === 0) await fleet.breakEngine(random);
      else await fleet.killServer(random(SERVERS));
      progress?.(tried + 1);
    }
  } finally {
    fleet.isOver = true;
  }
  await Promise.all(load);
  await fleet.checkAll(clients);
  return { ...outcomeOf(count, clients), backMs: fleet.backMs };
}

/** The servers and their engines. */
class Fleet implements AsyncDisposable {
  isOver = false;
  /** The longest time until all servers served again after an engine had come back. */
  backMs = 0;
  #parts: AsyncDisposableStack | undefined;
  readonly #servers: ChildServer[] = [];
  readonly #ports = Array.from({ length: SERVERS }, freePort);
  /** Counts faults, when they begin and when they are over. */
  #faults = 0;

  private constructor(
    readonly engine: Postgres,
    readonly store: S3Engine,
    /** Stands before the database, where it is installed. */
    readonly pooler: PgBouncer | undefined,
    readonly url: string,
    readonly contentUrl: string,
    readonly directory: string,
  ) {}

  static async start(seed: number): Promise<Fleet> {
    await using parts = new AsyncDisposableStack();
    const engine = parts.use(await Postgres.start({ settings: { max_connections: 200 } }));
    const store = parts.use(await S3Engine.start());
    const pooler = PgBouncer.isInstalled ? parts.use(await PgBouncer.start(engine)) : undefined;
    const { path } = parts.use(await TempDir.make());
    const url = await engine.createEmptyDatabase();
    const contentUrl = store.contentUrl(`fleet-${seed}`);
    const fleet = new Fleet(engine, store, pooler, url, contentUrl, path);
    parts.defer(() => fleet.#stop());
    const started = Array.from({ length: SERVERS }, (_, index) => fleet.#startServer(index));
    fleet.#servers.push(...await Promise.all(started));
    fleet.#parts = parts.move();
    return fleet;
  }

  #startServer(index: number): Promise<ChildServer> {
    const env = { ...this.#env, STRONGROOM_PORT: String(this.#ports[index]) };
    return ChildServer.start({ dataDir: `${this.directory}/${index}`, env });
  }

  get #env(): Record<string, string> {
    return {
      STRONGROOM_JWT_SECRET: SECRET,
      // History would keep the content whose removal is to be tried.
      STRONGROOM_HISTORY: "off",
      STRONGROOM_DATABASE_URL: this.pooler?.urlOf(this.url) ?? this.url,
      ...this.pooler && { STRONGROOM_DATABASE_DIRECT_URL: this.url },
      STRONGROOM_CONTENT_URL: this.contentUrl,
      STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
      STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
    };
  }

  /** Kills a server. Its supervisor starts it again, unless that was killed as well. */
  async killServer(index: number): Promise<void> {
    const server = this.#server(index);
    this.#faults++;
    // A supervisor gives up after five deaths.
    if (server.starts >= MAX_STARTS) await this.#replace(index);
    else if (isAlive(server.pid)) Deno.kill(server.pid, "SIGKILL");
    await this.#awaitServers();
    this.#faults++;
  }

  /** Kills PostgreSQL, the object store or the pooler, and starts it again. */
  async breakEngine(choose: (count: number) => number): Promise<void> {
    this.#faults++;
    const engines = [this.engine, this.store, ...this.pooler ? [this.pooler] : []];
    await engines[choose(engines.length)]?.restart();
    const restarted = performance.now();
    await new Promise((resolve) => setTimeout(resolve, MAX_AGE_MS));
    await this.#awaitServers();
    this.backMs = Math.max(this.backMs, performance.now() - restarted);
    this.#faults++;
  }

  /** Kills a server with its supervisor, and starts it again in its place. */
  async #replace(index: number): Promise<void> {
    const server = this.#server(index);
    if (isAlive(server.supervisorPid)) await server.end("SIGKILL");
    else await server.ended();
    this.#servers[index] = await this.#startServer(index);
  }

  /** Waits until all servers serve. */
  async #awaitServers(): Promise<void> {
    for (const index of this.#servers.keys()) {
      try {
        await until(async () => {
          const server = this.#server(index);
          if (!isAlive(server.supervisorPid)) await this.#replace(index);
          const { status } = await fetch(`${server.origin}/readyz`).then(
            async (response) => {
              await response.body?.cancel();
              return response;
            },
            () => ({ status: 0 }),
          );
          return status === 200;
        });
      } catch (cause) {
        const { log } = this.#server(index);
        throw new Error(`Server ${index} does not serve again: ${log.slice(-4000)}`, { cause });
      }
    }
  }

  /** Has a client work until the end. After each request without a reply, its tree is checked. */
  async keepWorking(client: ModeledClient): Promise<void> {
    const origins = this.#servers.map(({ origin }) => origin);
    await client.connect(...origins);
    while (!this.isOver) {
      await client.work(() => !this.isOver);
      await this.#settle(client);
    }
  }

  /** Checks the tree of a client. While something is broken, that may fail. */
  async #settle(client: ModeledClient): Promise<void> {
    for (;;) {
      const faults = this.#faults;
      const pids = this.#pids;
      try {
        await this.#awaitWriters(client.user);
        return await client.settle();
      } catch (error) {
        // A server that served again may still find that the outcome of a commit is unknown, and end.
        const areAlive = pids.every(isAlive) && this.#pids.join() === pids.join();
        if (faults % 2 === 0 && faults === this.#faults && areAlive) {
          const logs = this.#servers.map(({ log }) => log.split("\n").slice(-40).join("\n"));
          throw new Error(`user ${client.user}: ${error}\n${logs.join("\n---\n")}`, {
            cause: error,
          });
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  /** Waits until what a killed server has sent for a tree is committed, or not. */
  async #awaitWriters(user: number): Promise<void> {
    await using database = await this.#database();
    await database.use("writes", async (session) => {
      await session.begin();
      await session.run("SELECT pg_advisory_xact_lock(:tree::bigint)", { tree: treeLock(user) });
      await session.commit();
    });
  }

  async #stop(): Promise<void> {
    for (const server of this.#servers.splice(0)) {
      if (isAlive(server.supervisorPid)) await server.end("SIGKILL");
    }
  }

  #database(): Promise<Database> {
    return Database.open(databaseAddress(this.url), { connections: 1 });
  }

  get #pids(): number[] {
    return this.#servers.map(({ pid }) => pid);
  }

  #server(index: number): ChildServer {
    const server = this.#servers[index];
    if (server === undefined) throw new RangeError(`There is no server ${index}`);
    return server;
  }

  /** Checks all that must hold once nothing is on its way. */
  async checkAll(clients: readonly ModeledClient[]): Promise<void> {
    for (const client of clients) {
      client.mayFail = false;
      for (const server of this.#servers) {
        await client.connect(server.origin);
        await this.#settle(client);
        await client.mustSucceed();
      }
      await withServerLog(
        { what: "events", server: this.#server(0) },
        () => this.#checkEvents(client),
      );
    }
    await this.#checkCollected();
    await this.#stop();
    await this.#checkObjects();
    const env = { ...this.#env, STRONGROOM_DATA_DIR: `${this.directory}/0` };
    const { code, stdout, stderr } = await strongroom(["check", "--read-data"], env);
    assert.equal(code, 0, `${stdout}${stderr}`);
  }

  /** Checks that the events of a user, in their order, lead to its tree: each change had all of its events. */
  async #checkEvents(client: ModeledClient): Promise<void> {
    await using database = await this.#database();
    const row = await database.get(
      "SELECT epoch, next, (SELECT min(sequence) FROM events WHERE events.owner = channel.owner) AS first FROM event_channels AS channel WHERE owner = :user",
      { user: client.user },
    );
    assert.equal(row?.first, 1, "the first event is gone");
    const paths = await client.pathsByEvents(`${row.epoch}-0`, Number(row.next) - 1);
    assert.deepEqual([...paths].sort(), [...await client.paths()].sort(), `user ${client.user}`);
  }

  /** Waits until the servers have removed all content without a record. */
  async #checkCollected(): Promise<void> {
    await using database = await this.#database();
    await until(async () => {
      const row = await database.get(
        `SELECT (SELECT count(*) FROM dropped) AS dropped, (
           SELECT count(*) FROM contents
           WHERE NOT EXISTS (SELECT FROM records WHERE records.hash = contents.hash)
         ) AS unreferenced`,
      );
      return row?.dropped === 0 && row.unreferenced === 0;
    });
  }

  /** Checks that the store has the objects of contents and no others, after the times of leases and removals. */
  async #checkObjects(): Promise<void> {
    await using database = await this.#database();
    await database.use("writes", async (session) => {
      await session.script("UPDATE servers SET expires_at = now() - interval '1 second'");
    });
    await using opened = await openPostgres(this.url);
    const content = this.store.content(this.contentUrl);
    await using blobs = await S3BlobStore.open(`${this.directory}/0`, {
      ...content,
      objects: opened.records.objectTable,
      ...(opened.mayWrite !== undefined && { mayWrite: opened.mayWrite }),
      secondMs: -1,
    });
    await until(async () => {
      await opened.rows("UPDATE objects SET due_at = 0 WHERE state = 'leaving'");
      await blobs.removals.run();
      return (await opened.rows("SELECT key FROM objects")).length === 0;
    });
    const objects = await opened.rows("SELECT object FROM contents WHERE object IS NOT NULL");
    assert.deepEqual(
      await this.store.keys(content),
      objects.map(({ object }) => String(object)).sort(),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isOver = true;
    await this.#parts?.disposeAsync();
  }
}
