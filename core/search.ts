import type { Facts, MainFacts } from "../schemas/facts.ts";
import type { Facet, NumberRange, SearchKind, SearchOrder } from "../schemas/search.ts";
import type { Verdict } from "../schemas/verdict_names.ts";
import type { ResourceRecord } from "./ports.ts";

/** What is found meets all conditions that are given (C 29). Values match in whatever case of ASCII. */
export interface SearchConditions {
  /** Each of them is in the path below the directory, or in a text among the facts, in whatever case. */
  readonly words: readonly string[];
  readonly kind?: SearchKind | undefined;
  /** Any of these. */
  readonly formats?: readonly string[];
  readonly architectures?: readonly string[];
  /** As authors name them, or SPDX identifiers. */
  readonly licenses?: readonly string[];
  /** Types of elements, or quantizations. */
  readonly dtypes?: readonly string[];
  readonly baseModels?: readonly string[];
  /** The verdict on a file; of a directory, the worst of its files. */
  readonly verdicts?: readonly Verdict[];
  /** All of these, as the hub names them: `gguf`, `en`, `license:mit`. */
  readonly tags?: readonly string[];
  readonly parameters?: NumberRange | undefined;
  /** In milliseconds since the Unix epoch. */
  readonly updated?: NumberRange | undefined;
}

/** A page of a search below a directory of a tree. */
export interface SearchQuery extends SearchConditions {
  readonly userId: number;
  /** A path; the root is "". */
  readonly directory: string;
  /** Only directories so many levels below the directory. @default all that is below it */
  readonly level?: number | undefined;
  readonly sort: { readonly by: SearchOrder; readonly isDescending: boolean };
  /** What it goes on after; "" at the beginning. */
  readonly after: string;
  /** How many records it has at most. */
  readonly limit: number;
  readonly wantsFacets: boolean;
  /** Whether to say what is known of each record. */
  readonly wantsKnown: boolean;
}

/** What is known of a record that is found. */
export interface Known {
  readonly kind: SearchKind | undefined;
  readonly facts: MainFacts;
  /** The worst verdict below a directory. Undefined for a file, an empty directory, or if too many files are below. */
  readonly worst: Verdict | undefined;
}

/** A record that is found. */
export interface FoundRecord extends ResourceRecord {
  /** Undefined unless asked for. */
  readonly known?: Known | undefined;
}

/** How many of all that is found have a value. */
export type FacetCounts = {
  readonly [F in Facet]: readonly { readonly value: string; readonly count: number }[];
};

/** What a page of a search has found. */
export interface SearchPage {
  readonly records: readonly FoundRecord[];
  /** What the next page goes on after. Undefined at the end of the search. */
  readonly next: string | undefined;
  /** Whether all facts that are known count. Those of directories follow those of their files. */
  readonly isComplete: boolean;
  /** Undefined unless asked for, or if too many records would have to be looked at. */
  readonly facets: (FacetCounts & { readonly matches: number }) | undefined;
}

/** Searches the records of a tree. */
export interface RecordSearch {
  /**
   * May look at some thousands of records only, so that a page may have few or none, and yet not be the last one.
   * Returns undefined if it would have to look at more, as another order than that of paths needs all.
   */
  search(query: SearchQuery): Promise<SearchPage | undefined>;
}

/** A record that has changed since the index last knew it. */
export interface SearchMark {
  readonly position: number;
  readonly userId: number;
  readonly id: number;
  /** The directory whose facts have changed with it. */
  readonly directory: string | undefined;
}

/** The facts of the files of a directory together; undefined if they say nothing. */
export interface DirectoryFacts {
  /** Of its record. */
  readonly id: number;
  readonly facts: Facts | undefined;
}

/** The index that finds records, as upkeep keeps it. */
export interface SearchIndex {
  /** The first users above one who have records, in order. */
  users(above: number): Promise<readonly number[]>;
  /** What has changed, the oldest first, after a position; without it, what the index has never known. */
  marks(after: number, limit: number): Promise<readonly SearchMark[]>;
  /**
   * Makes the documents of what is marked and of directories with the facts that these have now, and removes the marks.
   * Does nothing if others have done it meanwhile.
   *
   * @param again Those of the marks that are made anew.
   */
  settle(
    marks: readonly SearchMark[],
    directories: readonly DirectoryFacts[],
    again: readonly SearchMark[],
  ): Promise<void>;
  /** Makes documents of some of what was added without marks. Returns whether there may be more. */
  settleAdded(): Promise<boolean>;
}
