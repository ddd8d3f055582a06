const MAX_EXCERPT_CHARS = 100;

/** The first `length` characters of a text, followed by `…` if it is longer. */
export function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}

/**
 * An excerpt of a text from a file, for messages and details: at most 100 characters on one line, with
 * U+FFFD for invisible characters and those that control a terminal. Credentials are not redacted: see
 * `secrets/redacted_excerpt.ts`.
 */
export function excerpt(text: string): string {
  return truncate(text, MAX_EXCERPT_CHARS).replace(/\s+/g, " ").replace(/\p{C}/gu, "\ufffd");
}

/** The {@link excerpt} of a text as a JSON string, in quotation marks. */
export function quotedExcerpt(text: string): string {
  return JSON.stringify(excerpt(text));
}
