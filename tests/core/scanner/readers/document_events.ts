import { decodeLatin1 } from "../../../../core/scanner/readers/bytes/bytes.ts";
import type { DocumentEvent } from "../../../../core/scanner/readers/document_event.ts";

/** A text as the YAML and TOML readers take it: each character is a byte of its UTF-8. */
export function asLatin1(text: string): string {
  return decodeLatin1(new TextEncoder().encode(text));
}

/** Why a document was not read to its end, as words. */
export function incompleteWords(events: Iterable<DocumentEvent>): string[] {
  return Array.from(events).flatMap((event) =>
    event.kind === "defect" && event.incomplete !== undefined ? [event.incomplete] : []
  );
}

/** The values of a document, each with its path: `["a.b", 1]`. */
export function valuesOf(events: Iterable<DocumentEvent>): [string, unknown][] {
  const values: [string, unknown][] = [];
  for (const event of events) {
    if (event.kind === "value") values.push([event.path.join("."), event.value]);
  }
  return values;
}
