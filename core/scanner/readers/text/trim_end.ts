/**
 * The text without the characters at its end that match a pattern of one character. An expression such as
 * `/ +$/` tries each position of each run of spaces, which takes quadratic time.
 */
export function trimEnd(text: string, trimmed: RegExp): string {
  let end = text.length;
  while (end > 0 && trimmed.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
