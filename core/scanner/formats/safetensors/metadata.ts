import type { Checklist } from "../../contract/checklist.ts";
import { findSecrets, secretsOfValue } from "../../knowledge/secrets/find_secrets.ts";
import { redactedExcerpt } from "../../knowledge/secrets/redacted_excerpt.ts";
import { secretFinding } from "../../knowledge/secrets/secret_finding.ts";
import { findSuspiciousText } from "../../knowledge/suspicious_text.ts";
import { isObject } from "../../../../schemas/json.ts";

const CHECK = "Safetensors Metadata";

/** Checks that `__metadata__` maps strings to strings without code, paths or credentials. */
export function checkMetadata(metadata: unknown, checks: Checklist): void {
  if (metadata === undefined) return;
  checks.begin(CHECK, "Metadata values are strings without code, paths or credentials");
  if (!isObject(metadata)) {
    checks.add(CHECK, {
      message: "__metadata__ is not an object",
      severity: "warning",
      ruleCode: "S905",
    });
    return;
  }
  for (const [key, value] of Object.entries(metadata)) checkValue(key, value, checks);
}

function checkValue(key: string, value: unknown, checks: Checklist): void {
  const details = { key: redactedExcerpt(key) };
  const label = `The metadata value of "${details.key}"`;
  for (const secret of findSecrets(key)) {
    checks.add(CHECK, secretFinding(secret, undefined, "A metadata key"));
  }
  if (typeof value !== "string") {
    const message = `${label} is not a string`;
    checks.add(CHECK, { message, severity: "warning", ruleCode: "S905", details });
    return;
  }
  for (const secret of secretsOfValue(key, value)) {
    const finding = secretFinding(secret, undefined, label);
    checks.add(CHECK, { ...finding, details: { ...details, ...finding.details } });
  }
  for (const found of [...findSuspiciousText(value), ...findSuspiciousText(key)]) {
    const message = `${label} contains ${found.what}`;
    const { severity, ruleCode, kind } = found;
    checks.add(CHECK, { message, severity, ruleCode, details: { ...details, kind } });
  }
}
