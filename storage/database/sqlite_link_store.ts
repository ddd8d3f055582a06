import { Buffer } from "node:buffer";
import type { Link, LinkPage, LinkScope, LinkStore, NewLink } from "../../core/links.ts";
import type { Remote } from "../threads/rpc.ts";
import type { SqlParameters, SqlRow } from "./connection.ts";
import type { GroupCommit } from "./group_commit.ts";
import type { AccessStatement } from "./access_statements.ts";
import type { PointReader } from "./point_reader.ts";
import type { Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

export interface LinkStoreParts {
  readonly writer: Remote<Writer>;
  readonly reader: Remote<Reader>;
  readonly points: PointReader;
  readonly commits: GroupCommit;
}

/** Keeps links in the SQLite file of the records. */
export class SqliteLinkStore implements LinkStore {
  readonly #parts: LinkStoreParts;

  constructor(parts: LinkStoreParts) {
    this.#parts = parts;
  }

  async add(link: NewLink, max: number): Promise<Link | undefined> {
    const { writer, commits } = this.#parts;
    const { createdAt: now } = link;
    const rows = await commits.run(async () => {
      await writer.accessRows("forgetExpired", { now });
      return await writer.accessRows("add", {
        token: Buffer.from(link.tokenSha256, "hex"),
        user: link.userId,
        record: link.recordId,
        path: link.path,
        maker: link.createdBy,
        now,
        expiry: link.expiresAt,
        once: Number(link.once),
        max,
      });
    });
    return rows.map(toLink)[0];
  }

  find(tokenSha256: string, now: number): Promise<Link | undefined> {
    const token = Buffer.from(tokenSha256, "hex");
    return Promise.resolve(this.#parts.points.accessRows("find", { token, now }).map(toLink)[0]);
  }

  async list(scope: LinkScope, { limit, before }: LinkPage, now: number): Promise<Link[]> {
    const rows = await this.#parts.reader.accessRows("list", {
      ...parametersOf(scope),
      limit,
      before: before ?? Number.MAX_SAFE_INTEGER,
      now,
    });
    return rows.map(toLink);
  }

  async use(id: number, now: number): Promise<boolean> {
    return (await this.#commit("use", { id, now })).length > 0;
  }

  async remove(scope: LinkScope, id: number): Promise<Link | undefined> {
    return (await this.#commit("remove", { ...parametersOf(scope), id })).map(toLink)[0];
  }

  #commit(statement: AccessStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return this.#parts.commits.run(() => this.#parts.writer.accessRows(statement, parameters));
  }
}

function parametersOf({ userId, createdBy }: LinkScope): SqlParameters {
  return { user: userId ?? null, maker: createdBy ?? null };
}

function toLink(row: SqlRow): Link {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    recordId: Number(row.record_id),
    path: String(row.path),
    createdBy: Number(row.created_by),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    once: row.once === 1,
    usedAt: row.used_at === null ? null : Number(row.used_at),
  };
}
