import type { IssuedCredential } from "../../core/credential_end.ts";
import type { Database } from "./database.ts";

interface Batch {
  /** By all that is asked of them. */
  readonly credentials: Map<string, IssuedCredential>;
  readonly revoked: Promise<ReadonlySet<string>>;
}

/** How long a server takes for valid what it has found to be, in milliseconds. */
const FRESH_MS = 1000;
/** The most credentials that are remembered. */
const MAX_REMEMBERED = 10_000;

/** When a credential was found to be valid, by two clocks: one stands still while the machine is suspended. */
interface Reading {
  readonly ticks: number;
  readonly time: number;
}

/**
 * Looks up whether credentials are revoked. What is not is remembered for a second, and whoever revokes waits
 * for as long before the reply that promises it, if there are other servers: a notice could come later, or not
 * at all. Requests that come while one statement is under way share the next one.
 * See docs/design/revocation.md.
 */
export class Revocations {
  readonly #database: Database;
  readonly #server: string;
  readonly #freshMs: number;
  /** The credentials that were not revoked, those read first before others. */
  readonly #valid = new Map<string, Reading>();
  /** How often this server has revoked credentials. */
  #revoked = 0;
  #next: Batch | undefined;
  #running: Promise<unknown> = Promise.resolve();

  /**
   * @param server The id of this server; "" for none.
   * @param freshMs How long what was found is remembered: the same for all servers.
   */
  constructor(database: Database, server: string, freshMs = FRESH_MS) {
    this.#database = database;
    this.#server = server;
    this.#freshMs = freshMs;
  }

  /** @throws {AppError} `ErrUnavailable` when the database is away. */
  isRevoked(credential: IssuedCredential): boolean | Promise<boolean> {
    const { userId, jti, issuedAt } = credential;
    const key = JSON.stringify([userId, jti, issuedAt]);
    const known = this.#valid.get(key);
    if (known !== undefined && this.#isFresh(known)) return false;
    const batch = this.#next ??= this.#begin();
    batch.credentials.set(key, credential);
    return batch.revoked.then((revoked) => revoked.has(key));
  }

  /** Resolves when no server takes for valid what was revoked before. */
  async settled(): Promise<void> {
    this.#revoked++;
    this.#valid.clear();
    // What is revoked must not be denied because of this.
    const others = await this.#database.get(
      "SELECT EXISTS (SELECT FROM servers WHERE id <> :server::text) AS found",
      { server: this.#server },
    ).catch(() => undefined);
    if (others?.found === false) return;
    await new Promise((resolve) => setTimeout(resolve, this.#freshMs));
  }

  #isFresh({ ticks, time }: Reading): boolean {
    return performance.now() - ticks < this.#freshMs &&
      Math.abs(Date.now() - time) < this.#freshMs;
  }

  #remember(keys: Iterable<string>, reading: Reading): void {
    for (const key of keys) {
      this.#valid.delete(key);
      this.#valid.set(key, reading);
    }
    for (const key of this.#valid.keys()) {
      if (this.#valid.size <= MAX_REMEMBERED) return;
      this.#valid.delete(key);
    }
  }

  #begin(): Batch {
    const credentials = new Map<string, IssuedCredential>();
    const revoked = this.#running.then(async () => {
      this.#next = undefined;
      const asked = [...credentials.values()];
      const reading = { ticks: performance.now(), time: Date.now() };
      const before = this.#revoked;
      const rows = await this.#database.values(
        `SELECT key FROM unnest(:keys::text[], :jtis::text[], :users::bigint[], :issued::bigint[])
           AS asked (key, jti, user_id, issued_at)
         WHERE EXISTS (
           SELECT 1 FROM credentials WHERE jti = asked.jti AND revoked_at IS NOT NULL
         ) OR EXISTS (
           SELECT 1 FROM user_revocations
           WHERE user_id = asked.user_id AND issued_before > asked.issued_at
         ) OR EXISTS (
           SELECT 1 FROM people WHERE number = asked.user_id AND disabled_at IS NOT NULL
         )`,
        {
          keys: [...credentials.keys()],
          jtis: asked.map(({ jti = null }) => jti),
          users: asked.map(({ userId }) => userId),
          issued: asked.map(({ issuedAt = 0 }) => issuedAt),
        },
      );
      const revoked = new Set(rows.map(([key]) => String(key)));
      const valid = [...credentials.keys()].filter((key) => !revoked.has(key));
      if (this.#revoked === before) this.#remember(valid, reading);
      return revoked;
    });
    // Each request that waits gets the failure.
    this.#running = revoked.catch(() => {});
    return { credentials, revoked };
  }
}
