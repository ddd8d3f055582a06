import { AppError, quoted } from "../../core/errors.ts";

/** A condition in the header `If` (RFC 4918, 10.4). */
export interface Condition {
  readonly kind: "token" | "etag";
  readonly value: string;
  readonly isNegated: boolean;
}

/** Conditions that all must hold, for the request's address or another one. */
export interface ConditionList {
  /** @default the address of the request */
  readonly address?: string;
  readonly conditions: readonly Condition[];
}

/** The next part of the header, after blanks. */
const PART = /(\()|(\))|<([^<>]*)>|\[((?:W\/)?"[^"]*")\]|(Not)\b/iy;

/**
 * Parses the header `If`.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is not well-formed.
 */
export function parseIf(header: string): ConditionList[] {
  const lists: ConditionList[] = [];
  let address: string | undefined;
  let conditions: Condition[] | undefined;
  let isNegated = false;
  let at = 0;
  for (;;) {
    while (header[at] === " " || header[at] === "\t") at++;
    if (at === header.length) break;
    PART.lastIndex = at;
    const [all, opens, closes, uri, etag, not] = PART.exec(header) ?? [];
    if (all === undefined) throw malformed(header);
    at += all.length;
    if (conditions === undefined) {
      if (opens !== undefined) conditions = [];
      else if (uri !== undefined) address = uri;
      else throw malformed(header);
      continue;
    }
    if (closes !== undefined) {
      if (isNegated || conditions.length === 0) throw malformed(header);
      lists.push({ ...address !== undefined && { address }, conditions });
      conditions = undefined;
    } else if (not !== undefined && !isNegated) {
      isNegated = true;
    } else if (uri !== undefined || etag !== undefined) {
      const value = uri ?? etag ?? "";
      conditions.push({ kind: uri === undefined ? "etag" : "token", value, isNegated });
      isNegated = false;
    } else throw malformed(header);
  }
  if (conditions !== undefined || lists.length === 0) throw malformed(header);
  return lists;
}

/** The tokens of the locks that the header names: the request has them, whatever the conditions say. */
export function tokensIn(lists: readonly ConditionList[]): Set<string> {
  const all = lists.flatMap(({ conditions }) => conditions);
  return new Set(all.filter(({ kind }) => kind === "token").map(({ value }) => value));
}

function malformed(header: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Invalid If header ${quoted(header)}`);
}
