/** Finds citations of the specification in text; docs/reference/spec/README.md says how they are written. */

export interface Citation {
  /** The rule in its full form, such as `RS 4.4 multiple 3`, `evasion 27` or `scanning 2.7`. */
  readonly rule: string;
  /** The line on which the citation begins, from 1. */
  readonly line: number;
}

const NUMBER = String.raw`\d+(?:\.\d+)*(?:\s+(?:common|single|multiple)\s+\d+)?`;
const SEPARATOR = String.raw`\s*(?:,(?:\s*(?:and|or)\b)?|\b(?:and|or|to)\b|[–-])\s*`;
const DOCUMENT = "RS|SR|HC|C";
/** Sections are numbered 2.1 and so on, so that `scanning 3 files` is not a citation. */
const SECTION = String.raw`\d+\.\d+`;
const CITATIONS = [
  `\\b(?:${DOCUMENT})\\s+${NUMBER}(?:${SEPARATOR}(?:(?:${DOCUMENT})\\s+)?${NUMBER})*`,
  `\\b[Ee]vasion\\s+\\d+`,
  `\\b[Ee]vasions\\s+\\d+(?:${SEPARATOR}\\d+)*`,
  `\\bscanning\\s+${SECTION}(?:${SEPARATOR}(?:scanning\\s+)?${NUMBER})*`,
].map((pattern) => new RegExp(pattern, "g"));

/** Every rule that the text cites. A list or a range gives one citation for each rule in it. */
export function citationsIn(text: string): Citation[] {
  const joined = joinLines(text);
  return CITATIONS.flatMap((pattern) =>
    [...joined.matchAll(pattern)].flatMap(({ 0: list, index }) => {
      const line = joined.slice(0, index).split("\n").length;
      return rulesIn(list).map((rule) => ({ rule, line }));
    })
  );
}

/** The rules that a document of the specification defines: the citations in bold. */
export function anchorsIn(markdown: string): string[] {
  const anchor = new RegExp(`\\*\\*((?:${DOCUMENT}|evasion|scanning) ${NUMBER})\\*\\*`, "g");
  return [...markdown.matchAll(anchor)].map(([, rule = ""]) => rule);
}

/** Blanks the markers at the start of comment lines, so that a citation may wrap. */
function joinLines(text: string): string {
  return text.replace(
    /\n[ \t]*(?:\*(?![*/])|\/{2,3}|--)/g,
    (it) => "\n" + " ".repeat(it.length - 1),
  );
}

/** `RS 4.1.3 and 4.1.7, C 8` is three rules, `RS 4.1.2–7` is six. */
function rulesIn(list: string): string[] {
  const item = new RegExp(
    `(${SEPARATOR})?(?:(${DOCUMENT}|[Ee]vasions?|scanning)\\s+)?(${NUMBER})`,
    "g",
  );
  const rules: string[] = [];
  let document = "";
  let last = "";
  for (const [, separator = "", named = document, given = ""] of list.matchAll(item)) {
    const isRange = /to|[–-]/.test(separator) && named === document;
    document = named;
    const number = given.replace(/\s+/g, " ");
    const numbers = isRange ? numbersAfter(last, number) : [number];
    const prefix = document.toLowerCase().startsWith("evasion") ? "evasion" : document;
    rules.push(...numbers.map((it) => `${prefix} ${it}`));
    last = numbers.at(-1) ?? number;
  }
  return rules;
}

/** The numbers after `first` up to `last`. `last` may omit the parts it shares with `first`. */
function numbersAfter(first: string, last: string): string[] {
  const from = first.split(".");
  const short = last.split(".");
  const to = [...from.slice(0, Math.max(0, from.length - short.length)), ...short];
  const part = from.slice(0, -1).join(".");
  const start = Number(from.at(-1));
  const count = Number(to.at(-1)) - start;
  if (to.slice(0, -1).join(".") !== part || !(count > 0)) return [to.join(".")];
  return Array.from(
    { length: count },
    (_, index) => [...from.slice(0, -1), start + index + 1].join("."),
  );
}
