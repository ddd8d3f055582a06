import type { ByteSource } from "../../contract/source.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { looksLikeText, utf8Source } from "../../readers/bytes/utf8_source.ts";
import { fileNameOf } from "../../contract/names.ts";
import type { Content } from "../../contract/scanner.ts";
import type { Defect, DocumentEvent } from "../../readers/document_event.ts";
import { readJson } from "../../readers/json/read_json.ts";
import { readToml } from "../../readers/toml/read_toml.ts";
import { readYaml } from "../../readers/yaml/read_yaml.ts";
import { formatBytes, MIB } from "../../../../schemas/units.ts";

/** The language of a manifest. */
export type ManifestLanguage = "json" | "yaml" | "toml";

/** How much of a manifest is read. JSON is streamed; the other languages are held in memory. */
const MAX_BYTES: Readonly<Record<ManifestLanguage, number>> = {
  json: 128 * MIB,
  yaml: 16 * MIB,
  toml: 16 * MIB,
};

const EXTENSIONS: ReadonlyMap<string, ManifestLanguage> = new Map([
  ["json", "json"],
  ["yaml", "yaml"],
  ["yml", "yaml"],
  ["toml", "toml"],
]);

/** The description of a model that MLflow keeps, which is YAML. */
export const MLFLOW_MODEL = "MLmodel";

/** Files that can begin like a manifest, but are not manifests. */
const OTHER_EXTENSIONS =
  /\.(?:ipynb|jsonl|ndjson|md|markdown|rst|py|js|mjs|ts|html?|css|jinja2?|j2|xml|pmml)$/i;

const HEAD_BYTES = 4096;

/** The language of a manifest, by its name or first bytes; undefined if it is not a manifest. */
export function manifestLanguage({ name, source }: Content): ManifestLanguage | undefined {
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  const byName = fileNameOf(name) === MLFLOW_MODEL ? "yaml" : EXTENSIONS.get(extension);
  if (byName !== undefined) return byName;
  if (OTHER_EXTENSIONS.test(name)) return undefined;
  const head = utf8Source(source).source.read(0, HEAD_BYTES);
  return looksLikeText(head) ? languageOf(decodeLatin1(head)) : undefined;
}

function languageOf(head: string): ManifestLanguage | undefined {
  if (/^\s*(?:\{\s*["}]|\[\s*(?:["{[\]]|-?\d))/.test(head)) return "json";
  if (/^(?:%YAML|%TAG)\s/.test(head)) return "yaml";
  const isYaml = /^(?:---\s|- |[\w"'][^\n]{0,200}:(?:\s|$))/m.test(head);
  return isYaml && /!!python\/|tag:yaml\.org/.test(head) ? "yaml" : undefined;
}

/** Reads a manifest in any encoding that parsers accept. Positions are byte offsets in the content. */
export function* readManifest(
  source: ByteSource,
  language: ManifestLanguage,
): Generator<DocumentEvent, void, void> {
  const text = utf8Source(source);
  if (text.incomplete !== undefined) {
    yield unread(`Part of the text could not be decoded: ${text.incomplete}`, text.incomplete);
  }
  const limit = MAX_BYTES[language];
  if (text.source.size > limit) {
    yield unread(`Only the first ${formatBytes(limit)} were checked`, "text_too_large");
  }
  for (const event of read(text.source, language, limit)) {
    if (text.start === 0) yield event;
    else yield { ...event, position: positionInContent(event.position, text.start) };
  }
}

/** The offset in the content, or 0 in a transcoded text. */
function positionInContent(position: number, start: number | undefined): number {
  return start === undefined ? 0 : position + start;
}

function read(
  source: ByteSource,
  language: ManifestLanguage,
  limit: number,
): Generator<DocumentEvent, void, void> {
  switch (language) {
    case "json":
      return readJson(source, limit);
    case "yaml":
      return readYaml(decodeLatin1(source.read(0, limit)));
    case "toml":
      return readToml(decodeLatin1(source.read(0, limit)));
  }
}

function unread(message: string, incomplete: string): Defect {
  const operational = incomplete === "text_too_large";
  return { kind: "defect", severity: "info", message, position: 0, incomplete, operational };
}
