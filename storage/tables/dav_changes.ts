import type { Copied, DavChanges, Lock, PropertyChange } from "../../core/locks.ts";
import type { DavStatement } from "./dav_statements.ts";
import { toLock } from "./dav_store.ts";
import type { SqlParameters, SqlRow } from "./dialect.ts";

/** What a database may have. */
export interface DavHint {
  /** Locks in a tree. */
  readonly locks: boolean;
  /** Properties in any tree. */
  readonly properties: boolean;
}

export interface DavParts {
  /** Runs a statement in the transaction, which changes the tree of a user. */
  readonly run: (
    userId: number,
    statement: DavStatement,
    parameters: SqlParameters,
  ) => Promise<SqlRow[]>;
  /** What is known without a statement of its own. */
  readonly hint: (userId: number, now: number) => Promise<DavHint>;
}

/** Changes locks and properties in a write transaction. */
export class SqlDavChanges implements DavChanges {
  readonly #parts: DavParts;

  constructor(parts: DavParts) {
    this.#parts = parts;
  }

  async locksOf(user: number, now: number): Promise<readonly Lock[]> {
    const { run, hint } = this.#parts;
    if (!(await hint(user, now)).locks) return [];
    const rows = await run(user, "locksOf", { user, now });
    if (rows.length === 0) await run(user, "forgetEnded", { user, now });
    return rows.map(toLock);
  }

  async addLock(lock: Lock, now: number): Promise<void> {
    const { userId: user, isDeep, isShared, expiresAt: expiry, token, path, holder, owner } = lock;
    await this.#parts.run(user, "forgetEnded", { user, now });
    await this.#parts.run(user, "addLock", {
      ...{ token, user, path, holder, owner, expiry },
      deep: Number(isDeep),
      shared: Number(isShared),
    });
  }

  async extendLock({ userId: user, token, expiresAt: expiry }: Lock): Promise<void> {
    await this.#parts.run(user, "extendLock", { user, token, expiry });
  }

  async removeLocks(user: number, tokens: readonly string[]): Promise<void> {
    await this.#parts.run(user, "removeLocks", { user, tokens: JSON.stringify(tokens) });
  }

  async changeProperties(
    { id: record, userId }: { readonly id: number; readonly userId: number },
    changes: readonly PropertyChange[],
  ): Promise<number> {
    const { run } = this.#parts;
    for (const { namespace, name, ...set } of changes) {
      const parameters = { record, namespace, name };
      if ("xml" in set) await run(userId, "setProperty", { ...parameters, xml: set.xml });
      else await run(userId, "removeProperty", parameters);
    }
    const [row] = await run(userId, "sizeOf", { record });
    return Number(row?.size);
  }

  async copyProperties(copies: readonly Copied[]): Promise<void> {
    const { run, hint } = this.#parts;
    for (const { userId: user, path, target } of copies) {
      if (!(await hint(user, Date.now())).properties) continue;
      const parameters = { user, source: path, target };
      const [afterSource, afterTarget] = [lengthOf(path) + 1, lengthOf(target) + 1];
      await run(user, "forgetReplaced", { ...parameters, afterTarget });
      await run(user, "copyProperties", { ...parameters, afterSource });
    }
  }
}

/** The length of a text as engines count it. */
function lengthOf(text: string): number {
  return [...text].length;
}
