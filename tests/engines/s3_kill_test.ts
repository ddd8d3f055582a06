import * as assert from "node:assert/strict";
import { S3BlobStore } from "../../storage/content/objects/s3_blob_store.ts";
import { contentOf } from "../conformance/blob_store_suite.ts";
import { ChildServer } from "../support/child_server.ts";
import { FaultyProxy, type ProxiedRequest } from "../support/faulty_proxy.ts";
import { postgresRecords, type RecordsEngine, SQLITE_RECORDS } from "../support/object_stores.ts";
import { noise } from "../support/random.ts";
import { S3_CREDENTIALS, S3Engine } from "../support/s3.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

/** When servers are killed, and by which request. */
const KILLS: readonly ["before" | "after", string, (request: ProxiedRequest) => boolean][] = [
  ["after", "the beginning of an upload in parts", ({ target }) => /\?uploads=?$/.test(target)],
  ["before", "the second part", ({ target }) => target.includes("partNumber=2")],
  ["before", "the completion", isCompletion],
  ["after", "the completion", isCompletion],
  [
    "after",
    "an upload in one request",
    ({ method, target }) => method === "PUT" && /\/[0-9a-f]{32}(\?|$)/.test(target),
  ],
  [
    "before",
    "a deletion",
    ({ method, target }) => method === "DELETE" && !target.includes("uploadId"),
  ],
];

function isCompletion({ method, target }: ProxiedRequest): boolean {
  return method === "POST" && /\?uploadId=/.test(target);
}

for (const database of [SQLITE_RECORDS, postgresRecords()]) {
  Deno.test({
    name:
      `C 23 with ${database.name}, a server that is killed at any request to the store leaves rows and objects that agree`,
    ignore: !S3Engine.isInstalled || !database.isInstalled,
    fn: (t) => killAtEachStep(t, database),
  });
}

async function killAtEachStep(t: Deno.TestContext, database: RecordsEngine): Promise<void> {
  await using engine = await S3Engine.start();
  await using proxy = new FaultyProxy(engine.port);
  await using directory = await TempDir.make();
  const url = engine.contentUrl("room", proxy.endpoint);
  const room = await database.room(directory.path);
  const env = {
    ...(room.url !== undefined && { STRONGROOM_DATABASE_URL: room.url }),
    // History would keep deleted content.
    STRONGROOM_HISTORY: "off",
    STRONGROOM_CONTENT_URL: url,
    STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
    STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
  };
  const kept = new Map<string, Uint8Array<ArrayBuffer>>();
  let seed = 0;
  for (const [when, step, matches] of KILLS) {
    await t.step(`${when} ${step}`, async () => {
      await using server = await ChildServer.start({ dataDir: directory.path, env });
      const client = await server.as(1);
      const first = noise(200_000, ++seed);
      assert.equal((await client.upload("", { [`kept-${seed}`]: first })).status, 200);
      kept.set(`kept-${seed}`, first);
      const { pid } = server;
      proxy.fault = (request) => {
        if (!matches(request)) return "pass";
        proxy.fault = () => "pass";
        const kill = () => Deno.kill(pid, "SIGKILL");
        if (when === "before") {
          kill();
          return "lose";
        }
        setTimeout(kill, 150);
        return "loseReply";
      };
      const name = `maybe-${seed}`;
      const content = noise(step.includes("one request") ? 300_000 : 20_000_000, 1000 + seed);
      const sent = await client.upload("", { [name]: content }).catch(() => undefined);
      if (sent?.status === 200) kept.set(name, content);
      if (step === "a deletion") {
        // A deletion that the server before has left may have killed this one already.
        await client.remove({ path: name }).catch(() => undefined);
        kept.delete(name);
      }
      await until(() => server.starts > 1);
    });
  }
  {
    // As if the hour before the second deletion had passed, and the leases of those killed.
    await using former = await room.open();
    await former.rows("UPDATE objects SET due_at = 0 WHERE state = 'leaving'");
    if (room.url !== undefined) await former.rows("DELETE FROM servers");
  }
  await using opened = await room.open();
  const { records, rows } = opened;
  await using blobs = await S3BlobStore.open(directory.path, {
    ...engine.content(url),
    objects: records.objectTable,
    secondMs: -1,
  });
  await until(async () => {
    await blobs.removals.run();
    return (await rows("SELECT key FROM objects WHERE state = 'leaving'")).length === 0;
  });
  const owner = { userId: 1, everyone: false };
  const found = await records.findByPath(
    owner,
    Array.from(
      { length: seed },
      (_, index) => [`kept-${index + 1}`, `maybe-${index + 1}`],
    ).flat(),
  );
  for (const path of kept.keys()) assert.ok(found.has(path), path);
  for (const { path, hash } of found.values()) {
    const content = await contentOf(blobs, hash);
    const expected = kept.get(path);
    if (expected !== undefined) assert.deepEqual(content, expected);
    assert.ok(content, path);
  }
  assert.equal((await engine.keys(engine.content(url))).length, found.size);
}
