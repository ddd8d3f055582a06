import { AppError, quoted } from "../../core/errors.ts";
import { sanitizePath } from "../../core/paths.ts";
import { integerOf, type Query } from "../request/query.ts";

/** Records of a page, at most. */
export const MAX_PAGE_RECORDS = 1000;

/**
 * The size of the page that a request asks for. A larger one than there can be is lowered, as clients ask for
 * all that they want.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is not a positive integer.
 */
export function pageSizeOf(query: Query): number {
  const limit = integerOf(query, "limit", { min: 1, max: Number.MAX_SAFE_INTEGER });
  return Math.min(limit ?? MAX_PAGE_RECORDS, MAX_PAGE_RECORDS);
}

/**
 * Whether a parameter is set. Clients write `true`, `True` or `1`.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is neither true nor false.
 */
export function flagOf(query: Query, name: string): boolean {
  const text = query.get(name)?.[0] ?? "false";
  if (/^(?:true|1)$/i.test(text)) return true;
  if (/^(?:false|0)?$/i.test(text)) return false;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid ${name} ${quoted(text)}: expected true or false`,
  );
}

/**
 * After which path a page begins, as the page before it said.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when nothing can have the path.
 */
export function cursorOf(query: Query): string | undefined {
  const cursor = query.get("cursor")?.[0];
  if (cursor !== undefined) sanitizePath(cursor);
  return cursor;
}

/** A `Link` header to the next page, by its address. */
export function linkTo(address: string, parameters: Readonly<Record<string, string>>): string {
  return `<${address}?${new URLSearchParams(parameters)}>; rel="next"`;
}
