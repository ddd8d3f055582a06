/** Most characters of a text out of a file that a message or a detail repeats. */
const EXCERPT_LENGTH = 100;

/** A text out of a file, cut short and without control characters, to be repeated in a report. */
export function excerpt(text: string): string {
  const head = text.slice(0, EXCERPT_LENGTH).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "\ufffd");
  return text.length > EXCERPT_LENGTH ? `${head}…` : head;
}
