import { Checklist } from "../../contract/checklist.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";
import { pagesOf, payloadsOf } from "../../readers/sqlite/pages.ts";
import type { Pages } from "../../readers/sqlite/payload.ts";
import { valuesOf } from "../../readers/sqlite/record.ts";
import { KIB, MIB } from "../../../../schemas/units.ts";
import { isActivePickle } from "../pickle/detect.ts";

const STRUCTURE = "SQLite Structure";

const PASSED = { [STRUCTURE]: "All records were read" };

/** The most bytes of a record that have the types of its values. */
const MAX_HEADER_BYTES = 64 * KIB;

/** Records may share pages, so that reading all of them takes longer than reading the file. */
const READS_PER_BYTE = 16;
const MIN_READ_BYTES = 64 * MIB;

/** Scans SQLite databases for pickles in their records, as caches and shelves of Python have them. */
export const sqliteScanner: Scanner = {
  id: "sqlite",
  matches: ({ source }) => pagesOf(source) !== undefined,
  *scan({ source }: Content, context: ScanContext): Generator<Check, void, void> {
    const checks = new Checklist<string>(PASSED);
    const limited = new LimitedSource(source, READS_PER_BYTE * source.size + MIN_READ_BYTES);
    const pages = pagesOf(limited);
    if (pages !== undefined) submitPickles(pages, context);
    if (limited.isSpent) {
      checks.add(STRUCTURE, {
        severity: "info",
        ruleCode: "S902",
        message: "The records take too many reads",
        incomplete: "sqlite_read_limit",
        operational: true,
      });
    }
    yield* checks.finish();
  },
};

function submitPickles(pages: Pages, context: ScanContext): void {
  for (const payload of payloadsOf(pages)) {
    for (const { offset, length } of valuesOf(payload.read(0, MAX_HEADER_BYTES))) {
      const value = sourceSlice(payload, offset, length);
      if (isActivePickle(value)) context.scanMember(`value at ${payload.position}`, value);
    }
  }
}

/** A source that ends when more has been read than it may. */
class LimitedSource implements ByteSource {
  readonly size: number;
  readonly #source: ByteSource;
  #left: number;

  constructor(source: ByteSource, limit: number) {
    this.#source = source;
    this.#left = limit;
    this.size = source.size;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }

  read(offset: number, length: number): Uint8Array {
    this.#left -= Math.min(length, Math.max(0, this.size - offset));
    return this.isSpent ? new Uint8Array() : this.#source.read(offset, length);
  }
}
