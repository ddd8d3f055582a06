import * as v from "valibot";
import { OnConflict } from "../../schemas/resources.ts";
import type { NewUpload, ResumableUpload, UploadBounds, UploadStore } from "../../core/uploads.ts";
import type { Remote } from "../threads/rpc.ts";
import type { SqlParameters, SqlRow } from "./connection.ts";
import type { GroupCommit } from "./group_commit.ts";
import type { PointReader } from "./point_reader.ts";
import type { UploadStatement } from "./upload_statements.ts";
import type { Writer } from "./writer.ts";

export interface UploadStoreParts {
  readonly writer: Remote<Writer>;
  readonly points: PointReader;
  readonly commits: GroupCommit;
}

/** How many expired uploads are looked up at a time. */
const MAX_EXPIRED = 100;

/** Keeps resumable uploads in the SQLite file of the records. */
export class SqliteUploadStore implements UploadStore {
  readonly #parts: UploadStoreParts;

  constructor(parts: UploadStoreParts) {
    this.#parts = parts;
  }

  add(upload: NewUpload, bounds: UploadBounds): Promise<"added" | "tooMany" | "overQuota"> {
    const { writer, commits } = this.#parts;
    const { userId: user, size } = upload;
    const { maxUnfinished, quota = Infinity, replacedBytes } = bounds;
    return commits.run(async () => {
      const [unfinished] = await writer.uploadRows("unfinished", { user });
      if (Number(unfinished?.count) >= maxUnfinished) return "tooMany";
      const { bytes, uploading } = await writer.usage(user);
      if (bytes + uploading + size - replacedBytes > quota) return "overQuota";
      await writer.uploadRows("add", parametersOf(upload));
      return "added";
    });
  }

  find(user: number, id: string, now: number): Promise<ResumableUpload | undefined> {
    return Promise.resolve(
      this.#parts.points.uploadRows("find", { user, id, now }).map(toUpload)[0],
    );
  }

  async advance(id: string, received: number, expiry: number): Promise<void> {
    await this.#commit("advance", { id, received, expiry });
  }

  async remove(id: string): Promise<void> {
    await this.#commit("remove", { id });
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

  #ids(statement: UploadStatement, parameters: SqlParameters): Promise<string[]> {
    const rows = this.#parts.points.uploadRows(statement, parameters);
    return Promise.resolve(rows.map(({ id }) => String(id)));
  }

  #commit(statement: UploadStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return this.#parts.commits.run(() => this.#parts.writer.uploadRows(statement, parameters));
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
  };
}

function toUpload(row: SqlRow): ResumableUpload {
  return {
    id: String(row.id),
    userId: Number(row.user_id),
    createdBy: Number(row.created_by),
    path: String(row.path),
    size: Number(row.size),
    received: Number(row.received),
    sha256: row.sha256 === null ? undefined : String(row.sha256),
    onConflict: v.parse(OnConflict, row.on_conflict),
    metadata: String(row.metadata),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    completedAt: row.completed_at === null ? null : Number(row.completed_at),
  };
}
