/** Most characters of a text out of a file that a message or a detail repeats. */
const LENGTH = 100;

/** The first `length` characters of a text as it is, and `…` where it goes on. */
export function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}

/**
 * A text out of a file as a report repeats it: cut short, on one line, and with U+FFFD for what steers
 * a terminal or can't be seen. Credentials stay in it: see `secrets/redacted_excerpt.ts`.
 */
export function excerpt(text: string): string {
  return truncate(text, LENGTH).replace(/\s+/g, " ").replace(/\p{C}/gu, "\ufffd");
}

/** The {@link excerpt} of a text in quotation marks, with those within it escaped. */
export function quotedExcerpt(text: string): string {
  return JSON.stringify(excerpt(text));
}
