import type { DavHint } from "../tables/dav_changes.ts";
import type { DavStatement } from "../tables/dav_statements.ts";
import type { SqlParameters, SqlRow } from "../tables/dialect.ts";

/** What is known without a statement of the locks and properties in a database that this process alone writes. */
export class DavHints {
  /** When the last lock of any tree ends, at the latest. */
  #lockedUntil = 0;
  #hasProperties = false;

  /** Takes over what is in the database at the start: the row of the statement `held`. */
  open(held: SqlRow | undefined): void {
    this.#lockedUntil = Number(held?.locked_until ?? 0);
    this.#hasProperties = held?.has_properties === 1;
  }

  /** Remembers what a statement is about to add. */
  note(statement: DavStatement, { expiry }: SqlParameters): void {
    if (statement === "setProperty" || statement === "copyProperties") this.#hasProperties = true;
    if (expiry !== undefined) this.#lockedUntil = Math.max(this.#lockedUntil, Number(expiry));
  }

  at(now: number): DavHint {
    return { locks: now < this.#lockedUntil, properties: this.#hasProperties };
  }
}
