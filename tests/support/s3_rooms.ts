/** Stores of content in an object store, by way of a proxy that makes requests fail (C 23). */

import type { ObjectTable } from "../../storage/content/object_table.ts";
import {
  S3BlobStore,
  type S3BlobStoreOptions,
} from "../../storage/content/objects/s3_blob_store.ts";
import type { ContentSettings } from "../../storage/stores/opening.ts";
import type { ContentStores } from "../conformance/blob_store_suite.ts";
import { FaultyProxy } from "./faulty_proxy.ts";
import {
  type OpenRecords,
  postgresRecords,
  type RecordsEngine,
  SQLITE_RECORDS,
} from "./object_stores.ts";
import { S3Engine } from "./s3.ts";
import { TempDir } from "./temp_dir.ts";
import { until } from "./until.ts";

/** A store by way of a proxy, which a test may open again. */
export interface Room extends AsyncDisposable {
  readonly engine: S3Engine;
  readonly proxy: FaultyProxy;
  readonly content: ContentSettings;
  open(options?: OpenOptions): Promise<OpenStores>;
}

export interface OpenOptions extends Partial<Omit<S3BlobStoreOptions, "objects">> {
  /** The table of objects that the store gets of that of the database. */
  readonly objects?: (table: ObjectTable) => ObjectTable;
}

export interface OpenStores extends ContentStores, OpenRecords {
  readonly records: OpenRecords["records"];
  readonly blobs: S3BlobStore;
}

/** A store with a proxy, and records of an engine. */
export async function makeRoom(database: RecordsEngine): Promise<Room> {
  await using parts = new AsyncDisposableStack();
  const engine = parts.use(await S3Engine.start());
  const proxy = parts.use(new FaultyProxy(engine.port));
  const { path } = parts.use(await TempDir.make());
  const content = engine.content(engine.contentUrl("room", proxy.endpoint));
  const room = await database.room(path);
  const owned = parts.move();
  return {
    engine,
    proxy,
    content,
    async open({ objects = (table: ObjectTable) => table, ...options } = {}) {
      await using opened = new AsyncDisposableStack();
      const { records, rows, mayWrite } = opened.use(await room.open());
      const blobs = opened.use(
        await S3BlobStore.open(path, {
          ...content,
          objects: objects(records.objectTable),
          requests: { retryMs: 10 },
          mayWrite,
          // Each object is deleted twice at once.
          secondMs: -1,
          ...options,
        }),
      );
      const held = opened.move();
      return { records, blobs, rows, [Symbol.asyncDispose]: () => held.disposeAsync() };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The objects, once those that are leaving are gone. */
export async function settledKeys({ engine, content }: Room, { blobs, rows }: OpenStores) {
  await until(async () => {
    await blobs.removals.run();
    return (await rows("SELECT key FROM objects WHERE state = 'leaving'")).length === 0;
  });
  return await engine.keys(content);
}

const DATABASES = [SQLITE_RECORDS, postgresRecords()];

/** Declares a test with each database. */
export function faults(
  title: string,
  body: (room: Room, database: RecordsEngine) => Promise<void>,
): void {
  for (const database of DATABASES) {
    Deno.test({
      name: `C 23 with ${database.name}, ${title}`,
      ignore: !S3Engine.isInstalled || !database.isInstalled,
      async fn() {
        await using room = await makeRoom(database);
        await body(room, database);
      },
    });
  }
}

/** The same table, which calls something before a method. */
export function failing(
  table: ObjectTable,
  method: keyof ObjectTable,
  before: () => void,
): ObjectTable {
  return new Proxy(table, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (name === method) before();
        return value.apply(target, given);
      };
    },
  });
}
