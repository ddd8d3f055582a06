/**
 * The engines that test servers use (C 23): those that TEST_ENGINES names, otherwise the embedded
 * ones. `deno task ok:engines` sets it. A test may name others for a data directory.
 */

import { createHash } from "node:crypto";
import type { ContentSettings } from "../../storage/stores/opening.ts";
import { type DatabaseAddress, databaseOf } from "../../schemas/database_url.ts";
import { PgBouncer } from "./pgbouncer.ts";
import { Postgres } from "./postgres.ts";
import { S3_CREDENTIALS, S3Engine } from "./s3.ts";

const NAMES = (Deno.env.get("TEST_ENGINES") ?? "").split(",").filter((it) => it !== "");
const KNOWN = ["s3", "postgres", "pgbouncer"];
const unknown = NAMES.find((name) => !KNOWN.includes(name));
if (unknown !== undefined) throw new Error(`Unknown engine ${unknown}: expected ${KNOWN.join()}`);

// They fail where the engine is not installed: the tests would pass with another one.
const STORE = NAMES.includes("s3") ? await S3Engine.start() : undefined;
const POSTGRES = NAMES.includes("postgres") ? await Postgres.start() : undefined;
/** Stands before the databases of servers. Tests look past it. */
const POOLER = POSTGRES !== undefined && NAMES.includes("pgbouncer")
  ? await PgBouncer.start(POSTGRES)
  : undefined;
for (const engine of [STORE, POOLER, POSTGRES]) {
  if (engine === undefined) continue;
  // They end with the process, which does not wait for them.
  engine.unref();
  globalThis.addEventListener("unload", () => engine.endSync());
}
const DATABASES = new Map<string, Promise<string>>();
const STORES = new Map<string, S3Engine>();

/** Whether test servers keep records in a SQLite file: tests look at it. */
export const IN_SQLITE = POSTGRES === undefined;

/** The URL of the PostgreSQL database for the records of a data directory, if test servers use one. */
export async function databaseUrlOf(dataDir: string): Promise<string | undefined> {
  const url = DATABASES.get(dataDir) ?? POSTGRES?.createDatabase();
  if (url !== undefined) DATABASES.set(dataDir, url);
  return await url;
}

/** The address by which a server reaches the database of {@link databaseUrlOf}. */
export async function databaseAddressOf(dataDir: string): Promise<DatabaseAddress | undefined> {
  return databaseOf(databaseSettings(await databaseUrlOf(dataDir)));
}

function databaseSettings(url: string | undefined) {
  const isPooled = url !== undefined && URL.parse(url)?.port === String(POSTGRES?.port);
  if (POOLER === undefined || !isPooled) return { databaseUrl: url };
  return { databaseUrl: POOLER.urlOf(url), databaseDirectUrl: url };
}

/** Names the database of a data directory, whichever engines test servers use. */
export function useDatabase(dataDir: string, url: string): void {
  DATABASES.set(dataDir, Promise.resolve(url));
}

/** Whether test servers keep content in files: tests look at those. */
export const IN_FILES = STORE === undefined;

/** Whether several servers may share the engines: they collect content without a record. */
export const IS_SHARED = !IN_SQLITE && !IN_FILES;

/** The object store for the content of a data directory, if test servers use one. */
export function contentOf(dataDir: string): ContentSettings | undefined {
  const url = contentUrlOf(dataDir);
  return url === undefined ? undefined : storeOf(dataDir)?.content(url);
}

/** Names the object store of a data directory, whichever engines test servers use. */
export function useObjectStore(dataDir: string, store: S3Engine): void {
  STORES.set(dataDir, store);
}

/** The file in which the object store of a data directory keeps an object. */
export function objectFile(dataDir: string, key: string): string {
  const store = storeOf(dataDir);
  if (store === undefined) throw new Error("The data directory has no object store");
  return `${store.objects}/${key}`;
}

/** The names of all objects of a data directory. */
export async function objectsOf(dataDir: string): Promise<string[]> {
  const content = contentOf(dataDir);
  return content === undefined ? [] : await storeOf(dataDir)?.keys(content) ?? [];
}

/** The settings with which commands use the engines of a data directory. */
export async function engineSettings(dataDir: string): Promise<Record<string, string>> {
  const { databaseUrl, databaseDirectUrl } = databaseSettings(await databaseUrlOf(dataDir));
  const contentUrl = contentUrlOf(dataDir);
  return {
    ...(databaseUrl !== undefined && { STRONGROOM_DATABASE_URL: databaseUrl }),
    ...(databaseDirectUrl !== undefined && { STRONGROOM_DATABASE_DIRECT_URL: databaseDirectUrl }),
    ...(contentUrl !== undefined && {
      STRONGROOM_CONTENT_URL: contentUrl,
      STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
      STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
    }),
  };
}

function contentUrlOf(dataDir: string): string | undefined {
  return storeOf(dataDir)?.contentUrl(createHash("md5").update(dataDir).digest("hex"));
}

function storeOf(dataDir: string): S3Engine | undefined {
  return STORES.get(dataDir) ?? STORE;
}
