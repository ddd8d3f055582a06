import type { Check } from "./scanner.ts";

/** The name of the check that says of a file that no scanner reads it. */
export const KNOWN_FORMAT = "Known Format";

const IS_EMPTY = "Not scanned: the file is empty";

/** The check of an empty file. It is harmless, so its format does not count as unknown. */
export const EMPTY_FILE: Check = { name: KNOWN_FORMAT, status: "skipped", message: IS_EMPTY };

/** Whether a check says that the format of its file is unknown. */
export function isUnknownFormat(
  { name, status, message }: Pick<Check, "name" | "status" | "message">,
): boolean {
  return name === KNOWN_FORMAT && status !== "passed" && message !== IS_EMPTY;
}
