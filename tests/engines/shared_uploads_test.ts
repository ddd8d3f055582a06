import * as assert from "node:assert/strict";
import { databaseAddress } from "../../schemas/database_url.ts";
import { Database } from "../../storage/postgres/database.ts";
import { ChildServer } from "../support/child_server.ts";
import type { Client } from "../support/client.ts";
import { Postgres } from "../support/postgres.ts";
import { noise } from "../support/random.ts";
import { S3_CREDENTIALS, S3Engine } from "../support/s3.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { createUpload, headUpload, offsetOf, patchUpload, stalledPatch } from "../support/tus.ts";
import { until } from "../support/until.ts";

/** Servers that share a database and an object store. */
interface Room extends AsyncDisposable {
  readonly database: Database;
  readonly databaseUrl: string;
  readonly contentUrl: string;
  /** Starts another server, and returns a client of it. */
  start(): Promise<Client>;
  /** The names of all objects. */
  keys(): Promise<string[]>;
}

const isInstalled = Postgres.isInstalled && S3Engine.isInstalled;
let engine: Postgres;
let store: S3Engine;
if (isInstalled) {
  Deno.test.beforeAll(async () => {
    [engine, store] = await Promise.all([Postgres.start(), S3Engine.start()]);
  });
  Deno.test.afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });
}

function shared(title: string, body: (room: Room) => Promise<void>): void {
  Deno.test({
    name: title,
    ignore: !isInstalled,
    async fn() {
      await using room = await makeRoom();
      await body(room);
    },
  });
}

async function makeRoom(): Promise<Room> {
  await using made = new AsyncDisposableStack();
  const databaseUrl = await engine.createDatabase();
  const contentUrl = store.contentUrl();
  const content = store.content(contentUrl);
  const database = made.use(await Database.open(databaseAddress(databaseUrl), { connections: 1 }));
  const parts = made.move();
  return {
    database,
    databaseUrl,
    contentUrl,
    async start() {
      const server = parts.use(await TestServer.start({ settings: { databaseUrl }, content }));
      return await server.as(1);
    },
    keys: () => store.keys(content),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function partsOf({ database }: Room) {
  return database.all("SELECT position, size, object FROM upload_parts ORDER BY position");
}

shared(
  "C 21 and C 23 an upload begins at one server, goes on at a second, and ends at a third",
  async (room) => {
    const servers = [await room.start(), await room.start(), await room.start()] as const;
    const [first, second, third] = servers;
    const content = noise(22_000_000);
    const upload = await createUpload(first, "dir/a", content.length);
    let offset = 0;
    const sizes = [9_000_001, 10, 70_000, 9_000_000, 500_000] as const;
    for (const [index, size] of sizes.entries()) {
      const client = servers[index % 2] ?? first;
      assert.equal(await offsetOf(client, upload), offset);
      const body = content.slice(offset, offset + size);
      assert.equal((await patchUpload(client, upload, { offset, body })).status, 204);
      offset += size;
    }
    const stored = await partsOf(room);
    assert.deepEqual(stored.map(({ size, object }) => [size, object !== null]), [
      [9_000_001, true],
      [9_070_010, true],
      ...Array(7).fill([65_536, false]),
      [500_000 - 7 * 65_536, false],
    ]);
    const last = await patchUpload(third, upload, { offset, body: content.slice(offset) });
    assert.equal(last.status, 204, last.text);
    for (const client of servers) assert.deepEqual(await client.bytes({ path: "dir/a" }), content);
    assert.equal(await offsetOf(second, upload), content.length);
    // What it came in is not kept.
    assert.deepEqual(await partsOf(room), []);
    await until(async () => (await room.keys()).length === 1);
  },
);

shared("C 21 and C 23 of requests to one upload at two servers, one succeeds", async (room) => {
  const servers = [await room.start(), await room.start()];
  const size = 3_000_000;
  for (let round = 0; round < 6; round++) {
    const upload = await createUpload(servers[0]!, `f${round}`, size);
    const replies = await Promise.all(
      servers.map((client, index) =>
        patchUpload(client, upload, { offset: 0, body: new Uint8Array(size).fill(index + 1) })
      ),
    );
    const statuses = replies.map(({ status }) => status);
    const winner = statuses.indexOf(204);
    assert.ok(winner >= 0, String(statuses));
    assert.equal(statuses.filter((it) => it === 204).length, 1, String(statuses));
    assert.ok([409, 423].includes(statuses[1 - winner] ?? 0), String(statuses));
    const stored = await servers[0]!.bytes({ path: `f${round}` });
    assert.deepEqual(stored, new Uint8Array(size).fill(winner + 1));
  }
  assert.deepEqual(await partsOf(room), []);
});

shared(
  "C 21 and C 23 an upload goes on at another server while its connection to the first is open",
  async (room) => {
    const [first, second] = [await room.start(), await room.start()];
    const content = noise(12_000_000);
    const upload = await createUpload(first, "a", content.length + 1);
    using stalled = await stalledPatch(first, upload, content);
    // The first server keeps what has come after some seconds, when more comes. It never does.
    const offset = await offsetOf(second, upload);
    const rest = await patchUpload(second, upload, {
      offset,
      body: noise(content.length + 1 - offset, 9),
    });
    assert.equal(rest.status, 204, rest.text);
    await stalled.write(new Uint8Array(1));
    const reply = new Uint8Array(100);
    await stalled.read(reply);
    assert.match(new TextDecoder().decode(reply), /^HTTP\/1.1 423 /);
    assert.deepEqual(await second.bytes({ path: "a" }), noise(content.length + 1 - offset, 9));
    await until(async () => (await room.keys()).length === 1);
  },
);

shared("C 21 and C 23 what an upload has received leaves with it", async (room) => {
  const [first, second] = [await room.start(), await room.start()];
  const upload = await createUpload(first, "a", 20_000_000);
  for (const [offset, size] of [[0, 9_000_000], [9_000_000, 100]] as const) {
    assert.equal((await patchUpload(first, upload, { offset, body: noise(size) })).status, 204);
  }
  assert.equal((await room.keys()).length, 1);
  const { status } = await second.send("DELETE", upload, { headers: { "Tus-Resumable": "1.0.0" } });
  assert.equal(status, 204);
  assert.equal((await headUpload(first, upload)).status, 404);
  assert.deepEqual(await partsOf(room), []);
  await until(async () => (await room.keys()).length === 0);
});

shared(
  "C 21 and C 23 after kill -9 of its server, an upload goes on at another one",
  async (room) => {
    const second = await room.start();
    await using directory = await TempDir.make();
    await using server = await ChildServer.start({
      dataDir: directory.path,
      env: {
        STRONGROOM_DATABASE_URL: room.databaseUrl,
        STRONGROOM_CONTENT_URL: room.contentUrl,
        STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
        STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
      },
    });
    const first = await server.as(1);
    const content = noise(40_000_000);
    const upload = await createUpload(first, "a", content.length);
    const body = content.slice(0, 9_000_000);
    assert.equal((await patchUpload(first, upload, { offset: 0, body })).status, 204);
    // Its second request is cut off by the kill, with an object on its way.
    const broken = patchUpload(first, upload, {
      offset: 9_000_000,
      body: ReadableStream.from((async function* () {
        yield content.slice(9_000_000, 30_000_000);
        await until(async () => {
          const [row] = await room.database.all("SELECT key FROM objects WHERE state = 'arriving'");
          return row !== undefined;
        });
        Deno.kill(server.pid, "SIGKILL");
        await until(() => server.starts > 1);
        yield content.slice(30_000_000);
      })()),
    }).catch(() => undefined);
    assert.equal((await broken)?.status === 204, false);
    const offset = await offsetOf(second, upload);
    assert.ok(offset >= 9_000_000, String(offset));
    const rest = await patchUpload(second, upload, { offset, body: content.slice(offset) });
    assert.equal(rest.status, 204, rest.text);
    assert.deepEqual(await second.bytes({ path: "a" }), content);
    // As if the lease of the killed process had run out.
    await room.database.use("writes", (session) =>
      session.run(
        "DELETE FROM servers WHERE id IN (SELECT server FROM objects WHERE state = 'arriving')",
      ));
    await until(async () =>
      (await room.database.all("SELECT key FROM objects WHERE state = 'arriving'")).length === 0
    );
    await until(async () => (await room.keys()).length === 1);
  },
);
