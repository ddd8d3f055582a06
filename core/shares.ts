import type { Scope } from "./ports.ts";

/** What trees hold, divided. */
export type ShareQuery =
  & {
    readonly scope: Scope;
    /** How many of the largest parts are listed individually. */
    readonly limit: number;
  }
  & (
    /** By content, each counted once; by the extension of names; by user. */
    | { readonly by: "content" | "extension" | "user" }
    /** By what is directly in a directory, each with all below it. The root is "". */
    | { readonly by: "entry"; readonly directory: string }
  );

/** A part of what trees hold. */
export interface Share {
  /** The entry, the extension in lower case ("" without one), or the id of the user. */
  readonly name: string;
  /** Whether it is a directory. Only entries are. */
  readonly isDir: boolean;
  readonly files: number;
  readonly bytes: number;
}

/** The parts of what trees hold. */
export interface Shares {
  /** The largest ones, the largest first. */
  readonly items: readonly Share[];
  /** All parts together. */
  readonly total: { readonly parts: number; readonly files: number; readonly bytes: number };
}

/** Divides what trees hold. */
export interface RecordShares {
  /**
   * What the trees within the scope hold. Reads all their records, one such request at a time.
   *
   * @throws the signal's reason when it aborts first.
   */
  shares(query: ShareQuery, signal: AbortSignal): Promise<Shares>;
}
