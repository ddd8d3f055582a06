import { type Caller, ownerOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { sanitizeDirectory } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "./changes.ts";
import { type FileWithVerdict, withVerdicts } from "./verdicts.ts";

/** The length of all words together, in UTF-16 code units. */
export const MAX_WORDS_LENGTH = 256;

/** A request for a page of a search. */
export interface SearchRequest {
  readonly caller: Caller;
  /** Words and parts of words, separated by white space. */
  readonly words: string;
  /** The directory below which to search. */
  readonly path: string;
  /** The `next` of the page before. @default the beginning */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of what is found. */
export interface Found {
  /** In path order. */
  readonly items: readonly {
    readonly record: ResourceRecord;
    /** Undefined for a directory. */
    readonly file: FileWithVerdict | undefined;
  }[];
  /** What the next page goes on after. Undefined at the end of the search. */
  readonly next: string | undefined;
}

/**
 * Finds what is below a directory and has all words in its path, page by page. The caller's own tree is
 * searched, or the one that the request names.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when there are no words or too long ones, or a path is invalid.
 */
export async function search(
  tree: Tree,
  { caller, words, path, after = "", limit }: SearchRequest,
): Promise<Found> {
  const wanted = words.trim();
  if (wanted === "" || wanted.length > MAX_WORDS_LENGTH || (words + after).includes("\0")) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Cannot search for ${quoted(words)}: give words of 1 to ${MAX_WORDS_LENGTH} characters`,
    );
  }
  const { records, next } = await tree.records.search({
    userId: ownerOf(caller),
    directory: sanitizeDirectory(path),
    words: [...new Set(wanted.split(/\s+/u))],
    after,
    limit,
  });
  const files = await withVerdicts(tree, records.filter(({ isDir }) => !isDir));
  const byId = new Map(files.map((file) => [file.record.id, file]));
  return { items: records.map((record) => ({ record, file: byId.get(record.id) })), next };
}
