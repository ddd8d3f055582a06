/**
 * Prints how long reads, moves, copies and deletions of trees with many records take over PostgreSQL, with their
 * replies, how much of it the processor worked for the process of the engine that worked most, and how long a PUT to
 * the same tree waits meanwhile:
 * `deno run -A tests/bench/postgres/growth.ts [--changes | --floor] [SIZE ...]`. With `--changes`, without the reads;
 * with `--floor`, only what an UPDATE that moves records takes of the engine, by the indexes of their table.
 */

import { databaseAddress } from "../../../schemas/database_url.ts";
import { Database } from "../../../storage/postgres/database.ts";
import { ChildServer } from "../../support/child_server.ts";
import type { Client } from "../../support/client.ts";
import { HubClient } from "../../support/hub.ts";
import { Postgres } from "../../support/postgres.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { cpuSeconds } from "../measures.ts";
import { printFloor } from "./floor.ts";

const SIZES = [10_000, 100_000, 1_000_000];
const FILES_IN_DIRECTORY = 100;
const PUT_INTERVAL_MS = 50;
/** How often each read is made. */
const READS = 5;
/** As docs/guides/scaling.md says. The engine of tests writes a checkpoint for each 64 MB of its log. */
const SETTINGS = { shared_buffers: "'1GB'", max_wal_size: "'4GB'" };
/** The records are those of a repository of the hub. */
const ROOT = "models/team/model";

/** Fills a tree with small files in directories, without the triggers: that would take most of the time. */
async function fill(database: Database, user: number, files: number): Promise<void> {
  const directory = (index: string) => `'directory' || lpad((${index})::text, 6, '0')`;
  const record = "user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at";
  await database.use("long", (session) =>
    session.script(
      `SET session_replication_role = replica;
       INSERT INTO contents (hash, size, crc32, created_at, bytes, sha256)
       SELECT md5('${user} ' || file), 1, 1, 1, 'x', sha256('x') FROM generate_series(1, ${files}) AS file;
       INSERT INTO records (${record}) VALUES
         (${user}, 'models', NULL, 'models', NULL, 0, 0, TRUE, 1, 1),
         (${user}, 'models/team', 'models', 'team', NULL, 0, 0, TRUE, 1, 1),
         (${user}, '${ROOT}', 'models/team', 'model', NULL, 0, 0, TRUE, 1, 1);
       INSERT INTO records (${record})
       SELECT ${user}, '${ROOT}/' || name, '${ROOT}', name, NULL, 0, 0, TRUE, 1, 1 FROM (
         SELECT ${directory("index")} AS name
         FROM generate_series(0, ${Math.floor(files / FILES_IN_DIRECTORY)}) AS index
       ) AS directories;
       INSERT INTO records (${record})
       SELECT ${user}, parent || '/' || name, parent, name, md5('${user} ' || file), 1, 1, FALSE, 1, 1
       FROM (
         SELECT file, '${ROOT}/' || ${directory(`file / ${FILES_IN_DIRECTORY}`)} AS parent,
           'model-file-' || lpad(file::text, 8, '0') || '.safetensors' AS name
         FROM generate_series(1, ${files}) AS file
       ) AS named;
       INSERT INTO usage SELECT user_id, count(*), count(hash), sum(size)
       FROM records WHERE user_id = ${user} GROUP BY user_id;
       SET session_replication_role = origin;
       ANALYZE records; ANALYZE contents`,
    ));
}

/** How long the processor has worked for each process of the engine that serves a client, in seconds. */
async function workOf(database: Database): Promise<Map<number, number>> {
  const rows = await database.all(
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'",
  );
  const pids = rows.map(({ pid }) => Number(pid));
  return new Map(await Promise.all(pids.map(async (pid) => [pid, await cpuSeconds(pid)] as const)));
}

/** Measures a request with its reply. Others put a file into the same tree meanwhile. */
async function measure(
  client: Client,
  request: () => Promise<Response>,
): Promise<{ readonly seconds: number; readonly longestPutSeconds: number }> {
  let ended = false;
  let longestMs = 0;
  const others = (async () => {
    while (!ended) {
      const started = performance.now();
      await client.put("elsewhere", `${started}`);
      longestMs = Math.max(longestMs, performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, PUT_INTERVAL_MS));
    }
  })();
  const started = performance.now();
  const response = await request();
  await response.body?.pipeTo(new WritableStream());
  const seconds = (performance.now() - started) / 1000;
  ended = true;
  await others;
  return { seconds, longestPutSeconds: longestMs / 1000 };
}

/** The first read, and the median of those after it, in seconds. Each comes after a change elsewhere in the tree. */
async function timesOf(client: Client, read: () => Promise<{ status: number }>): Promise<string> {
  const times: number[] = [];
  for (let index = 0; index < READS; index++) {
    await client.put("elsewhere", `${performance.now()}`);
    const started = performance.now();
    const { status } = await read();
    times.push((performance.now() - started) / 1000);
    if (status >= 400) throw new Error(`A read was answered with ${status}`);
  }
  const [first = 0, ...others] = times;
  others.sort((a, b) => a - b);
  return `first ${first.toFixed(3)} s, then ${(others[others.length >> 1] ?? 0).toFixed(3)} s`;
}

async function main(): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const engine = parts.use(await Postgres.start({ fsync: true, settings: SETTINGS }));
  const url = await engine.createDatabase();
  const given = Deno.args.filter((it) => !it.startsWith("--")).map(Number);
  const sizes = given.length > 0 ? given : SIZES;
  if (Deno.args.includes("--floor")) {
    await using database = await Database.open(databaseAddress(url));
    for (const size of sizes) await printFloor(database, size);
    return;
  }
  const server = parts.use(
    await ChildServer.start({
      dataDir: parts.use(await TempDir.make()).path,
      env: { STRONGROOM_DATABASE_URL: url },
    }),
  );
  const database = parts.use(await Database.open(databaseAddress(url)));
  const json = (client: Client, method: string, path: string, body: object) =>
    client.fetch(path, {
      method,
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
    });
  const requests: Readonly<Record<string, (client: Client) => Promise<Response>>> = {
    move: (client) =>
      json(client, "PUT", "/resources/move", { source: ROOT, destination: "moved" }),
    copy: (client) =>
      json(client, "POST", "/resources/copy", { source: "moved", destination: "copied" }),
    delete: (client) => client.fetch("/resources/?path=copied", { method: "DELETE" }),
  };
  for (const [index, size] of sizes.entries()) {
    const user = index + 1;
    await fill(database, user, size);
    const client = await server.as(user);
    const hub = new HubClient(server, client);
    const file = "directory000000/model-file-00000001.safetensors";
    const reads = Deno.args.includes("--changes") ? {} : {
      list: () => client.list({ path: ROOT }),
      "list of all": () => client.list({ path: ROOT, recursive: "true" }),
      "hub page": () => hub.send("GET", "/api/models/team/model/tree/main?recursive=true"),
      resolve: () => hub.send("HEAD", `/team/model/resolve/main/${file}`, { redirect: "manual" }),
    };
    for (const [name, read] of Object.entries(reads)) {
      console.log(`${name} of ${size}: ${await timesOf(client, read)}`);
    }
    for (const [name, request] of Object.entries(requests)) {
      const before = await workOf(database);
      const { seconds, longestPutSeconds } = await measure(client, () => request(client));
      const after = await workOf(database);
      const worked = Math.max(...after.entries().map(([pid, at]) => at - (before.get(pid) ?? 0)));
      console.log(
        `${name} of ${size}: ${seconds.toFixed(1)} s, ${Math.round(size / seconds)} a second; ` +
          `engine ${worked.toFixed(1)} s, ${Math.round(size / worked)} a second; ` +
          `longest PUT ${longestPutSeconds.toFixed(1)} s`,
      );
    }
  }
}

if (import.meta.main) await main();
