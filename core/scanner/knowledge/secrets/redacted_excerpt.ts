import { excerpt } from "../../contract/excerpt.ts";
import { redact } from "./find_secrets.ts";

/** More than an excerpt shows, so that a credential is recognized before it is cut. */
const MAX_SEARCHED_CHARACTERS = 4096;

/**
 * The excerpt of a text with its credentials replaced. The search takes ten times as long as a plain
 * excerpt, so use that for tensor names and the like, which are many.
 */
export function redactedExcerpt(text: string): string {
  return excerpt(redact(text.slice(0, MAX_SEARCHED_CHARACTERS)).trim());
}

/** The {@link redactedExcerpt} of a text as a quoted string. */
export function redactedQuote(text: string): string {
  return JSON.stringify(redactedExcerpt(text));
}
