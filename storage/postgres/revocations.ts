import type { IssuedCredential } from "../../core/credential_end.ts";
import type { Database } from "./database.ts";

interface Batch {
  /** By all that is asked of them. */
  readonly credentials: Map<string, IssuedCredential>;
  readonly revoked: Promise<ReadonlySet<string>>;
}

/**
 * Looks up whether credentials are revoked. Another server may have done so just now, and a notice of it
 * would come later than the reply that promised it. So each request asks the database, and those that come
 * while one statement is under way share the next one: a busy server sends one at a time.
 * See docs/design/revocation.md.
 */
export class Revocations {
  readonly #database: Database;
  #next: Batch | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws {AppError} `ErrUnavailable` when the database is away. */
  async isRevoked(credential: IssuedCredential): Promise<boolean> {
    const { userId, jti, issuedAt } = credential;
    const key = JSON.stringify([userId, jti, issuedAt]);
    const batch = this.#next ??= this.#begin();
    batch.credentials.set(key, credential);
    return (await batch.revoked).has(key);
  }

  #begin(): Batch {
    const credentials = new Map<string, IssuedCredential>();
    const revoked = this.#running.then(async () => {
      this.#next = undefined;
      const asked = [...credentials.values()];
      const rows = await this.#database.values(
        `SELECT key FROM unnest(:keys::text[], :jtis::text[], :users::bigint[], :issued::bigint[])
           AS asked (key, jti, user_id, issued_at)
         WHERE EXISTS (
           SELECT 1 FROM credentials WHERE jti = asked.jti AND revoked_at IS NOT NULL
         ) OR EXISTS (
           SELECT 1 FROM user_revocations
           WHERE user_id = asked.user_id AND issued_before > asked.issued_at
         )`,
        {
          keys: [...credentials.keys()],
          jtis: asked.map(({ jti = null }) => jti),
          users: asked.map(({ userId }) => userId),
          issued: asked.map(({ issuedAt = 0 }) => issuedAt),
        },
      );
      return new Set(rows.map(([key]) => String(key)));
    });
    // Each request that waits gets the failure.
    this.#running = revoked.catch(() => {});
    return { credentials, revoked };
  }
}
