import type { Checklist } from "../contract/checklist.ts";
import { checkTemplate } from "./check.ts";

/** The name of the check of a template, in every format. */
export const TEMPLATE_CHECK = "Jinja Template";

/**
 * Checks a template and adds the findings to the checks.
 *
 * @param label What contains the template, such as `The metadata value of "chat_template"`.
 */
export function addTemplateChecks(template: string, label: string, checks: Checklist): void {
  checks.begin(TEMPLATE_CHECK, "The template accesses nothing but its variables");
  for (const finding of checkTemplate(template)) {
    const { message, position, why = WHY, ...rest } = finding;
    checks.add(TEMPLATE_CHECK, {
      ...rest,
      message: `${label}: ${message}`,
      ...rest.severity === "info" ? {} : { why },
      details: { place: label, character: position },
    });
  }
}

const WHY = "A program that renders the template without a sandbox runs what it accesses";
