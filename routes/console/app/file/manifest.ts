import { readToml } from "../../../../core/scanner/readers/toml/read_toml.ts";
import { YamlReader } from "../../../../core/scanner/readers/yaml/yaml_reader.ts";
import { MAX_ROWS, type Pair, shortened } from "../preview/header.ts";

/** As most people read YAML: with PyYAML. */
const PYYAML = { unicodeBreaks: true, indicatorsInTags: true };

/**
 * The keys and values of a manifest, as the readers of the scanner find them: keys from the root on joined by
 * dots, and the values of a list in a row. It is the first {@link MAX_ROWS} of them.
 */
export function manifestOf(bytes: Uint8Array, format: "YAML" | "TOML"): Pair[] {
  const text = latin1(bytes);
  const events = format === "TOML" ? readToml(text) : new YamlReader(text, PYYAML).events();
  const pairs: { key: string; value: string }[] = [];
  let isAfterKey = false;
  for (const event of events) {
    if (event.kind === "key") isAfterKey = true;
    if (event.kind !== "value") continue;
    const key = shortened(event.path.join("."));
    const value = shortened(String(event.value));
    const last = pairs.at(-1);
    // Values of a list have no keys between them.
    if (!isAfterKey && last?.key === key) last.value = shortened(`${last.value}, ${value}`);
    else if (pairs.length === MAX_ROWS) break;
    else pairs.push({ key, value });
    isAfterKey = false;
  }
  return pairs;
}

/** How many characters `String.fromCharCode` gets at once. */
const MAX_ARGUMENTS = 8192;

/** Each byte as the character with its value, as the readers take texts. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) {
    text += String.fromCharCode(...bytes.subarray(at, at + MAX_ARGUMENTS));
  }
  return text;
}
