import type { DavHint } from "../tables/dav_changes.ts";
import type { DavStatement } from "../tables/dav_statements.ts";
import type { SqlParameters, SqlRow } from "../tables/dialect.ts";

/** What is known without a statement of the locks and properties in a database that this process alone writes. */
export class DavHints {
  /** When the last lock of a tree ends, at the latest. Others have none. */
  readonly #lockedUntil = new Map<number, number>();
  #hasProperties = false;

  /** Takes over what is in the database at the start, by what gives the rows of a statement. */
  open(rowsOf: (statement: DavStatement) => readonly SqlRow[]): void {
    for (const row of rowsOf("lockedTrees")) {
      this.#lockedUntil.set(Number(row.user_id), Number(row.expiry));
    }
    this.#hasProperties = rowsOf("firstProperty").length > 0;
  }

  /** Remembers what a statement is about to add to a tree. */
  note(userId: number, statement: DavStatement, { expiry }: SqlParameters): void {
    if (statement === "setProperty" || statement === "copyProperties") this.#hasProperties = true;
    if (expiry === undefined) return;
    const known = this.#lockedUntil.get(userId) ?? 0;
    this.#lockedUntil.set(userId, Math.max(known, Number(expiry)));
  }

  at(userId: number, now: number): DavHint {
    const until = this.#lockedUntil.get(userId) ?? 0;
    if (until <= now) this.#lockedUntil.delete(userId);
    return { locks: until > now, properties: this.#hasProperties };
  }
}
