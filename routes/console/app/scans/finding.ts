import { type ComponentChild, h } from "preact";
import { ruleOf } from "../../../../core/scanner/contract/rules.ts";
import type { Severity } from "../../../../schemas/report/findings.ts";
import { Icon, type IconName } from "../ui/icon.ts";

/** A finding as people read it. What it quotes may be hostile. */
export interface ShownFinding {
  readonly severity: Severity;
  readonly message: string;
  readonly rule_code: string | null;
  /** Why it is a concern. @default what the rule says */
  readonly why?: string | null;
  /** Where in the file. */
  readonly place?: string;
  /** What the scanner has seen. */
  readonly evidence?: readonly (readonly [name: string, value: string])[];
}

/** The severities, worst first. */
export const SEVERITIES: readonly Severity[] = ["critical", "warning", "info", "debug"];

const SHOWN: Readonly<Record<Severity, { word: string; icon: IconName; badge: string }>> = {
  critical: { word: "Critical", icon: "cross", badge: "dangerous" },
  warning: { word: "Warning", icon: "alert", badge: "suspicious" },
  info: { word: "Note", icon: "dots", badge: "pending" },
  debug: { word: "Debug", icon: "minus", badge: "unscanned" },
};

/** The word for a severity. */
export function severityWord(severity: Severity): string {
  return SHOWN[severity].word;
}

export function SeverityBadge({ severity }: { readonly severity: Severity }): ComponentChild {
  const { word, icon, badge } = SHOWN[severity];
  return h("span", { class: `badge badge-${badge}` }, h(Icon, { name: icon }), word);
}

/** Where in a file something is: `member (pos 3)` for the location `:member (pos 3)`. */
export function placeIn(location: string): string {
  return location.replace(/^:/, "").trim();
}

/** A finding: what, why it is a concern, what to do about it, and the evidence. */
export function FindingItem({ finding }: { readonly finding: ShownFinding }): ComponentChild {
  const { severity, message, rule_code: code, place = "", evidence = [] } = finding;
  const rule = ruleOf(code);
  const why = finding.why ?? rule?.why;
  return h(
    "li",
    { class: `finding finding-${severity}` },
    h(
      "p",
      { class: "finding-head" },
      h(SeverityBadge, { severity }),
      code !== null && h("code", { title: rule?.title }, code),
      place !== "" && h("span", { class: "muted" }, h("bdi", null, place)),
    ),
    h("p", { class: "finding-message" }, h("bdi", null, message)),
    why !== undefined && h("p", null, h("strong", null, "Why "), why),
    rule !== undefined && h("p", null, h("strong", null, "What to do "), rule.advice),
    evidence.length > 0 && h(
      "details",
      null,
      h("summary", null, "Evidence"),
      h(
        "dl",
        { class: "facts" },
        evidence.map(([name, value]) =>
          h(
            "div",
            { key: name },
            h("dt", null, h("bdi", null, name)),
            h("dd", null, h("code", null, value)),
          )
        ),
      ),
    ),
  );
}
