/** Servers whose records are in PostgreSQL: kills of the server and of the engine, and broken connections. */

import * as assert from "node:assert/strict";
import { ChildServer } from "../support/child_server.ts";
import type { Client, Reply } from "../support/client.ts";
import { useDatabase } from "../support/engines.ts";
import { checkDataDirectory, checkInvariants } from "../support/invariants.ts";
import { Postgres } from "../support/postgres.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { type ProxyRule, TcpProxy } from "../support/tcp_proxy.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

/** Content of all kinds: in the database, and in a file. */
function contentOf(seed: number): Uint8Array<ArrayBuffer> {
  return noise(seed % 2 === 0 ? 3000 : 70_000 + seed, seed + 1);
}

/** Sends PUTs one after the other until `isOver`, and notes the status of each. */
async function putUntil(
  client: Client,
  prefix: string,
  { statuses, isOver }: { readonly statuses: Map<number, number>; readonly isOver: () => boolean },
): Promise<void> {
  for (let seed = 0; !isOver(); seed++) {
    const reply = await client.put(`${prefix}${seed}`, contentOf(seed)).catch(() => undefined);
    // Whether it was carried out is unknown.
    if (reply === undefined) continue;
    statuses.set(seed, reply.status);
    if (reply.status === 503) assert.equal(reply.headers.get("Retry-After"), "1");
    // What has lost its last record is removed.
    if (reply.status < 300 && seed % 3 === 0) {
      await client.put(`${prefix}${seed}`, contentOf(seed)).catch(() => undefined);
    }
  }
}

Deno.test({
  name: "C 5.4 and C 23 a server over PostgreSQL that is killed leaves no content, and loses none",
  ignore: !Postgres.isInstalled,
  async fn() {
    await using engine = await Postgres.start();
    await using directory = await TempDir.make();
    const dataDir = directory.path;
    const url = await engine.createDatabase();
    useDatabase(dataDir, url);
    const env = { STRONGROOM_DATABASE_URL: url };
    const foreign = `${dataDir}/blobs/01/23/0123456789abcdef0123456789abcdef`;
    for (let round = 0; round < 3; round++) {
      const prefix = `r${round}-`;
      const stored = new Map<number, number>();
      let isKilled = false;
      {
        await using server = await ChildServer.start({ dataDir, env });
        const client = await server.as(1);
        if (round === 0) {
          // Content that no server has put there. Only a comparison of everything finds it.
          await Deno.mkdir(`${dataDir}/blobs/01/23`, { recursive: true });
          await Deno.writeTextFile(foreign, "foreign");
        }
        const isOver = () => isKilled;
        const writing = [
          putUntil(client, prefix, { statuses: stored, isOver }),
          putUntil(client, `${prefix}b`, { statuses: new Map(), isOver }),
        ];
        await new Promise((resolve) => setTimeout(resolve, 700 + 150 * round));
        await until(() => stored.size > 0);
        await server.end("SIGKILL");
        isKilled = true;
        await Promise.all(writing);
      }
      await using server = await ChildServer.start({ dataDir, env });
      const client = await server.as(1);
      for (const [seed, status] of stored) {
        assert.equal(status, 201);
        assert.deepEqual(await client.bytes({ path: `${prefix}${seed}` }), contentOf(seed));
      }
      assert.equal((await server.end("SIGTERM")).code, 0);
    }
    await Deno.remove(foreign);
    await checkDataDirectory(dataDir);
  },
});

Deno.test({
  name: "C 1 and C 23 requests fail while the engine is away, and nothing is half-done",
  ignore: !Postgres.isInstalled,
  async fn() {
    await using engine = await Postgres.start({ fsync: true });
    await using directory = await TempDir.make();
    const dataDir = directory.path;
    const url = await engine.createDatabase();
    useDatabase(dataDir, url);
    await using server = await ChildServer.start({
      dataDir,
      env: { STRONGROOM_DATABASE_URL: url },
    });
    const client = await server.as(1);
    let isOver = false;
    // A server that cannot find out whether a commit has succeeded ends without a reply, and is started again.
    const readiness = () =>
      fetch(`${server.origin}/readyz`).then((it) => it.text(), () => "no server");
    const all = ["a", "b", "c"].map((prefix) => ({ prefix, statuses: new Map<number, number>() }));
    const writing = Promise.all(
      all.map(({ prefix, statuses }) =>
        putUntil(client, prefix, { statuses, isOver: () => isOver })
      ),
    );
    const isStored = (statuses: Map<number, number>) => [...statuses.values()].includes(201);
    await until(() => all.every(({ statuses }) => isStored(statuses)));
    for (let round = 0; round < 3; round++) {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await engine.kill();
      await until(async () => /not ready: database|no server/.test(await readiness()));
      await engine.restart();
      await until(async () => (await readiness()).includes('"ready":true'));
    }
    isOver = true;
    await writing;
    for (const { prefix, statuses } of all) {
      for (const [seed, status] of statuses) {
        assert.ok(status === 201 || status === 503, String(status));
        // A server that was ready may still find that the outcome of a commit is unknown.
        const path = `${prefix}${seed}`;
        let reply: Reply | undefined;
        await until(async () => {
          reply = await client.file("GET", path).catch(() => undefined);
          return reply !== undefined;
        });
        assert.equal(reply?.status, status === 201 ? 200 : 404, path);
      }
    }
    await engine.kill();
    assert.equal((await server.end("SIGTERM")).code, 0);
    await engine.restart();
    await using again = await ChildServer.start({ dataDir, env: { STRONGROOM_DATABASE_URL: url } });
    assert.equal((await again.end("SIGTERM")).code, 0);
    await checkDataDirectory(dataDir);
  },
});

Deno.test({
  name:
    "C 5.5 and C 23 a request whose connection breaks in its commit is answered as the engine says",
  ignore: !Postgres.isInstalled,
  async fn() {
    await using engine = await Postgres.start();
    const url = await engine.createDatabase();
    await using proxy = new TcpProxy(engine.port);
    await using directory = await TempDir.make();
    const dataDir = directory.path;
    useDatabase(dataDir, url);
    await using server = await TestServer.start({
      dataDir,
      settings: { databaseUrl: url.replace(`:${engine.port}/`, `:${proxy.port}/`) },
    });
    const client = await server.as(1);
    const actions: readonly ReturnType<ProxyRule>[] = ["cut", "cut after reply", "cut at once"];
    let failed = 0;
    for (let round = 0; round < 24; round++) {
      const path = `file ${round}`;
      // Those that write the record, or look it up. Others commit something else meanwhile.
      const writing = new Set<number>();
      let hasCut = false;
      proxy.rule = (bytes, connection) => {
        const text = new TextDecoder("latin1").decode(bytes);
        if (text.includes(path)) writing.add(connection);
        if (hasCut || !writing.has(connection) || !text.includes("COMMIT\0")) return "pass";
        hasCut = true;
        return actions[round % actions.length] ?? "pass";
      };
      const { status } = await client.put(path, contentOf(round));
      proxy.rule = () => "pass";
      assert.ok(status === 201 || status === 503, String(status));
      if (status === 503) failed++;
      assert.equal((await client.file("GET", path)).status, status === 201 ? 200 : 404);
    }
    assert.ok(failed > 0 && failed < 24, `${failed} of 24`);
    await checkInvariants(server);
  },
});
