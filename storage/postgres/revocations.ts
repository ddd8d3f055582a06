import type { Database } from "./database.ts";

interface Batch {
  readonly jtis: Set<string>;
  readonly revoked: Promise<ReadonlySet<string>>;
}

/**
 * Looks up whether credentials are revoked. Another server may have done so just now, and a notice of it
 * would come later than the reply that promised it. So each request asks the database, and those that come
 * while one statement is under way share the next one: a busy server sends one at a time.
 */
export class Revocations {
  readonly #database: Database;
  #next: Batch | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws {AppError} `ErrUnavailable` when the database is away. */
  async isRevoked(jti: string): Promise<boolean> {
    const batch = this.#next ??= this.#begin();
    batch.jtis.add(jti);
    return (await batch.revoked).has(jti);
  }

  #begin(): Batch {
    const jtis = new Set<string>();
    const revoked = this.#running.then(async () => {
      this.#next = undefined;
      const rows = await this.#database.values(
        "SELECT jti FROM credentials WHERE jti = ANY (:jtis::text[]) AND revoked_at IS NOT NULL",
        { jtis: [...jtis] },
      );
      return new Set(rows.map(([jti]) => String(jti)));
    });
    // Each request that waits gets the failure.
    this.#running = revoked.catch(() => {});
    return { jtis, revoked };
  }
}
