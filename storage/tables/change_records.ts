import type { RecordList, ResourceRecord, StoredRecords } from "../../core/ports.ts";
import { KIB } from "../../schemas/units.ts";
import type { TemporaryFile, TemporaryFiles } from "../disk/temporary_files.ts";
import { type RecordPage, recordsOfPage } from "./record_pages.ts";

/** The bytes of pages that a transaction keeps in memory. Those beyond are in a file. */
const MAX_MEMORY_BYTES = 128 * KIB;

/** A page in memory, or the place of one in the file. */
export type KeptPage = RecordPage | (Omit<RecordPage, "json"> & FilePart);

interface FilePart {
  readonly offset: number;
  readonly length: number;
}

/**
 * Keeps the records that a transaction has changed until the reply has been read: few of them in
 * memory, more in a file.
 * See docs/design/large_changes.md.
 */
export class ChangeRecords {
  readonly #files: TemporaryFiles;
  #file: TemporaryFile | undefined;
  #memoryBytes = 0;

  constructor(files: TemporaryFiles) {
    this.#files = files;
  }

  /**
   * @param inMemory Whether no file may be written, as the disk is nearly full.
   * @throws {AppError} when the disk is full.
   */
  async keep(page: RecordPage, inMemory: boolean): Promise<KeptPage> {
    const { json, ...rest } = page;
    if (inMemory || this.#memoryBytes + json.length <= MAX_MEMORY_BYTES) {
      this.#memoryBytes += json.length;
      return page;
    }
    const file = this.#file ??= await this.#files.make();
    return { ...rest, offset: await file.append(json), length: json.length };
  }

  /** The records of some pages. */
  list(pages: readonly KeptPage[]): RecordList {
    const file = this.#file;
    const isStored = pages.some((page) => !("json" in page));
    if (file !== undefined && isStored) return new FileRecords(file, pages);
    return pages.flatMap((page) => "json" in page ? recordsOfPage(page.json) : []);
  }

  /** Drops what is in the file, after a failure. */
  drop(): void {
    this.#file?.close();
  }
}

/** Records of a change of which some are in a file. */
class FileRecords implements StoredRecords {
  readonly #file: TemporaryFile;
  readonly #pages: readonly KeptPage[];
  /** The position of the first record of each page. */
  readonly #starts: number[] = [];
  readonly length: number;
  readonly bytes: number;
  readonly owners: ReadonlyMap<number, number>;
  #isHeld = true;

  constructor(file: TemporaryFile, pages: readonly KeptPage[]) {
    this.#file = file;
    this.#pages = pages;
    const owners = new Map<number, number>();
    let length = 0;
    let bytes = 0;
    for (const page of pages) {
      this.#starts.push(length);
      length += page.count;
      bytes += "json" in page ? page.json.length : page.length;
      owners.set(page.userId, (owners.get(page.userId) ?? 0) + page.count);
    }
    this.length = length;
    this.bytes = bytes;
    this.owners = owners;
    file.hold();
  }

  async from(position: number): Promise<readonly ResourceRecord[]> {
    const index = lastUpTo(this.#starts, position);
    const page = this.#pages[index];
    const start = this.#starts[index];
    if (page === undefined || start === undefined) return [];
    const json = "json" in page ? page.json : await this.#file.read(page.offset, page.length);
    return recordsOfPage(json).slice(position - start);
  }

  ownedBy(userId: number): StoredRecords {
    return new FileRecords(this.#file, this.#pages.filter((page) => page.userId === userId));
  }

  share(): StoredRecords {
    return new FileRecords(this.#file, this.#pages);
  }

  [Symbol.dispose](): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#file.release();
  }
}

/** The index of the last of some ascending numbers that is not over the limit, or -1. */
function lastUpTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  for (let high = ascending.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? limit) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
