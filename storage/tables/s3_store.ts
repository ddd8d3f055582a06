import * as v from "valibot";
import type { ObjectFacts } from "../../core/object_facts.ts";
import type { ListedRecord, RecordsQuery, S3Store } from "../../core/s3/store.ts";
import { S3Metadata } from "../../schemas/s3_metadata.ts";
import type { SqlParameters, SqlRow, Statements } from "./dialect.ts";
import type { S3Statement } from "./s3_statements.ts";

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
    if (row === undefined) return undefined;
    return {
      etag: row.etag === null ? undefined : String(row.etag),
      metadata: v.parse(S3Metadata, JSON.parse(String(row.metadata))),
    };
  }
}

/** The parameters of the statement that keeps facts. */
export function factsRow(
  { id: record, hash }: { readonly id: number; readonly hash: string },
  { etag, metadata }: ObjectFacts,
): SqlParameters {
  return { record, hash, etag: etag ?? null, metadata: JSON.stringify(metadata) };
}

function toRecord(row: SqlRow): ListedRecord {
  return {
    path: String(row.path),
    isDir: Boolean(row.is_dir),
    size: Number(row.size),
    hash: row.hash === null ? "" : String(row.hash),
    updatedAt: Number(row.updated_at),
    etag: row.etag === null ? undefined : String(row.etag),
  };
}
