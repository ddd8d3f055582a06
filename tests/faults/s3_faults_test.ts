import * as assert from "node:assert/strict";
import type { StagedBlob } from "../../core/blob_store.ts";
import { SqliteResourceStore } from "../../storage/database/sqlite_resource_store.ts";
import { S3BlobStore, type S3BlobStoreOptions } from "../../storage/s3/s3_blob_store.ts";
import type { ContentSettings } from "../../storage/storage.ts";
import {
  chunksOf,
  contentOf,
  type ContentStores,
  publish,
} from "../conformance/blob_store_suite.ts";
import { FaultyProxy } from "../support/faulty_proxy.ts";
import { noise } from "../support/random.ts";
import { S3Engine } from "../support/s3.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const LARGE = noise(20_000_000);
const ONE_PART = noise(300_000, 2);

/** A store by way of a proxy, which a test may open again. */
interface Room extends AsyncDisposable {
  readonly engine: S3Engine;
  readonly proxy: FaultyProxy;
  readonly content: ContentSettings;
  open(options?: Partial<S3BlobStoreOptions>): Promise<OpenStores>;
}

interface OpenStores extends ContentStores, AsyncDisposable {
  readonly records: SqliteResourceStore;
  readonly blobs: S3BlobStore;
}

async function makeRoom(): Promise<Room> {
  await using parts = new AsyncDisposableStack();
  const engine = parts.use(await S3Engine.start());
  const proxy = parts.use(new FaultyProxy(engine.port));
  const { path } = parts.use(await TempDir.make());
  const content = engine.content(engine.contentUrl("room", proxy.endpoint));
  const owned = parts.move();
  return {
    engine,
    proxy,
    content,
    async open(options = {}) {
      await using opened = new AsyncDisposableStack();
      const records = opened.use(await SqliteResourceStore.open(`${path}/strongroom.db`));
      const requests = { timeoutMs: 2000, retryMs: 10 };
      const blobs = opened.use(
        await S3BlobStore.open(path, {
          ...content,
          objects: records.objectTable,
          requests,
          // Each object is deleted twice at once.
          secondMs: -1,
          ...options,
        }),
      );
      const held = opened.move();
      return { records, blobs, [Symbol.asyncDispose]: () => held.disposeAsync() };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The objects, once those that are leaving are gone. */
async function settledKeys({ engine, content }: Room, { blobs, records }: OpenStores) {
  await until(async () => {
    await blobs.removals.run();
    return (await records.objectTable.due(Infinity, 1)).length === 0;
  });
  return await engine.keys(content);
}

async function store(stores: OpenStores, content: Uint8Array<ArrayBuffer>): Promise<StagedBlob> {
  await using staged = await stores.blobs.stage(chunksOf(content));
  await publish(stores, [staged]);
  return staged;
}

async function remove({ records, blobs }: OpenStores, hash: string): Promise<void> {
  await records.write((transaction) => blobs.remove([hash], transaction), { alone: true });
}

const faults = (title: string, body: (room: Room) => Promise<void>) =>
  Deno.test({
    name: `C 23 ${title}`,
    ignore: !S3Engine.isInstalled,
    async fn() {
      await using room = await makeRoom();
      await body(room);
    },
  });

faults("requests that fail for a moment are sent again, whatever they do", async (room) => {
  await using stores = await room.open();
  const seen = new Map<string, number>();
  // The first of each kind is lost, the second fails, and the third has a reply that is lost.
  room.proxy.fault = ({ method, target }) => {
    if (method === "POST") return "pass";
    const kind = `${method} ${target.replace(/uploadId=.*/, "")}`;
    const count = seen.get(kind) ?? 0;
    seen.set(kind, count + 1);
    return (["lose", { status: 503 }, "loseReply"] as const)[count] ?? "pass";
  };
  for (const content of [LARGE, ONE_PART]) {
    const { hash } = await store(stores, content);
    assert.deepEqual(await contentOf(stores.blobs, hash), content);
  }
  assert.equal((await settledKeys(room, stores)).length, 2);
});

faults("an upload whose last reply is lost is complete", async (room) => {
  await using stores = await room.open();
  room.proxy.fault = ({ method, target }) =>
    method === "POST" && target.includes("uploadId=") ? "loseReply" : "pass";
  const { hash } = await store(stores, LARGE);
  assert.deepEqual(await contentOf(stores.blobs, hash), LARGE);
});

for (const status of [403, 500, 507]) {
  faults(
    `an upload that the store refuses with ${status} is a 503, and leaves nothing`,
    async (room) => {
      await using stores = await room.open();
      for (const part of ["", "partNumber=3", "uploads=", "uploadId="]) {
        room.proxy.fault = ({ method, target }) =>
          method !== "GET" && method !== "DELETE" && target.includes(part) ? { status } : "pass";
        await assert.rejects(stores.blobs.stage(chunksOf(LARGE)), { kind: "ErrUnavailable" });
        room.proxy.fault = () => "pass";
        assert.deepEqual(await settledKeys(room, stores), []);
        assert.deepEqual(await unfinishedUploads(room), []);
      }
    },
  );
}

faults("an engine that is killed in an upload and in a download comes back", async (room) => {
  await using stores = await room.open();
  const { hash } = await store(stores, LARGE);
  const reader = await stores.blobs.open(hash, { start: 0, end: LARGE.length });
  assert.ok(reader);
  const read = [...(await reader.next()).value ?? []].length;
  const uploading = stores.blobs.stage((async function* () {
    yield* chunksOf(LARGE.slice(0, 9_000_000));
    await room.engine.kill();
    setTimeout(() => room.engine.restart(), 50);
    yield* chunksOf(LARGE.slice(9_000_000));
  })());
  await using staged = await uploading.catch(() => undefined);
  let total = read;
  for await (const chunk of reader) total += chunk.length;
  assert.equal(total, LARGE.length);
  if (staged !== undefined) await publish(stores, [staged]);
  assert.deepEqual(await contentOf(stores.blobs, hash), LARGE);
});

faults("a download goes on when its connection breaks", async (room) => {
  await using stores = await room.open();
  const { hash } = await store(stores, LARGE);
  room.proxy.fault = ({ method }) => method === "GET" ? { cutAfter: 3_000_000 } : "pass";
  assert.deepEqual(await contentOf(stores.blobs, hash), LARGE);
  assert.ok(room.proxy.requests.length > 6);
});

faults("a deletion that arrives late removes nothing that came since", async (room) => {
  await using stores = await room.open();
  const { hash } = await store(stores, ONE_PART);
  room.proxy.fault = ({ method }) => method === "DELETE" ? "late" : "pass";
  await remove(stores, hash);
  await until(async () => {
    await stores.blobs.removals.run();
    return room.proxy.late > 0;
  });
  await store(stores, ONE_PART);
  await room.proxy.release();
  assert.deepEqual(await contentOf(stores.blobs, hash), ONE_PART);
  room.proxy.fault = () => "pass";
  assert.equal((await settledKeys(room, stores)).length, 1);
  assert.deepEqual(await contentOf(stores.blobs, hash), ONE_PART);
});

faults("an object that arrives after its deletion is deleted again", async (room) => {
  await using stores = await room.open({ secondMs: 1500 });
  room.proxy.fault = ({ method }) => method === "PUT" ? "late" : "pass";
  await assert.rejects(stores.blobs.stage(chunksOf(ONE_PART)), { kind: "ErrUnavailable" });
  await stores.blobs.removals.run();
  room.proxy.fault = () => "pass";
  await room.proxy.release();
  assert.equal((await room.engine.keys(room.content)).length, 1);
  assert.deepEqual(await settledKeys(room, stores), []);
});

faults("content whose object is lost or damaged is repaired by an upload", async (room) => {
  await using stores = await room.open();
  const { hash } = await store(stores, ONE_PART);
  const [key = ""] = await room.engine.keys(room.content);
  await Deno.remove(`${room.engine.objects}/${key}`);
  assert.equal(await stores.blobs.sizeOf(hash), undefined);
  assert.equal(await stores.blobs.open(hash, { start: 0, end: 5 }), undefined);
  const found = (await Array.fromAsync(stores.blobs.hashes())).flatMap(({ hashes }) => hashes);
  assert.deepEqual(found, []);
  await store(stores, ONE_PART);
  assert.deepEqual(await contentOf(stores.blobs, hash), ONE_PART);
  assert.equal((await settledKeys(room, stores)).length, 1);
});

faults("a start deletes what was on its way, but not what waits for a commit", async (room) => {
  const object = { id: "a".repeat(32), userId: 1, createdBy: 1, createdAt: 0, expiresAt: 0 };
  {
    const { blobs, records } = await room.open();
    const staged = await blobs.stage(chunksOf(ONE_PART));
    const waiting = await blobs.stage(chunksOf(noise(400_000, 3)));
    const { hash, size, crc32, sha256 } = waiting;
    Object.assign(object, { hash, size, crc32, sha256 });
    await blobs.parts.park(object.id, waiting);
    assert.equal(staged.size, ONE_PART.length);
    // As a process does that is killed.
    await blobs[Symbol.asyncDispose]();
    await records[Symbol.asyncDispose]();
  }
  await using stores = await room.open();
  assert.equal((await settledKeys(room, stores)).length, 1);
  assert.deepEqual(await stores.blobs.parts.ids(), [object.id]);
  const lfsObject = {
    ...object,
    hash: "",
    size: 400_000,
    crc32: 0,
    sha256: "00".repeat(32),
    ...object,
  };
  await using blob = await stores.blobs.parts.unpark(lfsObject);
  assert.ok(blob);
  await publish(stores, [blob]);
  await stores.blobs.parts.remove(object.id);
  assert.equal((await settledKeys(room, stores)).length, 1);
  assert.deepEqual(await contentOf(stores.blobs, blob.hash), noise(400_000, 3));
});

faults(
  "content whose object is lost while it waits for a commit has to be sent again",
  async (room) => {
    await using stores = await room.open();
    const staged = await stores.blobs.stage(chunksOf(ONE_PART));
    const { hash, size, crc32, sha256 } = staged;
    const times = { createdAt: 0, expiresAt: 0 };
    const id = "b".repeat(32);
    await stores.blobs.parts.park(id, staged);
    const [key = ""] = await room.engine.keys(room.content);
    await Deno.remove(`${room.engine.objects}/${key}`);
    const object = { id, userId: 1, createdBy: 1, hash, size, crc32, sha256, ...times };
    assert.equal(await stores.blobs.parts.unpark(object), undefined);
  },
);

faults(
  "content in quarantine keeps its object for seven days, and can be given back",
  async (room) => {
    await using stores = await room.open();
    const { records, blobs } = stores;
    const day = 24 * 60 * 60_000;
    const hashes = [(await store(stores, ONE_PART)).hash, (await store(stores, noise(100))).hash];
    const take = () => records.write((it) => blobs.quarantine.take(hashes, it), { alone: true });
    assert.deepEqual(await take(), { count: 2, bytes: ONE_PART.length + 100 });
    assert.deepEqual([await blobs.sizeOf(hashes[0] ?? ""), await blobs.sizeOf(hashes[1] ?? "")], [
      undefined,
      undefined,
    ]);
    assert.equal((await settledKeys(room, stores)).length, 1);
    assert.equal((await blobs.quarantine.giveBack(hashes)).count, 2);
    assert.deepEqual(await contentOf(blobs, hashes[0] ?? ""), ONE_PART);
    await take();
    assert.equal((await blobs.quarantine.removeExpired(Date.now() + 6 * day)).count, 0);
    assert.equal((await blobs.quarantine.removeExpired(Date.now() + 8 * day)).count, 2);
    assert.deepEqual(await settledKeys(room, stores), []);
  },
);

faults("a bucket of another strongroom is refused", async (room) => {
  await (await room.open())[Symbol.asyncDispose]();
  await using directory = await TempDir.make();
  await using records = await SqliteResourceStore.open(`${directory.path}/strongroom.db`);
  await assert.rejects(
    S3BlobStore.open(directory.path, { ...room.content, objects: records.objectTable }),
    /the content of another strongroom/,
  );
});

/** The unfinished uploads of the engine, which keeps them in a directory. */
async function unfinishedUploads({ engine }: Room): Promise<string[]> {
  const found: string[] = [];
  const walk = async (path: string) => {
    for await (const { name, isDirectory } of Deno.readDir(path)) {
      if (isDirectory) await walk(`${path}/${name}`);
      else found.push(`${path}/${name}`);
    }
  };
  await walk(engine.objects);
  return found.filter((path) => path.includes(".sgwtmp"));
}
