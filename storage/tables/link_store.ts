import { Buffer } from "node:buffer";
import type { Link, LinkPage, LinkScope, LinkStore, NewLink } from "../../core/links.ts";
import { KEPT_PER_VALID } from "../../core/settled_time.ts";
import { settledTime } from "./clock.ts";
import {
  commit,
  numberOrNull,
  type SqlParameters,
  type SqlRow,
  type Statements,
  textOrNull,
} from "./dialect.ts";
import type { LinkStatement } from "./link_statements.ts";

/** Keeps links in the database of the records. */
export class SqlLinkStore implements LinkStore {
  readonly #statements: Statements<LinkStatement>;

  constructor(statements: Statements<LinkStatement>) {
    this.#statements = statements;
  }

  async add(link: NewLink, max: number): Promise<Link | undefined> {
    const { createdAt: now } = link;
    const rows = await this.#statements.write(async (run) => {
      await run("forgetExpired", { now: await settledTime({ run }, now) });
      return await run("add", {
        token: Buffer.from(link.tokenSha256, "hex"),
        user: link.userId,
        record: link.recordId,
        path: link.path,
        maker: link.createdBy,
        jti: link.jti,
        issued: link.issuedAt,
        key: link.keyId,
        now,
        expiry: link.expiresAt,
        once: Number(link.once),
        max,
        maxKept: max * KEPT_PER_VALID,
      });
    }, link.createdBy);
    return rows.map(toLink)[0];
  }

  async find(tokenSha256: string, now: number): Promise<Link | undefined> {
    const token = Buffer.from(tokenSha256, "hex");
    return (await this.#statements.find("find", { token, now })).map(toLink)[0];
  }

  async list(scope: LinkScope, { limit, before }: LinkPage, now: number): Promise<Link[]> {
    const rows = await this.#statements.read("list", {
      ...parametersOf(scope),
      limit,
      before: before ?? Number.MAX_SAFE_INTEGER,
      now,
    });
    return rows.map(toLink);
  }

  async use(id: number, now: number): Promise<boolean> {
    return (await commit(this.#statements, "use", { id, now })).length > 0;
  }

  async remove(scope: LinkScope, id: number): Promise<Link | undefined> {
    // PostgreSQL refuses to look for ids that no link can have.
    if (!Number.isSafeInteger(id)) return undefined;
    const parameters = { ...parametersOf(scope), id };
    return (await commit(this.#statements, "remove", parameters)).map(toLink)[0];
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
    jti: textOrNull(row.jti),
    issuedAt: Number(row.issued_at),
    keyId: textOrNull(row.key_id),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    once: row.once === 1,
    usedAt: numberOrNull(row.used_at),
  };
}
