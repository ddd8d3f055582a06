/** A member of an archive, as the archive says it is. */
export interface Member {
  readonly name: string;
  /** In bytes, unpacked. */
  readonly size: number;
  /** In bytes, as it is stored; undefined if that is the same. */
  readonly packed?: number;
}

/** What an archive lists. */
export interface Members {
  readonly members: readonly Member[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

/** Members that are listed. */
export const MAX_MEMBERS = 10_000;

/** Reads a part of the archive. */
export type ReadPart = (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>>;
