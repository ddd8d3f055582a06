import { createHash } from "node:crypto";
import type { Row } from "./table.ts";

/** The number of rows, and a hash of all of them in their order. */
export interface TableSum {
  readonly rows: number;
  /** In lower-case hex. */
  readonly digest: string;
}

/** Sums up the rows of a table. Its memory does not grow with them. */
export class TableDigest {
  readonly #hash = createHash("sha256");
  #rows = 0;

  add(rows: readonly Row[]): void {
    this.#rows += rows.length;
    for (const row of rows) {
      const values = row.map((it) => it instanceof Uint8Array ? [it.length] : it);
      this.#hash.update(`${JSON.stringify(values)}\n`);
      for (const value of row) if (value instanceof Uint8Array) this.#hash.update(value);
    }
  }

  end(): TableSum {
    return { rows: this.#rows, digest: this.#hash.digest("hex") };
  }
}
