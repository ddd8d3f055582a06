const MAX_RECORDS = 1000;

/** Collects hash records of members, as the metadata of a file lists them (SR 2.5, SR 2.7): at most 1000. */
export class MemberRecords {
  readonly #records = new Map<string, Readonly<Record<string, unknown>>>();
  #total = 0;

  /** The number of members, including those without a record. */
  get total(): number {
    return this.#total;
  }

  /** Whether further records will be dropped. */
  get isFull(): boolean {
    return this.#records.size >= MAX_RECORDS;
  }

  /** Counts members, whose records may follow. */
  addToTotal(members: number): void {
    this.#total += members;
  }

  /** Adds a record under its key, or under `key#2` and so on if the key is taken. */
  add(key: string, record: Readonly<Record<string, unknown>>): void {
    if (this.isFull) return;
    let free = key;
    for (let count = 2; this.#records.has(free); count++) free = `${key}#${count}`;
    this.#records.set(free, record);
  }

  /** The records and their number, as metadata of the file. */
  get metadata(): Readonly<Record<string, unknown>> {
    const omitted = this.#total - this.#records.size;
    return {
      member_file_hashes: Object.fromEntries(this.#records),
      member_file_hashes_total: this.#total,
      ...(omitted > 0 && {
        member_file_hashes_truncated: true,
        member_file_hashes_omitted: omitted,
      }),
    };
  }
}
