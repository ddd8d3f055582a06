import { excerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import { findSuspiciousText } from "../../knowledge/suspicious_text.ts";
import { isObject } from "../../../../schemas/json.ts";

const CHECK = "Safetensors Metadata";

/** Checks `__metadata__`: texts by name, none of which is code, a path or a credential. */
export function checkMetadata(metadata: unknown, checks: Checklist): void {
  if (metadata === undefined) return;
  checks.begin(CHECK, "The metadata are texts without code or credentials");
  if (!isObject(metadata)) {
    checks.add(CHECK, {
      message: "The metadata are no object",
      severity: "warning",
      ruleCode: "S905",
    });
    return;
  }
  for (const [key, value] of Object.entries(metadata)) checkValue(key, value, checks);
}

function checkValue(key: string, value: unknown, checks: Checklist): void {
  const details = { key: excerpt(key) };
  if (typeof value !== "string") {
    const message = `The metadata value of "${details.key}" is no text`;
    checks.add(CHECK, { message, severity: "warning", ruleCode: "S905", details });
    return;
  }
  for (const found of [...findSuspiciousText(value), ...findSuspiciousText(key)]) {
    const message = `The metadata value of "${details.key}" has ${found.what}`;
    const { severity, ruleCode, kind } = found;
    checks.add(CHECK, { message, severity, ruleCode, details: { ...details, kind } });
  }
}
