import type { Finding } from "../checklist.ts";
import type { Severity } from "../scanner.ts";
import { excerpt } from "../secrets/excerpt.ts";
import type { Entry } from "./event.ts";

/** What is wrong in a template. */
export interface TemplateFinding {
  readonly severity: Severity;
  readonly message: string;
}

/** Checks the text of a Jinja template. */
export type CheckTemplate = (text: string) => readonly TemplateFinding[];

/** Something of Jinja with a name or a string in it. */
const MARKED = /\{\{[^{}]*[\p{L}_'"]|\{%-?\s*\p{L}|\{#/u;

/** Whether a value is a template: by its key and a mark, or by marks with something in them. */
export function isTemplate({ path, value }: Entry): boolean {
  if (typeof value !== "string") return false;
  const isNamed = path.some((key) => /template/i.test(key));
  if (isNamed) return /\{[{%#]/.test(value);
  return /[}%#]\}/.test(value) && MARKED.test(value);
}

/** What is wrong in a value that is a template (scanning 2.10). */
export function* templateFindings(
  { path, position }: Entry,
  text: string,
  checkTemplate: CheckTemplate,
): Generator<Finding, void, void> {
  for (const { severity, message } of checkTemplate(text)) {
    const key = excerpt(path.join("."));
    yield { severity, message: `In the template "${key}": ${excerpt(message)}`, position };
  }
}
