import { redactedExcerpt, redactedQuote } from "../../knowledge/secrets/redacted_excerpt.ts";
import type { Finding } from "../../contract/checklist.ts";
import type { DocumentEntry } from "../../readers/document_event.ts";

/** A danger in a template, or why part of it was not checked. */
export type ManifestTemplateFinding = Pick<
  Finding,
  "severity" | "message" | "ruleCode" | "incomplete" | "operational"
>;

/** Checks the text of a Jinja template. */
export type CheckTemplate = (text: string) => readonly ManifestTemplateFinding[];

/** A Jinja expression with a name or a string, a statement, or a comment. */
const MARKUP = /\{\{[^{}]*[\p{L}_'"]|\{%-?\s*\p{L}|\{#/u;

/**
 * Whether a value is a template. Under a key that names templates, an opening delimiter is enough;
 * elsewhere the markup must have content, since vocabularies hold bare delimiters.
 */
export function isTemplate({ path, value }: DocumentEntry): boolean {
  if (typeof value !== "string") return false;
  if (isNamedTemplate(path)) return /\{[{%#]/.test(value);
  return /[}%#]\}/.test(value) && MARKUP.test(value);
}

/**
 * The findings in a template value (scanning 2.10). If no key names it a template, it may be other text
 * in braces, so a malformed one is not reported.
 */
export function* templateFindings(
  { path, position }: DocumentEntry,
  text: string,
  checkTemplate: CheckTemplate,
): Generator<Finding, void, void> {
  for (const { severity, message, ruleCode, incomplete, operational } of checkTemplate(text)) {
    if (severity === "info" && operational !== true && !isNamedTemplate(path)) continue;
    yield {
      severity,
      message: `Template ${redactedQuote(path.join("."))}: ${redactedExcerpt(message)}`,
      position,
      ...ruleCode !== undefined && { ruleCode },
      ...incomplete !== undefined && { incomplete },
      ...operational !== undefined && { operational },
    };
  }
}

function isNamedTemplate(path: readonly string[]): boolean {
  return path.some((key) => /template/i.test(key));
}
