import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { StagedBlob } from "../../core/blob_store.ts";
import { Bucket } from "../../storage/content/objects/bucket.ts";
import { S3Requests } from "../../storage/content/objects/requests.ts";
import { S3BlobStore } from "../../storage/content/objects/s3_blob_store.ts";
import { chunksOf, contentOf, publish } from "../conformance/blob_store_suite.ts";
import { noise } from "../support/random.ts";
import {
  failing,
  faults,
  makeRoom,
  type OpenStores,
  type Room,
  settledKeys,
} from "../support/s3_rooms.ts";
import { S3Engine } from "../support/s3.ts";
import { SQLITE_RECORDS } from "../support/object_stores.ts";
import { Storage } from "../../storage/stores/storage.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const LARGE = noise(20_000_000);
const ONE_PART = noise(300_000, 2);

async function store(stores: OpenStores, content: Uint8Array<ArrayBuffer>): Promise<StagedBlob> {
  await using staged = await stores.blobs.stage(chunksOf(content));
  await publish(stores, [staged]);
  return staged;
}

async function remove({ records, blobs }: OpenStores, hash: string): Promise<void> {
  await records.write((transaction) => blobs.remove([hash], transaction), { alone: true });
}

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

faults("a reply that does not end is asked for again, where that does no harm", async (room) => {
  const { location, credentials } = room.content;
  const bucket = new Bucket(
    new S3Requests(location, credentials, { timeoutMs: 1500, retryMs: 10 }),
  );
  await using stores = await room.open();
  await store(stores, ONE_PART);
  const [key = ""] = await room.engine.keys(room.content);
  let stalls = 1;
  room.proxy.fault = () => stalls-- > 0 ? "stall" : "pass";
  const keys = (await Array.fromAsync(bucket.list(location.prefix))).flat().map(({ key }) => key);
  assert.ok(keys.includes(key));
  stalls = 1;
  await assert.rejects(bucket.beginUpload(key), /sent nothing for 1500 ms/);
});

faults("objects that are not deleted keep no others from it", async (room) => {
  const failures: unknown[] = [];
  await using stores = await room.open({ onFailure: (error) => failures.push(error) });
  const seeds = Array.from({ length: 14 }, (_, index) => index + 3);
  const stored = await Promise.all(seeds.map((seed) => store(stores, noise(100_000, seed))));
  // More than are deleted at once, and before the others.
  const refused = (await room.engine.keys(room.content)).slice(0, 9);
  // Not all stores delete many objects by one request.
  room.proxy.fault = ({ method, target }) =>
    target.includes("delete=") ? { status: 501 } : method === "DELETE" ? { status: 403 } : "pass";
  for (const { hash } of stored) await remove(stores, hash);
  await stores.blobs.removals.run();
  failures.length = 0;
  room.proxy.fault = ({ method, target }) =>
    method === "DELETE" && refused.some((key) => target.includes(key)) ? { status: 403 } : "pass";
  await stores.rows(
    `UPDATE objects SET due_at = CASE WHEN key IN ('${refused.join("', '")}') THEN 0 ELSE 1 END`,
  );
  await stores.blobs.removals.run();
  assert.deepEqual(await room.engine.keys(room.content), refused);
  assert.equal(failures.length, 1);
  room.proxy.fault = () => "pass";
  await stores.rows("UPDATE objects SET due_at = 0 WHERE state = 'leaving'");
  assert.deepEqual(await settledKeys(room, stores), []);
});

faults("a store that is away is not asked for each object", async (room, { name }) => {
  const failures: unknown[] = [];
  await using stores = await room.open({ onFailure: (error) => failures.push(error) });
  const seeds = Array.from({ length: 12 }, (_, index) => index + 3);
  const stored = await Promise.all(seeds.map((seed) => store(stores, noise(100_000, seed))));
  room.proxy.fault = () => ({ status: 503 });
  for (const { hash } of stored) await remove(stores, hash);
  await stores.blobs.removals.run();
  failures.length = 0;
  const before = room.proxy.requests.length;
  await stores.rows("UPDATE objects SET due_at = 0");
  await stores.blobs.removals.run();
  const asked = new Set(room.proxy.requests.slice(before).map(({ target }) => target));
  // As many as are deleted at once, or all by one request.
  assert.equal(asked.size, name === "SQLite" ? 8 : 1);
  assert.equal(failures.length, 1);
});

Deno.test({
  name: "C 23 a stop ends the removal of objects before it closes the database",
  ignore: !S3Engine.isInstalled,
  async fn() {
    await using room = await makeRoom(SQLITE_RECORDS);
    await using directory = await TempDir.make();
    const failures: unknown[] = [];
    const content = { ...room.content, onFailure: (error: unknown) => failures.push(error) };
    const requested = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    {
      await using storage = await Storage.open(directory.path, { content });
      await using staged = await storage.blobs.stage(chunksOf(ONE_PART));
      await publish(storage, [staged]);
      room.proxy.fault = ({ method }) => {
        if (method !== "DELETE") return "pass";
        requested.resolve();
        return answered.promise.then(() => "pass");
      };
      await storage.records.write(
        (transaction) => storage.blobs.remove([staged.hash], transaction),
        { alone: true },
      );
      await requested.promise;
      setTimeout(answered.resolve, 300);
    }
    assert.deepEqual(failures, []);
  },
});

faults("an engine that is killed in an upload and in a download comes back", async (room) => {
  await using stores = await room.open();
  const { hash } = await store(stores, LARGE);
  const reader = await stores.blobs.open(hash, { start: 0, end: LARGE.length });
  assert.ok(reader);
  const read = [...(await reader.next()).value ?? []].length;
  let restarting: Promise<void> | undefined;
  const uploading = stores.blobs.stage((async function* () {
    yield* chunksOf(LARGE.slice(0, 9_000_000));
    await room.engine.kill();
    restarting = room.engine.restart();
    yield* chunksOf(LARGE.slice(9_000_000));
  })());
  await using staged = await uploading.catch(() => undefined);
  await restarting;
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

faults("a failed upload is given up again when the database could not note it", async (room) => {
  let isAway = true;
  let [fails, failures] = [0, 0];
  await using stores = await room.open({
    onFailure: () => failures++,
    objects: (table) =>
      failing(table, "giveUp", () => {
        if (!isAway) return;
        fails++;
        throw new Error("The database is away");
      }),
  });
  const broken = (async function* () {
    yield* chunksOf(LARGE.slice(0, 3_000_000));
    throw new RangeError("broken");
  })();
  await assert.rejects(stores.blobs.stage(broken), RangeError);
  // It is given up again a moment later, too, which may be now.
  const before = fails;
  assert.ok(before > 0);
  await stores.blobs.removals.run();
  assert.ok(fails > before);
  assert.equal(failures, fails);
  assert.deepEqual(await stores.rows("SELECT state FROM objects"), [{ state: "arriving" }]);
  isAway = false;
  assert.deepEqual(await settledKeys(room, stores), []);
  assert.deepEqual(await stores.rows("SELECT state FROM objects"), []);
});

faults(
  "a download whose connection breaks goes on in the object that has replaced its own",
  async (room, { name }) => {
    // The readers of its own server would keep the object.
    if (name === "SQLite") return;
    await using stores = await room.open();
    await using other = await room.open();
    const { hash } = await store(stores, LARGE);
    const reader = await stores.blobs.open(hash, { start: 0, end: LARGE.length });
    assert.ok(reader);
    const read = [(await reader.next()).value ?? new Uint8Array()];
    await store(other, LARGE);
    assert.equal((await settledKeys(room, other)).length, 1);
    await room.engine.kill();
    await room.engine.restart();
    for await (const chunk of reader) read.push(chunk);
    assert.deepEqual(new Uint8Array(await new Blob(read).arrayBuffer()), LARGE);
  },
);

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
  const id = "a".repeat(32);
  {
    const stores = await room.open();
    const { blobs, records } = stores;
    const staged = await blobs.stage(chunksOf(ONE_PART));
    const waiting = await blobs.stage(chunksOf(noise(400_000, 3)));
    const { hash, size, crc32, sha256 } = waiting;
    await blobs.parts.park(id, waiting);
    const times = { createdAt: 0, expiresAt: 2 ** 50 };
    const object = { id, userId: 1, createdBy: 1, hash, size, crc32, sha256, ...times };
    await records.objects.add(object, { maxObjects: 1, quota: undefined });
    assert.equal(staged.size, ONE_PART.length);
    // As a process does that is killed.
    await stores[Symbol.asyncDispose]();
  }
  await using stores = await room.open();
  assert.equal((await settledKeys(room, stores)).length, 1);
  const sha256 = createHash("sha256").update(noise(400_000, 3)).digest("hex");
  const [object] = await stores.records.objects.waiting(1, [sha256], 1);
  assert.ok(object);
  await using blob = await stores.blobs.parts.unpark(object);
  assert.ok(blob);
  await publish(stores, [blob]);
  await stores.blobs.parts.remove(id);
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

faults("a bucket of another strongroom is refused", async (room, database) => {
  await (await room.open())[Symbol.asyncDispose]();
  await using directory = await TempDir.make();
  await using opened = await (await database.room(directory.path)).open();
  await assert.rejects(
    S3BlobStore.open(directory.path, { ...room.content, objects: opened.records.objectTable }),
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

faults("content that is in no object, nor in the database, is missing", async (room) => {
  await using stores = await room.open();
  const content = { hash: "0".repeat(32), size: 5, crc32: 0, sha256: new Uint8Array(32) };
  await stores.records.write(({ contents }) => contents.put([{ ...content, bytes: undefined }]));
  assert.equal(await stores.blobs.sizeOf(content.hash), undefined);
  const { signal } = new AbortController();
  assert.deepEqual(await stores.blobs.sizesOf([content.hash], signal), [undefined]);
});
