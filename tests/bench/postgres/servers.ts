/**
 * Prints what 1, 2 and 3 servers that share PostgreSQL and an object store serve to twelve clients of twelve
 * users, beside a server with the embedded database. Each server is bound to a processor, so that it shows what
 * another one adds; they share those that are there. The engines sync as in production, on the same machine.
 */

import { ChildServer } from "../../support/child_server.ts";
import type { Client } from "../../support/client.ts";
import { Postgres } from "../../support/postgres.ts";
import { S3_CREDENTIALS, S3Engine } from "../../support/s3.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { run } from "../../support/tools.ts";
import { ROUNDS, spread } from "../measures.ts";

const CLIENTS = 12;
const ROUND_SECONDS = 2;
const SECRET = "a secret that the servers share, of 32 bytes";

/** A request that each of the users sends again and again, as functions of wrk. `USER` counts from 1. */
const REQUESTS: Readonly<Record<string, string>> = {
  "GET of 4 KB": `return wrk.format("GET", "/api/v1/files/read", headers)`,
  "PUT of 1 KB": `local path = "/api/v1/files/" .. ROUND .. "-" .. sent
    return wrk.format("PUT", path, headers, sent .. " " .. USER .. string.rep(" ", 1000))`,
};

/** What wrk printed, of all servers. Times are those of the slowest. */
interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export async function measureServers(): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const engine = parts.use(
    await Postgres.start({ fsync: true, settings: { max_connections: 200 } }),
  );
  const store = parts.use(await S3Engine.start());
  const { path } = parts.use(await TempDir.make());
  const shared = {
    STRONGROOM_DATABASE_URL: await engine.createDatabase(),
    STRONGROOM_CONTENT_URL: store.contentUrl(),
    STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
    STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
  };
  let started = 0;
  const start = async (name: string, engines: Readonly<Record<string, string>>) => {
    const env = { STRONGROOM_JWT_SECRET: SECRET, ...engines };
    const processor = String(started++ % navigator.hardwareConcurrency);
    const under = ["taskset", "--cpu-list", processor] as const;
    return parts.use(await ChildServer.start({ dataDir: `${path}/${name}`, env, under }));
  };
  const embedded = await start("embedded", {});
  const servers = [await start("a", shared), await start("b", shared), await start("c", shared)];
  const users = await Promise.all(
    Array.from({ length: CLIENTS }, (_, index) => embedded.as(index + 1)),
  );
  const fleets = {
    "embedded database": [embedded],
    "1 server": servers.slice(0, 1),
    "2 servers": servers.slice(0, 2),
    "3 servers": servers,
  };
  for (const fleet of [[embedded], servers]) await storeFiles(fleet, users);
  console.log("| Request | | a second | p50, ms | p99, ms |\n| --- | --- | --- | --- | --- |");
  for (const [title, request] of Object.entries(REQUESTS)) {
    const measured = await measure(fleets, { request, users, directory: path });
    for (const [name, rounds] of Object.entries(measured)) {
      const columns = [
        spread(rounds.map(({ perSecond }) => perSecond), 0),
        ...[rounds.map(({ p50 }) => p50), rounds.map(({ p99 }) => p99)].map((it) => spread(it, 1)),
      ];
      console.log(`| ${title} | ${name} | ${columns.join(" | ")} |`);
    }
  }
}

/** Gives each user the file that is read. */
async function storeFiles([server]: readonly ChildServer[], users: readonly Client[]) {
  for (const { token } of users) {
    const response = await fetch(`${server?.origin}/api/v1/files/read`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${token}` },
      body: crypto.getRandomValues(new Uint8Array(4096)),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.body?.cancel();
  }
}

interface Load {
  readonly request: string;
  readonly users: readonly Client[];
  readonly directory: string;
}

/** Measures the fleets in turn. The first round warms up. */
async function measure(
  fleets: Readonly<Record<string, readonly ChildServer[]>>,
  load: Load,
): Promise<Record<string, Measured[]>> {
  const measured: Record<string, Measured[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, fleet] of Object.entries(fleets)) {
      const result = await measureFleet(fleet, load, `${round}-${fleet.length}`);
      if (round > 0) (measured[name] ??= []).push(result);
    }
  }
  return measured;
}

/** Has all clients send requests, spread over the servers. */
async function measureFleet(
  fleet: readonly ChildServer[],
  { request, users, directory }: Load,
  round: string,
): Promise<Measured> {
  const clients = CLIENTS / fleet.length;
  const results = await Promise.all(fleet.map(async ({ origin }, index) => {
    const script = `${directory}/${index}.lua`;
    const own = users.slice(index * clients, (index + 1) * clients);
    await Deno.writeTextFile(script, scriptOf(request, own, round));
    const load = ["--threads=1", `--connections=${clients}`, `--duration=${ROUND_SECONDS}s`];
    const { stdout, stderr } = await run("wrk", [...load, "--latency", "-s", script, origin]);
    return parse(stdout + stderr);
  }));
  return {
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50: Math.max(...results.map(({ p50 }) => p50)),
    p99: Math.max(...results.map(({ p99 }) => p99)),
  };
}

function scriptOf(request: string, users: readonly Client[], round: string): string {
  const tokens = users.map(({ token }) => JSON.stringify(token)).join(", ");
  return `local tokens, sent, ROUND = { ${tokens} }, 0, ${JSON.stringify(round)}
function request()
  sent = sent + 1
  local USER = sent % #tokens + 1
  local headers = { Authorization = "Bearer " .. tokens[USER] }
  ${request}
end`;
}

/** @throws {Error} when a request failed. */
function parse(text: string): Measured {
  const [, perSecond] = /Requests\/sec: +([\d.]+)/.exec(text) ?? [];
  if (perSecond === undefined || /Non-2xx|Socket errors/.test(text)) throw new Error(text);
  const ms = (percentile: string) => {
    const [, value, unit] = new RegExp(`${percentile} +([\\d.]+)(us|ms|s)`).exec(text) ?? [];
    return Number(value) * (unit === "us" ? 0.001 : unit === "ms" ? 1 : 1000);
  };
  return { perSecond: Number(perSecond), p50: ms("50%"), p99: ms("99%") };
}
