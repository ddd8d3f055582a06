/** What can be wrong with a data directory. */
export const FINDING_KINDS = [
  /** The database is damaged. */
  "database",
  /** The database is older than its lock. */
  "generation",
  /** A record contradicts itself. */
  "record",
  /** No request can name a record, as white space is at an end of its path. */
  "name",
  /** The directory above a record is missing. */
  "ancestor",
  /** The content of a record is missing. */
  "missing",
  /** The bytes of content are not those that were stored. */
  "damaged",
  /** A record states a wrong size or CRC-32 of its content. */
  "facts",
  /** What is kept of the past contradicts itself. */
  "history",
  /** The database has a wrong count of what a tree holds. */
  "usage",
  /** What an unfinished upload has received is missing, or content that waits for a commit. */
  "upload",
  /** No record has the content. */
  "unreferenced",
] as const;
export type FindingKind = typeof FINDING_KINDS[number];

/** Something that is wrong. */
export interface Finding {
  readonly kind: FindingKind;
  readonly message: string;
  readonly hash?: string;
  readonly user_id?: number;
  readonly path?: string;
  /** The name of an object of the content store. */
  readonly object?: string;
}

/** How many findings of a kind there are, and how many of them were repaired. */
export interface FindingCount {
  found: number;
  repaired: number;
}

/** The most findings that are listed; all are counted. */
const MAX_LISTED = 1000;

/** Collects findings. Memory does not grow with their number. */
export class Findings {
  readonly listed: (Finding & { readonly repaired: boolean })[] = [];
  readonly counts = new Map<FindingKind, FindingCount>();

  add(finding: Finding, { repaired }: { repaired: boolean } = { repaired: false }): void {
    const count = this.counts.get(finding.kind) ?? { found: 0, repaired: 0 };
    this.counts.set(finding.kind, count);
    count.found++;
    if (repaired) count.repaired++;
    if (this.listed.length < MAX_LISTED) this.listed.push({ ...finding, repaired });
  }

  get found(): number {
    return this.#sum(({ found }) => found);
  }

  get repaired(): number {
    return this.#sum(({ repaired }) => repaired);
  }

  #sum(of: (count: FindingCount) => number): number {
    return this.counts.values().reduce((sum, count) => sum + of(count), 0);
  }
}
