import type { DocumentEvent } from "../document_event.ts";
import { YamlReader } from "./yaml_reader.ts";

/** The UTF-8 bytes of NEL, LS and PS, each byte as a character. */
const UNICODE_BREAK = /\xc2\x85|\xe2\x80[\xa8\xa9]/g;

/**
 * Reads the keys, values, tags and comments of a YAML document. It accepts everything that parsers
 * accept, and does not report what they would reject.
 *
 * @param text The document as Latin-1, so that positions are byte offsets.
 */
export function* readYaml(text: string): Generator<DocumentEvent, void, void> {
  const [lines, ...others] = readingsOf(text);
  yield* readLines(lines);
  for (const other of others) {
    for (const event of readLines(other)) {
      if (event.kind !== "defect" && event.kind !== "aliases") yield event;
    }
  }
}

/**
 * The text with line feeds as its only line breaks, once for each way in which parsers split lines. In
 * YAML 1.1 a line, and so a comment, also ends at a Unicode line break (YAML 1.1, 4.1.4). Offsets stay
 * the same.
 */
function readingsOf(text: string): [string, ...string[]] {
  const lines = text.replace(/\r(?!\n)/g, "\n");
  const older = lines.replace(UNICODE_BREAK, (mark) => "\n".padStart(mark.length));
  return older === lines ? [lines] : [lines, older];
}

function* readLines(text: string): Generator<DocumentEvent, void, void> {
  const reader = new YamlReader(text);
  while (!reader.done) yield* reader.step();
  yield* reader.end();
}
