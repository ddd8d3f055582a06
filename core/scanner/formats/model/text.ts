import type { Checklist } from "../../contract/checklist.ts";
import { findSecrets } from "../../knowledge/secrets/find_secrets.ts";
import { redactedExcerpt } from "../../knowledge/secrets/redacted_excerpt.ts";
import { secretFinding } from "../../knowledge/secrets/secret_finding.ts";
import { findSuspiciousText } from "../../knowledge/suspicious_text.ts";

/**
 * Checks a text that a model carries, such as a description, for credentials, code and paths that leave
 * the model's folder.
 *
 * @param label What the text is, such as `The description`, without text from the file.
 */
export function checkModelText(
  check: string,
  label: string,
  text: string,
  checks: Checklist,
  position?: number,
): void {
  if (text === "") return;
  for (const secret of findSecrets(text)) {
    checks.add(check, secretFinding(secret, position, label));
  }
  for (const { what, severity, ruleCode, kind } of findSuspiciousText(text)) {
    checks.add(check, {
      severity,
      ruleCode,
      message: `${label} contains ${what}`,
      ...position !== undefined && { position },
      details: { kind, text: redactedExcerpt(text) },
    });
  }
}
