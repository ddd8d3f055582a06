import type { Chunk } from "../../core/content.ts";
import type { ResourceRecord } from "../../core/ports.ts";
import { KIB } from "../../schemas/units.ts";
import { recordOf } from "./record_rows.ts";

/** What happened to records: an effect of a move or copy, or a deletion. */
export type RecordEffect = "added" | "updated" | "overwritten" | "merged" | "deleted";

/** Records that a change had the same effect on, as the values of which {@link recordOf} makes them. */
export interface EffectRows {
  readonly effect: RecordEffect;
  readonly rows: readonly (readonly unknown[])[];
}

/** Records of one user that a change had the same effect on. */
export interface RecordPage {
  readonly effect: RecordEffect;
  readonly userId: number;
  readonly count: number;
  /** Their values as JSON, in UTF-8. Takes a tenth of the memory, and less time to pass to a thread, than records. */
  readonly json: Chunk;
}

/** Records in a page, at most. */
const MAX_PAGE_RECORDS = 500;
/** The length of the paths in a page, of which only the last one may be over it. */
const MAX_PAGE_LENGTH = 32 * KIB;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Splits what a change does into pages. */
export class RecordPages {
  #pages: RecordPage[] = [];

  add({ effect, rows }: EffectRows): void {
    let length = 0;
    let start = 0;
    for (const [index, [, userId, path]] of rows.entries()) {
      const isFull = index - start === MAX_PAGE_RECORDS || length >= MAX_PAGE_LENGTH;
      if (isFull || userId !== rows[start]?.[1]) {
        this.#page(effect, rows.slice(start, index));
        start = index;
        length = 0;
      }
      length += String(path).length;
    }
    if (rows.length > 0) this.#page(effect, rows.slice(start));
  }

  /** Returns the pages, and forgets them. */
  take(): RecordPage[] {
    const pages = this.#pages;
    this.#pages = [];
    return pages;
  }

  #page(effect: RecordEffect, rows: readonly (readonly unknown[])[]): void {
    const json = encoder.encode(JSON.stringify(rows));
    this.#pages.push({ effect, userId: Number(rows[0]?.[1]), count: rows.length, json });
  }
}

/** The records of a page. */
export function recordsOfPage(json: Uint8Array): ResourceRecord[] {
  const rows: unknown[][] = JSON.parse(decoder.decode(json));
  return rows.map(recordOf);
}
