/** The most records that are kept. */
const KEPT = 1000;

/** Records of members with their hashes, as metadata have them (SR 2.5, SR 2.7): 1000 of them. */
export class MemberRecords {
  readonly #records = new Map<string, Readonly<Record<string, unknown>>>();
  #total = 0;

  /** How many members there are, those included of which no record is kept. */
  get total(): number {
    return this.#total;
  }

  /** Whether no more records are kept. */
  get isFull(): boolean {
    return this.#records.size >= KEPT;
  }

  /** Says that there are more members, of which the records may follow. */
  addToTotal(members: number): void {
    this.#total += members;
  }

  /** Keeps a record under its key, or `key#2` and so on where members are called the same. */
  add(key: string, record: Readonly<Record<string, unknown>>): void {
    if (this.isFull) return;
    let free = key;
    for (let count = 2; this.#records.has(free); count++) free = `${key}#${count}`;
    this.#records.set(free, record);
  }

  /** The records and how many there are, as metadata of a file. */
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
