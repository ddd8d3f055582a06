import * as v from "valibot";
import type { ListedFacts, ObjectFacts } from "../../core/object_facts.ts";
import type {
  ListedRecord,
  MultipartUpload,
  RecordsQuery,
  S3Store,
  UploadedPart,
  UploadsQuery,
} from "../../core/s3/store.ts";
import { S3Checksum, S3ChecksumKind, S3Metadata } from "../../schemas/s3_metadata.ts";
import { commit, type SqlRow, type Statements } from "./dialect.ts";
import type { S3Statement } from "./s3_statements.ts";

/** Sorts after all paths. */
const LAST = "\u{10ffff}";
/** How many rows are forgotten at a time. */
const MAX_FORGOTTEN = 1000;

/** Keeps what the S3 door needs in the database of the records. */
export class SqlS3Store implements S3Store {
  readonly #statements: Statements<S3Statement>;

  constructor(statements: Statements<S3Statement>) {
    this.#statements = statements;
  }

  async records(query: RecordsQuery): Promise<ListedRecord[]> {
    const { userId: user, directory, from, before, limit } = query;
    const bounds = { user, limit };
    if (directory === undefined) {
      return (await this.#statements.read("recordsBetween", { ...bounds, from, before }))
        .map(toRecord);
    }
    // Both bounds are of children of the directory.
    const start = directory === "" ? 0 : directory.length + 1;
    const names = { from: from.slice(start), before: before.slice(start) };
    const rows = directory === ""
      ? await this.#statements.read("recordsInRoot", { ...bounds, ...names })
      : await this.#statements.read("recordsIn", { ...bounds, ...names, directory });
    return rows.map(toRecord);
  }

  async facts(
    { id: record, hash }: { readonly id: number; readonly hash: string },
  ): Promise<ObjectFacts | undefined> {
    const [row] = await this.#statements.find("facts", { record, hash });
    return row && toFacts(row);
  }

  async addUpload(upload: MultipartUpload, max: number): Promise<boolean> {
    const { id, userId: user, path, createdAt: now, expiresAt: expiry } = upload;
    const metadata = JSON.stringify(upload.metadata);
    const checksum = upload.checksum === undefined ? null : JSON.stringify(upload.checksum);
    const parameters = { id, user, path, metadata, checksum, now, expiry, max };
    return (await commit(this.#statements, "addUpload", parameters)).length > 0;
  }

  async findUpload(user: number, id: string, now: number): Promise<MultipartUpload | undefined> {
    // PostgreSQL refuses to look for it.
    if (id.includes("\0")) return undefined;
    return (await this.#statements.find("findUpload", { user, id, now })).map(toUpload)[0];
  }

  async uploads(query: UploadsQuery): Promise<MultipartUpload[]> {
    const { userId: user, prefix, after, now, limit } = query;
    const before = `${prefix}${LAST}`;
    const rows = await this.#statements.read("uploads", {
      ...{ user, now, limit, prefix, before },
      ...after,
    });
    return rows.map(toUpload);
  }

  keepPart(upload: string, part: UploadedPart, expiry: number): Promise<string | undefined> {
    const { number, createdAt: now, checksum = null, ...rest } = part;
    return this.#statements.write(async (run) => {
      if ((await run("extendUpload", { id: upload, expiry })).length === 0) return part.part;
      const [former] = await run("part", { upload, number });
      await run("keepPart", { upload, number, now, checksum, ...rest });
      return former === undefined ? undefined : String(former.part);
    });
  }

  async parts(upload: string, after: number, limit: number): Promise<UploadedPart[]> {
    return (await this.#statements.read("parts", { upload, after, limit })).map(toPart);
  }

  async removeUpload(id: string): Promise<void> {
    await commit(this.#statements, "removeUpload", { id });
  }

  async forgetOld(now: number): Promise<void> {
    await commit(this.#statements, "removeExpiredUploads", { now });
    for (let count = MAX_FORGOTTEN; count === MAX_FORGOTTEN;) {
      count = (await commit(this.#statements, "forgetFacts", { limit: MAX_FORGOTTEN })).length;
    }
  }
}

function toUpload(row: SqlRow): MultipartUpload {
  return {
    id: String(row.id),
    userId: Number(row.user_id),
    path: String(row.path),
    metadata: toMetadata(row),
    checksum: row.checksum === null
      ? undefined
      : v.parse(S3ChecksumKind, JSON.parse(String(row.checksum))),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}

function toPart(row: SqlRow): UploadedPart {
  return {
    number: Number(row.number),
    part: String(row.part),
    position: Number(row.position),
    size: Number(row.size),
    md5: String(row.md5),
    checksum: row.checksum === null ? undefined : String(row.checksum),
    createdAt: Number(row.created_at),
  };
}

/** What is kept of an object, by its columns. */
export function toFacts({ etag, metadata }: Readonly<Record<string, unknown>>): ObjectFacts {
  return { etag: etag === null ? undefined : String(etag), metadata: toMetadata({ metadata }) };
}

function toMetadata({ metadata }: { readonly metadata?: unknown }): S3Metadata {
  return v.parse(S3Metadata, JSON.parse(String(metadata)));
}

function toRecord(row: SqlRow): ListedRecord {
  return {
    path: String(row.path),
    isDir: Boolean(row.is_dir),
    size: Number(row.size),
    hash: row.hash === null ? "" : String(row.hash),
    updatedAt: Number(row.updated_at),
    ...toListedFacts(row),
  };
}

/** What lists have of an object, by the columns of {@link listedColumns}. */
export function toListedFacts({ etag, checksum }: SqlRow): ListedFacts {
  return {
    etag: etag === null ? undefined : String(etag),
    checksum: checksum === null ? undefined : v.parse(S3Checksum, JSON.parse(String(checksum))),
  };
}
