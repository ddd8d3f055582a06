/** Strongrooms of each combination of engines (C 23), for checks. */

import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { databaseAddress } from "../../schemas/database_url.ts";
import { check, type CheckOptions, type CheckResult } from "../../storage/upkeep/check/check.ts";
import type { ContentSettings } from "../../storage/stores/opening.ts";
import { Database } from "../../storage/postgres/database.ts";
import type { SqlRow } from "../../storage/tables/dialect.ts";
import { Bucket } from "../../storage/content/objects/bucket.ts";
import { S3Requests } from "../../storage/content/objects/requests.ts";
import { Postgres } from "./postgres.ts";
import { S3Engine, SIGNED_BY_TESTS } from "./s3.ts";
import { TestServer } from "./server.ts";
import { blobFile } from "./stored_content.ts";
import { TempDir } from "./temp_dir.ts";
import { openSqlite } from "./test_database.ts";

/** The engines of a strongroom. */
export interface Engines {
  readonly name: string;
  readonly inPostgres: boolean;
  readonly inObjects: boolean;
}

export const COMBINATIONS: readonly Engines[] = [
  { name: "SQLite and a directory", inPostgres: false, inObjects: false },
  { name: "SQLite and an object store", inPostgres: false, inObjects: true },
  { name: "PostgreSQL and a directory", inPostgres: true, inObjects: false },
  { name: "PostgreSQL and an object store", inPostgres: true, inObjects: true },
];

/** Engines for rooms, which start when they are needed. */
export class Rooms implements AsyncDisposable {
  #postgres: Promise<Postgres> | undefined;
  #store: Promise<S3Engine> | undefined;

  static areInstalled({ inPostgres, inObjects }: Engines): boolean {
    return (!inPostgres || Postgres.isInstalled) && (!inObjects || S3Engine.isInstalled);
  }

  /**
   * @param options.contentUrl The address of objects whose database is to be restored.
   * @param options.isEmpty Whether its database has no tables yet.
   */
  async make(
    { inPostgres, inObjects }: Engines,
    { contentUrl, isEmpty = false }: { readonly contentUrl?: string; readonly isEmpty?: boolean } =
      {},
  ): Promise<CheckedRoom> {
    const postgres = inPostgres ? await (this.#postgres ??= Postgres.start()) : undefined;
    const store = inObjects ? await (this.#store ??= S3Engine.start()) : undefined;
    const directory = await TempDir.make();
    const url = isEmpty ? await postgres?.createEmptyDatabase() : await postgres?.createDatabase();
    return new CheckedRoom(directory, url, store, contentUrl);
  }

  /** The directory of the programs of PostgreSQL. */
  async programs(): Promise<string> {
    return (await (this.#postgres ??= Postgres.start())).programs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#postgres)?.[Symbol.asyncDispose]();
    await (await this.#store)?.[Symbol.asyncDispose]();
  }
}

/** A strongroom that is damaged and checked. */
export class CheckedRoom implements AsyncDisposable {
  readonly #directory: TempDir;
  readonly url: string | undefined;
  readonly store: S3Engine | undefined;
  readonly contentUrl: string | undefined;
  readonly content: ContentSettings | undefined;

  constructor(
    directory: TempDir,
    url: string | undefined,
    store: S3Engine | undefined,
    contentUrl = store?.contentUrl(),
  ) {
    this.#directory = directory;
    this.url = url;
    this.store = store;
    this.contentUrl = contentUrl;
    this.content = store?.content(contentUrl);
  }

  get dataDir(): string {
    return this.#directory.path;
  }

  serve(dataDir = this.dataDir): Promise<TestServer> {
    return TestServer.start({
      dataDir,
      // History would keep deleted content.
      settings: { databaseUrl: this.url, history: 0 },
      ...this.content !== undefined && { content: this.content },
    });
  }

  check(options: Partial<CheckOptions> = {}): Promise<CheckResult> {
    const { url, content } = this;
    return check(this.dataDir, {
      readData: false,
      repair: false,
      onProgress: () => {},
      database: url === undefined ? undefined : databaseAddress(url),
      content,
      ...options,
    });
  }

  /** Runs a statement without the rules that the schema has. */
  async rows(sql: string): Promise<SqlRow[]> {
    if (this.url === undefined) {
      const path = `${this.dataDir}/strongroom.db`;
      const pragmas = "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF";
      await using database = openSqlite(path, pragmas);
      return await database.all(sql);
    }
    await using database = await Database.open(databaseAddress(this.url), { connections: 1 });
    return await database.use("long", async (session) => {
      await session.script("SET session_replication_role = replica");
      return await session.all(sql);
    });
  }

  get bucket(): Bucket {
    if (this.content === undefined) throw new Error("The room has no object store");
    return new Bucket(new S3Requests(this.content.location, SIGNED_BY_TESTS));
  }

  /** Writes an object that the database does not know, and returns its name. */
  async put(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const key = `${this.content?.location.prefix}${name}`;
    const view = new DataView(new ArrayBuffer(4));
    view.setUint32(0, crc32(bytes));
    await this.bucket.put(key, bytes, new Uint8Array(view.buffer).toBase64());
    return key;
  }

  /** The file of large content, in the directory or in the object store. */
  async fileOf(hash: string): Promise<string> {
    const [row] = await this.rows(`SELECT object FROM contents WHERE hash = '${hash}'`);
    return typeof row?.object === "string"
      ? `${this.store?.objects}/${row.object}`
      : blobFile(this.dataDir, hash);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#directory[Symbol.asyncDispose]();
  }
}

export const md5 = (content: string | Uint8Array): string =>
  createHash("md5").update(content).digest("hex");

/** The kinds of findings, each with a mark if it was repaired. */
export function kindsOf({ findings }: CheckResult): string[] {
  return findings.listed.map(({ kind, repaired }) => repaired ? `${kind} repaired` : kind);
}
