import { excerpt } from "../../contract/excerpt.ts";
import { redact } from "./find_secrets.ts";

/** How much of a text is looked at, so that a credential at its cut end is known as one. */
const MAX_SEARCHED_CHARACTERS = 4096;

/**
 * The excerpt of a text that people write, without credentials. The search for them takes ten
 * times as long as the rest: names, which are many, go without it.
 */
export function redactedExcerpt(text: string): string {
  return excerpt(redact(text.slice(0, MAX_SEARCHED_CHARACTERS)).trim());
}

/** The {@link redactedExcerpt} of a text in quotation marks, with those within it escaped. */
export function redactedQuote(text: string): string {
  return JSON.stringify(redactedExcerpt(text));
}
