import type { Checklist } from "../contract/checklist.ts";
import { checkTemplate } from "./check.ts";

/** The check of templates, whatever they are found in. */
export const TEMPLATE_CHECK = "Jinja Template";

/**
 * Checks a template, and adds what was found to the checks.
 *
 * @param place Where the template is, such as the key that it is the value of.
 */
export function addTemplateChecks(template: string, place: string, checks: Checklist): void {
  checks.begin(TEMPLATE_CHECK, "The template reaches for nothing but its data");
  for (const finding of checkTemplate(template)) {
    const { message, position, ...rest } = finding;
    checks.add(TEMPLATE_CHECK, {
      ...rest,
      message: `${place}: ${message}`,
      ...rest.severity === "info" ? {} : { why: WHY },
      details: { place, character: position },
    });
  }
}

const WHY = "A program that fills the template in without a sandbox runs what it reaches for.";
