/** The terms by which an index finds records (C 29). See docs/design/search.md. */

import type { Facts } from "../schemas/facts.ts";
import type { NumberRange, SearchKind } from "../schemas/search.ts";
import type { SearchConditions } from "./search.ts";

/** How many letters the parts of words have that are terms. */
const GRAM = 3;

/** What a document is made of. */
export interface Searched {
  readonly path: string;
  readonly isDir: boolean;
  readonly facts: Facts;
}

/** The texts of a document, as {@link folded}. */
export interface SearchDocument {
  readonly path: string;
  /** The words of a card, of which parts are found like those of paths. */
  readonly card: string;
  /** Those that are found as a whole, too. */
  readonly values: readonly string[];
  /** Those that are found as a whole alone. */
  readonly marks: readonly string[];
}

/** Terms of which one has to be in a document. */
export type Clause = readonly string[];

/** What has to be among the terms of all that is found. */
export interface SoughtTerms {
  readonly facts: readonly Clause[];
  /** For each word, terms that all have to be there: a path, a fact or a card has the whole word. */
  readonly words: readonly Clause[];
}

/**
 * A text in the one form that all its cases share: letter by letter, as the patterns of searches compare them, and
 * not word by word.
 */
export function folded(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return [...text].map((it) => it.toLowerCase().toUpperCase().toLowerCase()).join("");
}

/** The document of a record. */
export function documentOf(
  { path, isDir, facts: { card = "", ...facts } }: Searched,
): SearchDocument {
  const values = [...textsOf(facts), ...Object.keys(facts.dtypes ?? {})].map(folded);
  const quantizations = facts.quantization === undefined ? [] : parts(facts.quantization);
  const kind = isDir ? directoryKind(path, facts) : "file";
  return {
    path: folded(path),
    card: folded(card),
    values: [
      ...new Set([
        ...values.filter((it) => it !== ""),
        ...quantizations,
      ]),
    ],
    marks: [
      ...kind === undefined ? [] : [kindTerm(kind)],
      ...facts.parameters === undefined ? [] : [bucketTerm(bucketOf(facts.parameters))],
    ],
  };
}

/** All texts among facts, which words are looked for in. */
export function textsOf(facts: Facts): string[] {
  return Object.values(facts).flatMap((value) =>
    typeof value === "string" ? [value] : Array.isArray(value) ? value : []
  );
}

/** What kind of thing a directory is: a model has weights, or is where the hub has its models. */
function directoryKind(path: string, { format }: Facts): SearchKind | undefined {
  const [root, , ...others] = path.split("/");
  const isRepository = others.length === 1;
  if (format !== undefined || isRepository && root === "models") return "model";
  return isRepository && root === "datasets" ? "dataset" : undefined;
}

/** What has to be among the terms of all that is found. Undefined if any record may be. */
export function soughtTermsOf(conditions: SearchConditions): SoughtTerms | undefined {
  const { kind, parameters, tags = [] } = conditions;
  const { formats, architectures, licenses, dtypes, baseModels } = conditions;
  const facts = [
    ...[formats, architectures, licenses, dtypes, baseModels]
      .flatMap((values) => values === undefined ? [] : [values.map((it) => exact(folded(it)))]),
    ...tags.map((it) => valuesOfTag(folded(it)).map(exact)),
    ...kind === undefined ? [] : [[exact(kindTerm(kind))]],
    ...parameters === undefined ? [] : [bucketsOf(parameters).map((it) => exact(bucketTerm(it)))],
  ];
  const words = conditions.words.map((word) => spread(gramsOf(folded(word))))
    .filter((it) => it.length > 0);
  return facts.length + words.length === 0 ? undefined : { facts, words };
}

/** What a tag may be among facts: itself, or the value that it names. */
function valuesOfTag(tag: string): string[] {
  return [...new Set([tag, tag.replace(/^(?:license|base_model|dataset):/, "")])];
}

/** Some of the parts of a word that cover it all. */
function spread(grams: readonly string[]): string[] {
  return grams.filter((_, index) => index % GRAM === 0 || index === grams.length - 1);
}

/** The terms by which parts of a text are found, of which some may be there several times. */
export function gramsOf(text: string): string[] {
  // A letter beyond the first plane is two of these units.
  const letters = /[\ud800-\udfff]/.test(text) ? [...text] : undefined;
  const length = letters?.length ?? text.length;
  const grams: string[] = [];
  for (let start = 0; start + GRAM <= length; start++) {
    const end = start + GRAM;
    grams.push(letters?.slice(start, end).join("") ?? text.slice(start, end));
  }
  return grams;
}

/** The term by which a value is found as a whole. */
export function exact(value: string): string {
  return `=${value}`;
}

function kindTerm(kind: SearchKind): string {
  return `kind:${kind}`;
}

function bucketTerm(bucket: number): string {
  return `parameters:${bucket}`;
}

/** The power of two below a number. */
function bucketOf(parameters: number): number {
  return parameters < 1 ? 0 : Math.floor(Math.log2(parameters));
}

function bucketsOf({ min, max }: NumberRange): number[] {
  const first = bucketOf(Math.max(min, 0));
  const last = bucketOf(Math.min(max, Number.MAX_SAFE_INTEGER));
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The quantizations of a text that names several. */
function parts(quantization: string): string[] {
  return quantization.split(", ").map(folded);
}
