import type { RuleCode } from "../contract/rules.ts";

/** Something that a template has no reason for, or a part of it that was not read. */
export interface TemplateFinding {
  readonly severity: "info" | "warning" | "critical";
  readonly message: string;
  /** The character of the template at which it was found. */
  readonly position: number;
  readonly ruleCode?: RuleCode;
  /** Why the template was not read through, such as `template_too_long`. */
  readonly incomplete?: string;
  /** Whether it is a limit of ours that kept it from being read. */
  readonly operational?: boolean;
}

/** Findings that are told of one template. */
const MAX_FINDINGS_PER_SEVERITY = 50;

/** The findings of one template, the worst of which are kept where they are many. */
export class TemplateFindings {
  readonly #found: TemplateFinding[] = [];

  add(finding: TemplateFinding): void {
    const { message, position } = finding;
    if (this.#found.some((one) => one.message === message && one.position === position)) return;
    const alike = this.#found.filter(({ severity }) => severity === finding.severity).length;
    if (alike < MAX_FINDINGS_PER_SEVERITY) this.#found.push(finding);
  }

  /** All that were kept, in the order of their places. */
  all(): TemplateFinding[] {
    return this.#found.toSorted((a, b) => a.position - b.position);
  }
}
