import type {
  LfsBounds,
  LfsObject,
  LfsObjectStore,
  LfsOutcome,
  LfsPointer,
} from "../../core/lfs_objects.ts";
import type { Chunk } from "../../core/content.ts";
import { inParts } from "./parts.ts";
import { commit, type SqlParameters, type SqlRow, type Statements, toBytes } from "./dialect.ts";
import type { UploadStatement } from "./upload_statements.ts";

/** How many expired objects are removed at a time. */
const MAX_EXPIRED = 100;
const KEY_BYTES = 32;

/** Keeps what waits for a commit in the database of the records. */
export class SqlLfsObjectStore implements LfsObjectStore {
  readonly #statements: Statements<UploadStatement>;

  constructor(statements: Statements<UploadStatement>) {
    this.#statements = statements;
  }

  add(object: LfsObject, { maxObjects, quota = Infinity }: LfsBounds): Promise<LfsOutcome> {
    const { userId: user, sha256, size, expiresAt: expiry } = object;
    return this.#statements.write(async (run) => {
      const [former] = await run("object", { user, sha256 });
      if (former !== undefined) {
        await run("prolongObject", { id: String(former.id), expiry });
        return "held";
      }
      const [waiting] = await run("countObjects", { user });
      if (Number(waiting?.count) >= maxObjects) return "tooMany";
      const [usage] = await run("usage", { user });
      if (Number(usage?.bytes) + size > quota) return "overQuota";
      await run("addObject", parametersOf(object));
      return "added";
    }, user);
  }

  async waiting(user: number, sha256s: readonly string[], now: number): Promise<LfsObject[]> {
    return await inParts(sha256s, async (part) => {
      const parameters = { user, sha256s: JSON.stringify(part), now };
      return (await this.#statements.read("waitingObjects", parameters)).map(toObject);
    });
  }

  async holds(user: number, pointers: readonly LfsPointer[], now: number): Promise<boolean[]> {
    const waiting = await this.waiting(user, pointers.map(({ sha256 }) => sha256), now);
    const sizes = new Map(waiting.map(({ sha256, size }) => [sha256, size]));
    const parameters = { user, pointers: JSON.stringify(pointers) };
    const rows = await this.#statements.read("contentOfTree", parameters);
    const found = new Map(rows.map(({ position, hash }) => [Number(position), hash]));
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
    const rows = await this.#statements.read("fileOfTree", parameters);
    const found = new Map(rows.map(({ position, path }) => [Number(position), path]));
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
    const [found] = await this.#statements.find("hubKey", {});
    const key = toBytes(found?.hub_key);
    if (key !== undefined) return key;
    const proposed = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    const [row] = await commit(this.#statements, "addHubKey", { key: proposed });
    return toBytes(row?.hub_key) ?? proposed;
  }

  async #found(statement: UploadStatement, parameters: SqlParameters): Promise<string[]> {
    return idsOf(await this.#statements.find(statement, parameters));
  }

  async #removed(statement: UploadStatement, parameters: SqlParameters): Promise<string[]> {
    return idsOf(await commit(this.#statements, statement, parameters));
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
