import type { ResourceRecord } from "./ports.ts";

/** A page of a search below a directory of a tree, in path order. */
export interface SearchQuery {
  readonly userId: number;
  /** A path; the root is "". */
  readonly directory: string;
  /** Each of them is in the path below the directory, in whatever case. There is at least one. */
  readonly words: readonly string[];
  /** The path that it goes on after; "" at the beginning. */
  readonly after: string;
  /** How many records it has at most. */
  readonly limit: number;
}

/** What a page of a search has found. */
export interface SearchPage {
  readonly records: readonly ResourceRecord[];
  /** What the next page goes on after. Undefined at the end of the search. */
  readonly next: string | undefined;
}

/** Searches the records of a tree. */
export interface RecordSearch {
  /** Looks at some thousands of records, so that a page may have few or none, and yet not be the last one. */
  search(query: SearchQuery): Promise<SearchPage>;
}
