import { redactedExcerpt, redactedQuote } from "../../knowledge/secrets/redacted_excerpt.ts";
import type { Finding } from "../../contract/checklist.ts";
import type { DocumentEntry } from "../../readers/document_event.ts";

/** What is wrong in a template, or why not all of it was read. */
export type ManifestTemplateFinding = Pick<
  Finding,
  "severity" | "message" | "ruleCode" | "incomplete" | "operational"
>;

/** Checks the text of a Jinja template. */
export type CheckTemplate = (text: string) => readonly ManifestTemplateFinding[];

/** Something of Jinja with a name or a string in it. */
const MARKED = /\{\{[^{}]*[\p{L}_'"]|\{%-?\s*\p{L}|\{#/u;

/** Whether a value is a template: by its key and a mark, or by marks with something in them. */
export function isTemplate({ path, value }: DocumentEntry): boolean {
  if (typeof value !== "string") return false;
  if (isNamed(path)) return /\{[{%#]/.test(value);
  return /[}%#]\}/.test(value) && MARKED.test(value);
}

/**
 * What is wrong in a value that is a template (scanning 2.10). A text that nothing says is a template
 * may be malformed as one.
 */
export function* templateFindings(
  { path, position }: DocumentEntry,
  text: string,
  checkTemplate: CheckTemplate,
): Generator<Finding, void, void> {
  for (const { severity, message, ruleCode, incomplete, operational } of checkTemplate(text)) {
    if (severity === "info" && operational !== true && !isNamed(path)) continue;
    yield {
      severity,
      message: `In the template ${redactedQuote(path.join("."))}: ${redactedExcerpt(message)}`,
      position,
      ...ruleCode !== undefined && { ruleCode },
      ...incomplete !== undefined && { incomplete },
      ...operational !== undefined && { operational },
    };
  }
}

function isNamed(path: readonly string[]): boolean {
  return path.some((key) => /template/i.test(key));
}
