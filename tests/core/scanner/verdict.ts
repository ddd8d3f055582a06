import type { Check } from "../../../core/scanner/contract/scanner.ts";

/** The verdict of a scan: C critical, W warning, I inconclusive, OK clean. */
export function verdict(
  checks: readonly Pick<Check, "severity" | "incomplete">[],
): "C" | "W" | "I" | "OK" {
  if (checks.some(({ severity }) => severity === "critical")) return "C";
  if (checks.some(({ severity }) => severity === "warning")) return "W";
  return checks.some(({ incomplete }) => incomplete !== undefined) ? "I" : "OK";
}
