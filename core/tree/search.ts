import { type Caller, ownerOf, requireEveryone } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { sanitizeDirectory } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { FoundRecord, Known, SearchConditions, SearchPage, SearchQuery } from "../search.ts";
import { VERDICTS } from "../../schemas/verdict_names.ts";
import type { Tree } from "./changes.ts";
import { type FileWithVerdict, withVerdicts } from "./verdicts.ts";

/** The length of all words together, in UTF-16 code units. */
export const MAX_WORDS_LENGTH = 256;

/** How many values a condition may have. */
const MAX_VALUES = 50;

/** Trees that a page of a search in all trees looks at. */
const MAX_TREES = 20;

/** Where such a page goes on: a user, and what the search of its tree goes on after. */
const PLACE = /^(\d{1,16}):(.*)$/s;

/** Where a page goes on that is not sorted by path: what it is sorted by, and the id of a record. */
const SORTED_PLACE = /^-?\d{1,16}\/\d{1,16}$/;

/** A request for a page of a search. */
export interface SearchRequest
  extends
    Omit<SearchConditions, "words">,
    Partial<Pick<SearchQuery, "sort" | "level" | "wantsFacets" | "wantsKnown">> {
  readonly caller: Caller;
  /** Words and parts of words, separated by white space. */
  readonly words: string;
  /** The directory below which to search. */
  readonly path: string;
  /** Whether to search the trees of all users, one after the other. @default false */
  readonly all?: boolean;
  /** The `next` of the page before. @default the beginning */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of what is found. */
export interface Found extends Omit<SearchPage, "records"> {
  /** In the order of the request, by default by path. Directories have no verdict. */
  readonly items: readonly {
    readonly record: ResourceRecord;
    /** Undefined for a directory. */
    readonly file: FileWithVerdict | undefined;
    /** Undefined unless asked for. */
    readonly known: Known | undefined;
  }[];
}

/**
 * Finds what is below a directory and meets all conditions, page by page (C 24, C 29). The caller's own tree is searched,
 * or the one that the request names, or all. See docs/design/search.md.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when there are no conditions or too long ones, a path is invalid, or too
 *   many records would have to be sorted; `ErrNotPermitted` unless the caller may see all trees that are asked for.
 */
export async function search(tree: Tree, request: SearchRequest): Promise<Found> {
  const query = queryOf(tree, request);
  const { records, ...page } = request.all === true
    ? await searchAll(tree, request, query)
    : await searchOne(tree, query);
  const files = records.filter(({ isDir }) => !isDir);
  const byId = new Map((await withVerdicts(tree, files)).map((file) => [file.record.id, file]));
  const items = records.map((record) => ({
    record,
    file: byId.get(record.id),
    known: record.known && shownOf(tree, record.known),
  }));
  return { ...page, items };
}

function shownOf({ verdicts }: Tree, known: Known): Known {
  return { ...known, worst: known.worst && verdicts.shown(known.worst) };
}

function queryOf(
  tree: Tree,
  { caller, words, path, after = "", all: _, sort, ...request }: SearchRequest,
): SearchQuery {
  const wanted = words.trim();
  const { kind, parameters, updated, tags, verdicts } = request;
  const { formats, architectures, licenses, dtypes, baseModels } = request;
  const lists = [formats, architectures, licenses, dtypes, baseModels, tags, verdicts]
    .filter((it) => it !== undefined);
  const hasConditions = lists.length > 0 ||
    [kind, parameters, updated].some((it) => it !== undefined);
  const isValid = lists.every((values) =>
    values.length <= MAX_VALUES &&
    values.every((it) => it !== "" && it.length <= MAX_WORDS_LENGTH && !it.includes("\0"))
  );
  if (
    wanted === "" && !hasConditions || wanted.length > MAX_WORDS_LENGTH || !isValid ||
    (words + after).includes("\0")
  ) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Cannot search for ${quoted(words)}: give words, or other conditions, ` +
        `of 1 to ${MAX_WORDS_LENGTH} characters`,
    );
  }
  if (sort !== undefined && sort.by !== "path" && after !== "" && !SORTED_PLACE.test(after)) {
    throw invalidPlace(after);
  }
  return {
    wantsFacets: false,
    wantsKnown: false,
    ...request,
    verdicts: verdicts && VERDICTS.filter((it) => verdicts.includes(tree.verdicts.shown(it))),
    userId: ownerOf(caller),
    directory: sanitizeDirectory(path),
    words: wanted === "" ? [] : [...new Set(wanted.split(/\s+/u))],
    sort: sort ?? { by: "path", isDescending: false },
    after,
  };
}

function invalidPlace(after: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Invalid after ${quoted(after)}`);
}

async function searchOne(tree: Tree, query: SearchQuery): Promise<SearchPage> {
  const page = await tree.records.search(query);
  if (page !== undefined) return page;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    "Too many records match to sort them: search for more, or sort by path",
  );
}

/** A page of what the trees of all users have, one after the other. */
async function searchAll(
  tree: Tree,
  { caller }: SearchRequest,
  query: SearchQuery,
): Promise<SearchPage> {
  requireEveryone(caller);
  const { sort, wantsFacets, after, limit } = query;
  if (sort.by !== "path" || wantsFacets) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      "A search of all trees has no facets, and is sorted by path",
    );
  }
  const [, user, start = ""] = PLACE.exec(after) ?? [];
  if (after !== "" && user === undefined) throw invalidPlace(after);
  const first = Number(user ?? 0);
  const users = await tree.records.searchIndex?.users(Math.max(0, first - 1)) ?? [];
  const records: FoundRecord[] = [];
  let isComplete = true;
  for (const [index, userId] of users.entries()) {
    const place = userId === first ? start : "";
    if (index === MAX_TREES || records.length === limit) {
      return { records, isComplete, facets: undefined, next: `${userId}:${place}` };
    }
    const rest = limit - records.length;
    const page = await searchOne(tree, { ...query, userId, after: place, limit: rest });
    records.push(...page.records);
    isComplete &&= page.isComplete;
    if (page.next !== undefined) {
      return { records, isComplete, facets: undefined, next: `${userId}:${page.next}` };
    }
  }
  return { records, isComplete, facets: undefined, next: undefined };
}
