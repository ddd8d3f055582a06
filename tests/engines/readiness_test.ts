/** `GET /readyz` over engines that hang, refuse or are full. */

import * as assert from "node:assert/strict";
import { FaultyProxy } from "../support/faulty_proxy.ts";
import { Postgres } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared_postgres.ts";
import { S3Engine } from "../support/s3.ts";
import { TestServer } from "../support/server.ts";
import { fillDisk, smallDisk } from "../support/small_disk.ts";
import { TcpProxy } from "../support/tcp_proxy.ts";
import { until } from "../support/until.ts";

const startedPostgres = sharedPostgres();

async function readiness(server: TestServer): Promise<string> {
  const response = await fetch(`${server.origin}/readyz`);
  const { msg } = await response.json();
  return response.status === 200 ? "ready" : String(msg);
}

Deno.test({
  name: "C 31 readiness writes to the store once in 30 s, however often it is asked",
  ignore: !S3Engine.isInstalled,
  async fn() {
    await using store = await S3Engine.start();
    await using proxy = new FaultyProxy(store.port);
    const content = store.content(store.contentUrl("room", proxy.endpoint));
    await using server = await TestServer.start({ content });
    proxy.requests.length = 0;
    for (let call = 0; call < 50; call++) assert.equal(await readiness(server), "ready");
    // The probes after the first one read.
    await until(async () => {
      await readiness(server);
      return proxy.requests.filter(({ method }) => method === "GET").length >= 2;
    });
    assert.equal(proxy.requests.filter(({ method }) => method === "PUT").length, 1);
  },
});

Deno.test({
  name: "C 31 a store that hangs makes a server unready, and one that is back ready",
  ignore: !S3Engine.isInstalled,
  async fn() {
    await using store = await S3Engine.start();
    await using proxy = new FaultyProxy(store.port);
    const content = store.content(store.contentUrl("room", proxy.endpoint));
    await using server = await TestServer.start({ content });
    const hung = Promise.withResolvers<"lose">();
    proxy.fault = () => hung.promise;
    await until(async () => (await readiness(server)) === "Server not ready: blobs");
    assert.ok(server.log.some((line) => line.includes("No answer within 2000 ms")));
    hung.resolve("lose");
    proxy.fault = () => "pass";
    await until(async () => (await readiness(server)) === "ready");
  },
});

Deno.test({
  name: "C 31 a database that hangs makes a server unready, and one that is back ready",
  ignore: !Postgres.isInstalled,
  async fn() {
    const engine = startedPostgres();
    await using proxy = new TcpProxy(engine.port);
    const url = new URL(await engine.createDatabase());
    url.port = String(proxy.port);
    await using server = await TestServer.start({ settings: { databaseUrl: url.href } });
    assert.equal(await readiness(server), "ready");
    proxy.rule = () => "lose";
    await until(async () => (await readiness(server)) === "Server not ready: database");
    proxy.rule = () => "pass";
    await until(async () => (await readiness(server)) === "ready");
    // A stop would wait for the replies over connections that are lost.
    proxy.cutAll();
  },
});

const DISK_MB = 160;
const canMount = Postgres.isInstalled && await smallDisk(1).then(async (disk) => {
  await disk?.[Symbol.asyncDispose]();
  return disk !== undefined;
});

Deno.test({
  name: "C 31 a full PostgreSQL makes a server unready, and room makes it ready again",
  ignore: !canMount,
  async fn() {
    await using disk = await smallDisk(DISK_MB);
    assert.ok(disk);
    const settings = { max_wal_size: "'64MB'", min_wal_size: "'32MB'" };
    await using engine = await Postgres.start({ directory: disk.path, settings });
    await using server = await TestServer.start({
      settings: { databaseUrl: await engine.createDatabase() },
    });
    const one = await server.as(1);
    assert.equal(await readiness(server), "ready");
    await fillDisk(disk, "filling");
    await until(async () => (await readiness(server)) === "Server not ready: database");
    assert.notEqual((await one.put("large", new Uint8Array(60_000))).status, 201);
    await Deno.remove(`${disk.path}/filling`);
    await until(async () => (await readiness(server)) === "ready");
    assert.equal((await one.put("large", new Uint8Array(60_000))).status, 201);
  },
});
