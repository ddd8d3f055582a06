import { MAX_CARD_LENGTH, MAX_FACT_LENGTH } from "../../../../schemas/fact_limits.ts";
import type { Facts } from "../../../../schemas/facts.ts";
import { DeclaredFacts } from "../../knowledge/declared_facts.ts";
import { redact } from "../../knowledge/secrets/find_secrets.ts";
import { redactedExcerpt } from "../../knowledge/secrets/redacted_excerpt.ts";
import { readYaml } from "../../readers/yaml/read_yaml.ts";

/** License IDs that are read from the front matter of a model card. */
const MAX_LICENSES = 10;

/** Values of the front matter that are read. Results of benchmarks can make it long. */
const MAX_VALUES = 10_000;

const FRONT_MATTER = /^---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** The beginning of a card that has its first heading. */
const MAX_BODY_CHARACTERS = 4096;

/** The beginning of a card that is read for its words, with its front matter. */
const MAX_CARD_CHARACTERS = 65_536;

/** A word, or a name such as `llama-3.1`. */
const WORD = /[\p{L}\p{N}]+(?:[._-][\p{L}\p{N}]+)*/gu;

/** The names of model cards. */
export const CARD_NAME = /^readme\.md$/i;

/** What the front matter of a model card says. */
export interface FrontMatter {
  /** The license IDs. */
  readonly licenses: readonly string[];
  readonly facts: Facts;
}

/** Reads the front matter at the beginning of a text, if it has one. */
export function readFrontMatter(head: string): FrontMatter {
  const [, matter] = FRONT_MATTER.exec(head) ?? [];
  const licenses: string[] = [];
  const declared = DeclaredFacts.ofCard();
  if (matter === undefined) return { licenses, facts: {} };
  let values = 0;
  for (const event of readYaml(matter)) {
    if (event.kind !== "value") continue;
    if (values++ === MAX_VALUES) break;
    declared.take(event);
    const isLicense = /^licen[sc]e(?:_name)?$/.test(event.path.join("."));
    if (!isLicense || typeof event.value !== "string") continue;
    if (licenses.length < MAX_LICENSES) licenses.push(event.value);
  }
  return { licenses, facts: declared.facts };
}

/** The facts of a card: those of its front matter, its first heading, and its first words. */
export function cardFacts(facts: Facts, text: string): Facts {
  const body = text.slice(0, MAX_CARD_CHARACTERS).replace(FRONT_MATTER, "");
  const lines = body.slice(0, MAX_BODY_CHARACTERS).split("\n");
  const heading = lines.find((line) => line.startsWith("# "));
  const card = firstWords(redact(body));
  return {
    ...heading !== undefined && { title: redactedExcerpt(heading.slice(2)) },
    ...facts,
    ...card !== "" && { card },
  };
}

/** The words of a text, each once, as far as there is room for them. */
function firstWords(text: string): string {
  const words = new Set<string>();
  let length = -1;
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (words.has(word) || word.length > MAX_FACT_LENGTH) continue;
    length += word.length + 1;
    if (length > MAX_CARD_LENGTH) break;
    words.add(word);
  }
  return [...words].join(" ");
}
