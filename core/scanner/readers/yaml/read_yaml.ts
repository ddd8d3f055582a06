import type { DocumentEvent } from "../document_event.ts";
import { type YamlDialect, YamlReader } from "./yaml_reader.ts";

const PYYAML: YamlDialect = { unicodeBreaks: true, indicatorsInTags: true };
const LIBYAML: YamlDialect = { unicodeBreaks: true, indicatorsInTags: false };
const YAML_1_2: YamlDialect = { unicodeBreaks: false, indicatorsInTags: false };

/** The UTF-8 bytes of NEL, LS and PS, each byte as a character. */
const UNICODE_BREAK = /\xc2\x85|\xe2\x80[\xa8\xa9]/;

/** The UTF-8 bytes of a character that YAML does not allow (YAML 1.1, 4.1.1). */
const CONTROL_CHARACTER =
  // deno-lint-ignore no-control-regex -- matches control characters
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x84\x86-\x9f]|\xef\xbf[\xbe\xbf]/;

/**
 * Reads the keys, values, tags and comments of YAML documents as PyYAML does. A text that PyYAML rejects
 * has a defect and is read on, since other parsers may accept it. What other loaders read otherwise is
 * read once more their way.
 *
 * @param text The documents as Latin-1, so that positions are byte offsets.
 */
export function* readYaml(text: string): Generator<DocumentEvent, void, void> {
  const reader = new YamlReader(text, PYYAML);
  yield* reader.events();
  const control = text.search(CONTROL_CHARACTER);
  if (control >= 0) yield controlCharacter(control);
  if (reader.isAmbiguous) yield* entriesAndTags(text, LIBYAML);
  if (UNICODE_BREAK.test(text)) yield* entriesAndTags(text, YAML_1_2);
}

/** What the text holds in a dialect, without its defects. */
function* entriesAndTags(
  text: string,
  dialect: YamlDialect,
): Generator<DocumentEvent, void, void> {
  for (const event of new YamlReader(text, dialect).events()) {
    if (event.kind !== "defect" && event.kind !== "aliases") yield event;
  }
}

function controlCharacter(position: number): DocumentEvent {
  return {
    kind: "defect",
    severity: "info",
    message: "A control character is not allowed",
    position,
    incomplete: "malformed_yaml",
  };
}
