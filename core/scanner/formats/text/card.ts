import type { Facts } from "../../../../schemas/facts.ts";
import { DeclaredFacts } from "../../knowledge/declared_facts.ts";
import { redactedExcerpt } from "../../knowledge/secrets/redacted_excerpt.ts";
import { readYaml } from "../../readers/yaml/read_yaml.ts";

/** License IDs that are read from the front matter of a model card. */
const MAX_LICENSES = 10;

/** Values of the front matter that are read. Results of benchmarks can make it long. */
const MAX_VALUES = 10_000;

const FRONT_MATTER = /^---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** The beginning of a card that has its first heading. */
const MAX_BODY_CHARACTERS = 4096;

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

/** The facts of a card: those of its front matter, and its first heading. */
export function cardFacts(facts: Facts, text: string): Facts {
  const lines = text.replace(FRONT_MATTER, "").slice(0, MAX_BODY_CHARACTERS).split("\n");
  const heading = lines.find((line) => line.startsWith("# "));
  return heading === undefined ? facts : { title: redactedExcerpt(heading.slice(2)), ...facts };
}
