import { Buffer } from "node:buffer";
import type {
  BegunByProvider,
  ConsoleSessionStore,
  ListedSession,
  SignInMeans,
  StoredSession,
} from "../../core/console_sessions.ts";
import { commit, type SqlRow, type Statements, textOrNull, toBytes } from "./dialect.ts";
import type { SessionStatement } from "./session_statements.ts";

const MEANS: readonly SignInMeans[] = ["credential", "passkey", "provider"];

/** Keeps the sessions of the console in the database of the records. */
export class SqlSessionStore implements ConsoleSessionStore {
  readonly #statements: Statements<SessionStatement>;

  constructor(statements: Statements<SessionStatement>) {
    this.#statements = statements;
  }

  async add(session: StoredSession, max: number): Promise<void> {
    const { id, userId: user, createdAt: now, usedAt: used, expiresAt: expiry } = session;
    await this.#statements.write(async (run) => {
      await run("forgetExpired", { now });
      await run("add", {
        id: Buffer.from(id, "hex"),
        user,
        means: session.means,
        key: session.keyId ?? null,
        providerSession: session.providerSession ?? null,
        browser: session.browser ?? null,
        address: session.address ?? null,
        ...{ now, used, expiry },
        sealed: session.sealed ?? null,
      });
      await run("forgetOldest", { user, max });
    }, user);
  }

  async find(id: string, now: number): Promise<StoredSession | undefined> {
    const [row] = await this.#statements.find("find", { id: Buffer.from(id, "hex"), now });
    return row && { ...toSession(row), sealed: toBytes(row.sealed) };
  }

  async list(user: number, now: number): Promise<ListedSession[]> {
    return (await this.#statements.read("list", { user, now })).map(toSession);
  }

  async remove(id: string): Promise<void> {
    await commit(this.#statements, "remove", { id: Buffer.from(id, "hex") });
  }

  async removeOfProvider(
    { userId, providerSession }: BegunByProvider,
  ): Promise<readonly number[]> {
    const parameters = { user: userId ?? null, providerSession: providerSession ?? null };
    const removed = await commit(this.#statements, "removeOfProvider", parameters);
    return removed.map((row) => Number(row.user_id));
  }

  async noteUses(uses: ReadonlyMap<string, number>): Promise<void> {
    const rows = [...uses].map(([id, at]) => ({ id, at }));
    await commit(this.#statements, "noteUses", { uses: JSON.stringify(rows) });
  }
}

function toSession(row: SqlRow): ListedSession {
  const means = MEANS.find((it) => it === row.means);
  const id = toBytes(row.id)?.toHex();
  if (means === undefined || id === undefined) {
    throw new Error("A session in the database is damaged");
  }
  return {
    id,
    userId: Number(row.user_id),
    means,
    keyId: textOrNull(row.key_id) ?? undefined,
    providerSession: textOrNull(row.provider_session) ?? undefined,
    browser: textOrNull(row.browser) ?? undefined,
    address: textOrNull(row.address) ?? undefined,
    createdAt: Number(row.created_at),
    usedAt: Number(row.used_at),
    expiresAt: Number(row.expires_at),
  };
}
