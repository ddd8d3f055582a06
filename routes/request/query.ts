import * as v from "valibot";
import { AppError, quoted } from "../../core/errors.ts";
import { parseTime } from "../../schemas/units.ts";
import { type IntegerRange, PAGE, Scope } from "../../schemas/queries.ts";

/** The decoded values of each key of a query string, in order. */
export type Query = ReadonlyMap<string, readonly string[]>;

/**
 * Decodes the query of a URL (C 3). Not by `URLSearchParams`, which repairs invalid UTF-8.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when a part is not percent-encoded UTF-8.
 */
export function parseQuery(url: string): Query {
  const query = new Map<string, string[]>();
  const start = url.indexOf("?");
  if (start === -1) return query;
  for (const pair of url.slice(start + 1).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const key = decoded(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? "" : decoded(pair.slice(equals + 1));
    const values = query.get(key);
    if (values === undefined) query.set(key, [value]);
    else values.push(value);
  }
  return query;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Invalid query: ${quoted(text)} is not percent-encoded UTF-8`,
      { cause: error },
    );
  }
}

/**
 * The number or name of the user whose tree a request names (C 19, C 27). The rest of the query may be invalid, which
 * is for the handler to say: privileges are checked before it.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it names several.
 */
export function treeOf(url: string): string | undefined {
  const start = url.indexOf("?");
  if (start === -1) return undefined;
  const given = new URLSearchParams(url.slice(start)).getAll("tree");
  if (given.length < 2) return given[0];
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid tree ${quoted(given.join())}: expected one name or user id`,
  );
}

/** Whether a parameter is `true` or `1`. */
export function isTrue(query: Query, name: string): boolean {
  return ["true", "1"].includes(query.get(name)?.[0] ?? "");
}

/** `path` and `paths[]`, merged (RS 4.1.1). */
export function pathsOf(query: Query): string[] {
  return [...query.get("path") ?? [], ...query.get("paths[]") ?? []];
}

const MAX_ID = 2n ** 64n - 1n;

/**
 * `id` and `ids[]`, merged (RS 4.7). Ids above 2^53 lose digits; the store never assigns one.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when one is not an integer from 1 to 2^64 − 1 (C 3).
 */
export function idsOf(query: Query): number[] {
  return [...query.get("id") ?? [], ...query.get("ids[]") ?? []].map(idOf);
}

/** Parses an id; see {@link idsOf}. */
export function idOf(text: string): number {
  const id = /^\d{1,100}$/.test(text) ? BigInt(text) : 0n;
  if (id >= 1n && id <= MAX_ID) return Number(id);
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid id ${quoted(text)}: expected an integer from 1 to ${MAX_ID}`,
  );
}

/**
 * Whether the parameter `scope` asks for all users, and not the caller's own.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is neither `own` nor `all`.
 */
export function wantsAll(query: Query): boolean {
  return wordOf(query, "scope", Scope) === "all";
}

/**
 * The page of a list that a request asks for.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when a parameter is not within its bounds.
 */
export function pageOf(query: Query): { readonly limit: number; readonly before?: number } {
  const before = integerOf(query, "before", PAGE.before);
  return {
    limit: integerOf(query, "limit", PAGE.limit) ?? PAGE.limit.default,
    ...(before !== undefined && { before }),
  };
}

/**
 * An integer, or undefined if it is not given.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is not within the bounds.
 */
export function integerOf(
  query: Query,
  name: string,
  { min, max }: IntegerRange,
): number | undefined {
  const text = query.get(name)?.[0];
  if (text === undefined) return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (value >= min && value <= max) return value;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid ${name} ${quoted(text)}: expected an integer from ${min} to ${max}`,
  );
}

/**
 * An RFC 3339 time in milliseconds since the Unix epoch, or undefined if it is not given.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is not such a time.
 */
export function timeOf(query: Query, name: string): number | undefined {
  const text = query.get(name)?.[0];
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time !== undefined) return time;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid ${name} ${quoted(text)}: expected an RFC 3339 time such as 2026-11-22T09:00:00Z`,
  );
}

/**
 * One of several words, or undefined if the parameter is not given.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is none of them.
 */
export function wordOf<Word extends string>(
  query: Query,
  name: string,
  words: v.PicklistSchema<readonly Word[], undefined>,
): Word | undefined {
  const given = query.get(name)?.[0];
  if (given === undefined) return undefined;
  const result = v.safeParse(words, given);
  if (result.success) return result.output;
  const oneOf = words.options.length === 1 ? "" : "one of ";
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid ${name} ${quoted(given)}: expected ${oneOf}${words.options.join(", ")}`,
  );
}
