import type { DavStore, DeadProperty, Lock } from "../../core/locks.ts";
import type { DavStatement } from "./dav_statements.ts";
import { commit, numberOrNull, type SqlRow, type Statements } from "./dialect.ts";

/** Reads the locks and properties of WebDAV in the database of the records. */
export class SqlDavStore implements DavStore {
  readonly #statements: Statements<DavStatement>;

  constructor(statements: Statements<DavStatement>) {
    this.#statements = statements;
  }

  async locksOf(user: number, now: number): Promise<readonly Lock[]> {
    return (await this.#statements.find("locksOf", { user, now })).map(toLock);
  }

  async propertiesOf(
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, readonly DeadProperty[]>> {
    const rows = await this.#statements.find("propertiesOf", { ids: JSON.stringify(ids) });
    const properties = new Map<number, DeadProperty[]>();
    for (const row of rows) {
      const { namespace, name, xml } = row;
      const own = properties.get(Number(row.record_id)) ?? [];
      own.push({ namespace: String(namespace), name: String(name), xml: String(xml) });
      properties.set(Number(row.record_id), own);
    }
    return properties;
  }

  async forgetProperties(): Promise<void> {
    for (let after = 0;;) {
      const [row] = await this.#statements.find("lastOfPage", { after });
      const last = numberOrNull(row?.last);
      if (last === null) return;
      await commit(this.#statements, "forgetGone", { after, last });
      after = last;
    }
  }
}

export function toLock(row: SqlRow): Lock {
  return {
    token: String(row.token),
    userId: Number(row.user_id),
    path: String(row.path),
    isDeep: Number(row.is_deep) === 1,
    isShared: Number(row.is_shared) === 1,
    holder: Number(row.holder),
    owner: String(row.owner),
    expiresAt: Number(row.expires_at),
  };
}
