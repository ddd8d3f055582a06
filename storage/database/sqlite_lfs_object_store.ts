import type {
  LfsBounds,
  LfsObject,
  LfsObjectStore,
  LfsOutcome,
  LfsPointer,
} from "../../core/lfs_objects.ts";
import type { Chunk } from "../../core/content.ts";
import type { Remote } from "../threads/rpc.ts";
import type { SqlParameters, SqlRow } from "./connection.ts";
import { toBytes } from "./contents.ts";
import type { GroupCommit } from "./group_commit.ts";
import type { PointReader } from "./point_reader.ts";
import type { Reader } from "./reader.ts";
import type { UploadStatement } from "./upload_statements.ts";
import type { Writer } from "./writer.ts";

export interface LfsObjectStoreParts {
  readonly writer: Remote<Writer>;
  readonly reader: Remote<Reader>;
  readonly points: PointReader;
  readonly commits: GroupCommit;
}

/** How many expired objects are removed at a time. */
const MAX_EXPIRED = 100;
const KEY_BYTES = 32;

/** Keeps what waits for a commit in the SQLite file of the records. */
export class SqliteLfsObjectStore implements LfsObjectStore {
  readonly #parts: LfsObjectStoreParts;

  constructor(parts: LfsObjectStoreParts) {
    this.#parts = parts;
  }

  add(object: LfsObject, { maxObjects, quota = Infinity }: LfsBounds): Promise<LfsOutcome> {
    const { writer, commits } = this.#parts;
    const { userId: user, sha256, size, expiresAt: expiry } = object;
    return commits.run(async () => {
      const [former] = await writer.uploadRows("object", { user, sha256 });
      if (former !== undefined) {
        await writer.uploadRows("prolongObject", { id: String(former.id), expiry });
        return "held";
      }
      const [waiting] = await writer.uploadRows("countObjects", { user });
      if (Number(waiting?.count) >= maxObjects) return "tooMany";
      const { bytes, uploading } = await writer.usage(user);
      if (bytes + uploading + size > quota) return "overQuota";
      await writer.uploadRows("addObject", parametersOf(object));
      return "added";
    });
  }

  async waiting(user: number, sha256s: readonly string[], now: number): Promise<LfsObject[]> {
    const parameters = { user, sha256s: JSON.stringify(sha256s), now };
    return (await this.#parts.reader.uploadRows("waitingObjects", parameters)).map(toObject);
  }

  async holds(user: number, pointers: readonly LfsPointer[], now: number): Promise<boolean[]> {
    const waiting = await this.waiting(user, pointers.map(({ sha256 }) => sha256), now);
    const sizes = new Map(waiting.map(({ sha256, size }) => [sha256, size]));
    const parameters = { user, pointers: JSON.stringify(pointers) };
    const rows = await this.#parts.reader.uploadRows("contentOfTree", parameters);
    const found = new Map(rows.map(({ position, hash }) => [position, hash]));
    return pointers.map(({ sha256, size }, position) =>
      sizes.get(sha256) === size || typeof found.get(position) === "string"
    );
  }

  async files(
    user: number,
    directory: string,
    pointers: readonly LfsPointer[],
  ): Promise<(string | undefined)[]> {
    const parameters = { user, directory, pointers: JSON.stringify(pointers) };
    const rows = await this.#parts.reader.uploadRows("fileOfTree", parameters);
    const found = new Map(rows.map(({ position, path }) => [position, path]));
    return pointers.map((_, position) => {
      const path = found.get(position);
      return typeof path === "string" ? path : undefined;
    });
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.#removed("removeObjects", { ids: JSON.stringify(ids) });
  }

  removeExpired(now: number): Promise<string[]> {
    return this.#removed("removeExpiredObjects", { now, limit: MAX_EXPIRED });
  }

  idsAfter(after: string, limit: number): Promise<string[]> {
    return this.#found("objectsAfter", { after, limit });
  }

  present(ids: readonly string[]): Promise<string[]> {
    return this.#found("presentObjects", { ids: JSON.stringify(ids) });
  }

  async key(): Promise<Chunk> {
    const { writer, points, commits } = this.#parts;
    const [found] = points.uploadRows("hubKey", {});
    const key = toBytes(found?.hub_key);
    if (key !== undefined) return key;
    const proposed = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    const [row] = await commits.run(() => writer.uploadRows("addHubKey", { key: proposed }));
    return toBytes(row?.hub_key) ?? proposed;
  }

  #found(statement: UploadStatement, parameters: SqlParameters): Promise<string[]> {
    return Promise.resolve(idsOf(this.#parts.points.uploadRows(statement, parameters)));
  }

  async #removed(statement: UploadStatement, parameters: SqlParameters): Promise<string[]> {
    const { writer, commits } = this.#parts;
    return idsOf(await commits.run(() => writer.uploadRows(statement, parameters)));
  }
}

function idsOf(rows: readonly SqlRow[]): string[] {
  return rows.map(({ id }) => String(id));
}

function parametersOf(object: LfsObject): SqlParameters {
  return {
    id: object.id,
    user: object.userId,
    maker: object.createdBy,
    sha256: object.sha256,
    size: object.size,
    hash: object.hash,
    crc32: object.crc32,
    now: object.createdAt,
    expiry: object.expiresAt,
  };
}

function toObject(row: SqlRow): LfsObject {
  return {
    id: String(row.id),
    userId: Number(row.user_id),
    createdBy: Number(row.created_by),
    sha256: String(row.sha256),
    size: Number(row.size),
    hash: String(row.hash),
    crc32: Number(row.crc32),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}
