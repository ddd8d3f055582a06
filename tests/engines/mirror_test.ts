import * as assert from "node:assert/strict";
import { HubDouble } from "../support/hub_double.ts";
import { download, mirrorClient, mirroring, open } from "../support/mirroring.ts";
import { Postgres } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared_postgres.ts";
import { noise } from "../support/random.ts";
import { S3Engine } from "../support/s3.ts";
import { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";

const startedPostgres = sharedPostgres();

const MIB = 1024 * 1024;

Deno.test({
  name: "C 28 servers of one database share a fetch, and take it over from one that has stopped",
  ignore: !Postgres.isInstalled || !S3Engine.isInstalled,
}, async () => {
  const postgres = startedPostgres();
  await using store = await S3Engine.start();
  await using double = HubDouble.start();
  const settings = { databaseUrl: await postgres.createDatabase() };
  const content = store.content();
  const options = { content, double, settings };
  await using one = await mirroring(options);
  await using two = await mirroring(options);
  const first = noise(3 * MIB);
  double.add("org/model", { "a.bin": { content: first }, "b.bin": { content: noise(2 * MIB, 2) } });
  const contentRequests = () => double.taken().filter(({ host }) => host === "content");
  double.fault = ({ host, range }) =>
    host === "content" && range === null ? { stallAt: 2 * MIB } : undefined;

  const opened = await open(one.hub, "/org/model/resolve/main/a.bin");
  const reader = opened.body?.getReader();
  assert.ok((await reader?.read())?.value !== undefined);
  // The other server has nothing of it to give yet.
  const early = await download(two.hub, "/org/model/resolve/main/a.bin");
  assert.equal(early.response.status, 429);
  assert.equal(contentRequests().length, 1);
  double.resume();
  await until(async () => {
    const { response, bytes } = await download(two.hub, "/org/model/resolve/main/a.bin");
    if (response.status === 429) return false;
    assert.deepEqual(bytes, first);
    return true;
  });
  await reader?.cancel();
  // The rest of it alone.
  assert.deepEqual(contentRequests().map(({ range }) => range), [`bytes=${2 * MIB}-`]);

  // A server stops while it fetches.
  double.fault = ({ host }) => host === "content" ? { stallAt: MIB } : undefined;
  await using three = await TestServer.start({
    ...{ content, graceMs: 0, upstream: { retryMs: 1 } },
    settings: { ...settings, mirrorUrl: double.url, mirrorHosts: [double.contentHost] },
  });
  const third = await open(await mirrorClient(three, 1), "/org/model/resolve/main/b.bin");
  const begun = third.body?.getReader();
  assert.ok((await begun?.read())?.value !== undefined);
  double.fault = () => undefined;
  await three[Symbol.asyncDispose]();
  await begun?.cancel().catch(() => {});
  await until(async () => {
    const { response, bytes } = await download(two.hub, "/org/model/resolve/main/b.bin");
    if (response.status === 429) return false;
    assert.deepEqual(bytes, noise(2 * MIB, 2));
    return true;
  });
});
