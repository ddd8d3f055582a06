import { parseTime } from "../schemas/units.ts";
import { AppError } from "./errors.ts";
import type { At } from "./history.ts";

/**
 * The version that a text names.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest`
 */
export function atIn(text: string): At {
  if (/^\d{1,15}$/.test(text)) return { version: Number(text) };
  const time = parseTime(text);
  if (time !== undefined) return { time };
  if (text !== "" && !text.includes("\0")) return { name: text };
  throw new AppError(
    "ErrResourcesInvalidRequest",
    "Invalid at: expected a version, an RFC 3339 time such as 2026-11-22T09:00:00Z, or a tag",
  );
}
