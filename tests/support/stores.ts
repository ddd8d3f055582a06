import type { CredentialStore } from "../../core/credential_store.ts";
import type { ResourceStore } from "../../core/ports.ts";
import { SQLITE } from "../../storage/sqlite/dialect.ts";
import { SqliteResourceStore } from "../../storage/sqlite/sqlite_resource_store.ts";
import type { ResourceStoreOptions } from "../../storage/sqlite/store_options.ts";
import type { RecordStore } from "../../storage/tables/record_store.ts";
import { POSTGRES } from "../../storage/postgres/dialect.ts";
import type { Dialect, SqlRow } from "../../storage/tables/dialect.ts";
import { openPostgresStore } from "./postgres_store.ts";
import { withContents } from "./referenced_contents.ts";
import { TempDir } from "./temp_dir.ts";
import { openSqlite } from "./test_database.ts";

/** The stores of a database: all that both engines have. */
export type Stores =
  & ResourceStore
  & Pick<
    SqliteResourceStore,
    | "history"
    | "dav"
    | "hub"
    | "links"
    | "mirror"
    | "objectTable"
    | "objects"
    | "people"
    | "probe"
    | "scans"
    | "searchIndex"
    | "sessions"
    | "shares"
    | "signIns"
    | "upkeep"
    | "uploads"
    | "verdicts"
  >
  & Pick<RecordStore, "contents" | "measure" | "search">
  & { readonly credentials: CredentialStore };

/** Stores over an empty database. Records that are added have rows of their contents. */
export interface OpenedStores extends AsyncDisposable {
  readonly store: Stores;
  readonly dialect: Dialect;
  /** Runs a statement on a connection that no transaction of the store has. */
  rows(sql: string): Promise<SqlRow[]>;
}

/** The name of an engine, and how to open stores over it. */
export interface StoresEngine {
  readonly name: string;
  open(): Promise<OpenedStores>;
}

/** Declares tests for an engine, each of which has stores of its own. */
export function storesTest({ name, open }: StoresEngine) {
  return (title: string, body: (opened: OpenedStores, t: Deno.TestContext) => Promise<void>) =>
    Deno.test(`${name} ${title}`, async (t) => {
      await using opened = await open();
      await body(opened, t);
    });
}

/** Which changes are large. */
export type ChangeOptions = Pick<ResourceStoreOptions, "maxDirectRecords">;

export async function openSqliteStores(options: ChangeOptions = {}): Promise<OpenedStores> {
  await using made = new AsyncDisposableStack();
  const directory = made.use(await TempDir.make());
  const path = `${directory.path}/test.db`;
  const store = made.use(await SqliteResourceStore.open(path, { ...options, resultsVersion: "1" }));
  const database = made.use(openSqlite(path));
  const kept = made.move();
  return {
    store: withContents(store),
    dialect: SQLITE,
    rows: (sql) => database.all(sql),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** @param url The URL of an empty database. */
export async function openPostgresStores(
  url: string,
  options: ChangeOptions = {},
): Promise<OpenedStores> {
  const store = await openPostgresStore(url, { ...options, resultsVersion: "1" });
  return {
    store: withContents(store),
    dialect: POSTGRES,
    rows: (sql) => store.database.use("reads", (session) => session.all(sql)),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
