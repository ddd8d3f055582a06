import type { RuleCode } from "../contract/rules.ts";

/** A dangerous access in a template, or a part of the template that was not checked. */
export interface TemplateFinding {
  readonly severity: "info" | "warning" | "critical";
  readonly message: string;
  /** Index of the character in the template. */
  readonly position: number;
  readonly ruleCode?: RuleCode;
  /** What comes of it, if that is not what comes of any access. */
  readonly why?: string;
  /** Why the template was not checked to its end, such as `template_too_long`. */
  readonly incomplete?: string;
  /** Whether a limit of the scanner is the reason. */
  readonly operational?: boolean;
}

/** Findings of one severity that are kept for a template. */
const MAX_FINDINGS_PER_SEVERITY = 50;

/** The findings of one template: without repetitions, a bounded number of each severity. */
export class TemplateFindings {
  readonly #found: TemplateFinding[] = [];

  add(finding: TemplateFinding): void {
    const { message, position } = finding;
    if (this.#found.some((one) => one.message === message && one.position === position)) return;
    const alike = this.#found.filter(({ severity }) => severity === finding.severity).length;
    if (alike < MAX_FINDINGS_PER_SEVERITY) this.#found.push(finding);
  }

  /** The findings kept, by position. */
  all(): TemplateFinding[] {
    return this.#found.toSorted((a, b) => a.position - b.position);
  }
}
