/** A text out of a file, cut short for reports: `length` characters, and `…` where it goes on. */
export function cutShort(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}
