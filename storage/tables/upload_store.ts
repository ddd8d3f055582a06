import * as v from "valibot";
import { OnConflict } from "../../schemas/resources.ts";
import {
  type NewUpload,
  type ResumableUpload,
  type UploadBounds,
  uploadEnded,
  type UploadStore,
} from "../../core/uploads.ts";
import {
  commit,
  numberOrNull,
  type SqlParameters,
  type SqlRow,
  type Statements,
} from "./dialect.ts";
import type { UploadStatement } from "./upload_statements.ts";

/** How many expired uploads are looked up at a time. */
const MAX_EXPIRED = 100;

/** Keeps resumable uploads in the database of the records. */
export class SqlUploadStore implements UploadStore {
  readonly #statements: Statements<UploadStatement>;

  constructor(statements: Statements<UploadStatement>) {
    this.#statements = statements;
  }

  add(upload: NewUpload, bounds: UploadBounds): Promise<"added" | "tooMany" | "overQuota"> {
    const { userId: user, size } = upload;
    const { maxUnfinished, quota = Infinity, replacedBytes } = bounds;
    return this.#statements.write(async (run) => {
      const [unfinished] = await run("unfinished", { user, concat: upload.concat });
      if (Number(unfinished?.count) >= maxUnfinished) return "tooMany";
      const [usage] = await run("usage", { user });
      if (Number(usage?.bytes) + size - replacedBytes > quota) return "overQuota";
      await run("add", parametersOf(upload));
      return "added";
    }, user);
  }

  async find(user: number, id: string, now: number): Promise<ResumableUpload | undefined> {
    // PostgreSQL refuses to look for it.
    if (id.includes("\0")) return undefined;
    return (await this.#statements.find("find", { user, id, now })).map(toUpload)[0];
  }

  fix(
    { id, userId: user, size: counted }: ResumableUpload,
    size: number,
    quota = Infinity,
  ): Promise<boolean> {
    return this.#statements.write(async (run) => {
      const [usage] = await run("usage", { user });
      if (Number(usage?.bytes) + size - counted > quota) return false;
      if ((await run("fix", { id, size })).length === 0) throw uploadEnded();
      return true;
    }, user);
  }

  async advance(
    id: string,
    { received, expiresAt, turn }: { received: number; expiresAt: number; turn: number },
  ): Promise<void> {
    const parameters = { id, received, expiry: expiresAt, turn };
    const advanced = await commit(this.#statements, "advance", parameters);
    if (advanced.length > 0) return;
    throw uploadEnded();
  }

  async remove(id: string, turn?: number): Promise<void> {
    await commit(this.#statements, "remove", { id, turn: turn ?? null });
  }

  async removeAll(ids: readonly string[]): Promise<void> {
    await commit(this.#statements, "removeAll", { ids: JSON.stringify(ids) });
  }

  expired(now: number): Promise<string[]> {
    return this.#ids("expired", { now, limit: MAX_EXPIRED });
  }

  unfinishedAfter(after: string, limit: number): Promise<string[]> {
    return this.#ids("allUnfinished", { after, limit });
  }

  unfinished(ids: readonly string[]): Promise<string[]> {
    return this.#ids("withParts", { ids: JSON.stringify(ids) });
  }

  async #ids(statement: UploadStatement, parameters: SqlParameters): Promise<string[]> {
    return (await this.#statements.find(statement, parameters)).map(({ id }) => String(id));
  }
}

function parametersOf(upload: NewUpload): SqlParameters {
  return {
    id: upload.id,
    user: upload.userId,
    maker: upload.createdBy,
    path: upload.path,
    size: upload.size,
    sha256: upload.sha256 ?? null,
    onConflict: upload.onConflict,
    metadata: upload.metadata,
    now: upload.createdAt,
    expiry: upload.expiresAt,
    deferred: Number(upload.deferred),
    concat: upload.concat,
  };
}

function toUpload(row: SqlRow): ResumableUpload {
  return {
    id: String(row.id),
    userId: Number(row.user_id),
    createdBy: Number(row.created_by),
    path: String(row.path),
    size: Number(row.size),
    deferred: Number(row.deferred) === 1,
    concat: String(row.concat),
    received: Number(row.received),
    sha256: row.sha256 === null ? undefined : String(row.sha256),
    onConflict: v.parse(OnConflict, row.on_conflict),
    metadata: String(row.metadata),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    completedAt: numberOrNull(row.completed_at),
  };
}
