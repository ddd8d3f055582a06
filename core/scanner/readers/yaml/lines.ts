/** The line breaks of Unicode, of which each byte is a character: NEL, LS and PS. */
const UNICODE_BREAK = /\xc2\x85|\xe2\x80[\xa8\xa9]/g;

/**
 * A text of YAML with line feeds only, in the ways in which parsers read it. For those of YAML 1.1 a
 * line, and with it a comment, ends at the line breaks of Unicode too (YAML 1.1, 4.1.4). All places stay.
 */
export function readingsOf(text: string): [string, ...string[]] {
  const lines = text.replace(/\r(?!\n)/g, "\n");
  const older = lines.replace(UNICODE_BREAK, (mark) => "\n".padStart(mark.length));
  return older === lines ? [lines] : [lines, older];
}
