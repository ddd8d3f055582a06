import * as assert from "node:assert/strict";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { Balancer, HAS_CADDY } from "../support/balancer.ts";
import { ChildServer } from "../support/child_server.ts";
import { Client } from "../support/client.ts";
import { freePort } from "../support/ports.ts";
import { Postgres } from "../support/postgres.ts";
import { S3_CREDENTIALS, S3Engine } from "../support/s3.ts";
import { mintToken, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";
import type { CampaignOptions, Outcome } from "./campaign.ts";
import { fleetMissing } from "./fleet.ts";
import { SECRET } from "./modeled_client.ts";
import { allOf, HeldTransfers, keepRequesting, prepareDownload } from "./rolling_load.ts";

/** Why servers cannot be restarted behind a balancer here, if they cannot. */
export const rollingMissing = fleetMissing ?? (HAS_CADDY ? undefined : "no Caddy here");

/** Clients that send small requests, one after the other. */
const CLIENTS = 3;

export interface RollingOptions {
  readonly servers: number;
  /** How many servers are restarted, one after the other. */
  readonly restarts: number;
  readonly drain: string;
  /** How long transfers take at least, in milliseconds. They outlast the drain anyway. */
  readonly transferMs: number;
  /** Called after each restart. */
  readonly progress?: (restarts: number) => void;
}

/** What clients of the balancer saw. */
export interface RollingOutcome {
  readonly requests: number;
  readonly transfers: number;
}

/**
 * Servers share a database and an object store (C 23), behind the balancer that is shipped. While clients send
 * small requests and transfers run, one server after the other is stopped as a container is, and started again.
 * No request fails, and no transfer is cut (C 31).
 *
 * @throws {assert.AssertionError} when one does.
 */
export async function rollingRestart(options: RollingOptions): Promise<RollingOutcome> {
  await using fleet = await BalancedServers.start(options);
  const client = await fleet.client();
  await prepareDownload(client);
  const over = new AbortController();
  const load = Promise.allSettled(Array.from(
    { length: CLIENTS },
    (_, index) => keepRequesting(client, `small-${index}`, over.signal),
  ));
  let transfers = 0;
  try {
    for (let done = 0; done < options.restarts; done++) {
      transfers += await fleet.restart(done % options.servers, client, options.transferMs);
      options.progress?.(done + 1);
    }
  } finally {
    over.abort();
    await load;
  }
  const requests = allOf(await load).reduce((total, it) => total + it, 0);
  return { requests, transfers };
}

/** Three servers are restarted, a few times each, while transfers of 40 s run. */
export async function rollingRestarts({ count, progress }: CampaignOptions): Promise<Outcome> {
  const { requests, transfers } = await rollingRestart({
    servers: 3,
    restarts: count,
    drain: "5s",
    transferMs: 40_000,
    ...progress && { progress },
  });
  return { tried: count, acknowledged: requests + transfers, failed: 0 };
}

/** The servers, their engines and their balancer. */
class BalancedServers implements AsyncDisposable {
  #parts: AsyncDisposableStack | undefined;
  readonly #servers: ChildServer[] = [];
  #balancer: Balancer | undefined;

  private constructor(
    readonly env: Readonly<Record<string, string>>,
    readonly directory: string,
    readonly ports: readonly number[],
  ) {}

  static async start({ servers, drain }: RollingOptions): Promise<BalancedServers> {
    await using parts = new AsyncDisposableStack();
    const engine = parts.use(await Postgres.start({ settings: { max_connections: 200 } }));
    const store = parts.use(await S3Engine.start());
    const { path } = parts.use(await TempDir.make());
    const fleet = new BalancedServers(
      {
        STRONGROOM_JWT_SECRET: SECRET,
        STRONGROOM_DATABASE_URL: await engine.createEmptyDatabase(),
        STRONGROOM_CONTENT_URL: store.contentUrl(),
        STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
        STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
        STRONGROOM_METRICS: "open",
        STRONGROOM_DRAIN: drain,
      },
      path,
      Array.from({ length: servers }, freePort),
    );
    parts.defer(() => fleet.#stop());
    fleet.#servers.push(...await Promise.all(fleet.ports.map((_, at) => fleet.#startServer(at))));
    const addresses = fleet.ports.map((port) => `127.0.0.1:${port}`);
    fleet.#balancer = parts.use(await Balancer.start(addresses));
    fleet.#parts = parts.move();
    return fleet;
  }

  /** A client of the balancer. */
  async client(): Promise<Client> {
    const token = await mintToken({ userId: 1, privileges: USER_PRIVILEGES, secret: SECRET });
    return new Client(`${this.#balancer?.origin}${BASE_PATH}`, token);
  }

  /** Restarts a server that has transfers. Returns how many there were, of all servers. */
  async restart(index: number, client: Client, transferMs: number): Promise<number> {
    const server = this.#server(index);
    const transfers = new HeldTransfers(client);
    // Each transfer is one request of the server, and so is the reading of metrics.
    await until(async () => await inFlight(server) > CLIENTS + 1);
    const enough = new Promise((resolve) => setTimeout(resolve, transferMs));
    // A container gives its first process the signal.
    Deno.kill(server.supervisorPid, "SIGTERM");
    await until(() => server.log.includes('"Stopping"'));
    await enough;
    const count = await transfers.finish();
    const { code } = await server.ended();
    assert.deepEqual([code, server.log.includes('"Stopped","finished":true')], [0, true]);
    this.#servers[index] = await this.#startServer(index);
    await until(async () => await statusOf(`${this.#server(index).origin}/readyz`) === 200);
    return count;
  }

  #startServer(index: number): Promise<ChildServer> {
    return ChildServer.start({
      dataDir: `${this.directory}/${index}`,
      env: { ...this.env, STRONGROOM_PORT: String(this.ports[index]) },
    });
  }

  #server(index: number): ChildServer {
    const server = this.#servers[index];
    if (server === undefined) throw new RangeError(`There is no server ${index}`);
    return server;
  }

  async #stop(): Promise<void> {
    for (const server of this.#servers) await server[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts?.disposeAsync();
  }
}

async function inFlight(server: ChildServer): Promise<number> {
  const metrics = await (await fetch(`${server.origin}/metrics`)).text();
  return Number(/^strongroom_http_requests_in_flight (\d+)$/m.exec(metrics)?.[1]);
}

async function statusOf(url: string): Promise<number> {
  const reply = await fetch(url);
  await reply.body?.cancel();
  return reply.status;
}
