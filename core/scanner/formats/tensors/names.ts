import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";

/** Tensor names that an asset lists. */
const MAX_LISTED_NAMES = 10_000;
/** Characters of each listed name. */
const MAX_LISTED_NAME_LENGTH = 256;

/** Names that a program might use as a path or evaluate as code. */
const SUSPICIOUS_NAME =
  /\.\.[\\/]|^\/(?:etc|proc|root)\/|\\[xu]|<script|javascript:|\b(?:eval|exec)\(|\p{Cc}/iu;

/** Reports a tensor name that looks like a path or code. */
export function checkTensorName(check: string, name: string, checks: Checklist): void {
  if (!SUSPICIOUS_NAME.test(name)) return;
  const message = `Tensor name ${quotedExcerpt(name)} looks like a path or code`;
  checks.add(check, { message, severity: "warning", ruleCode: "S905" });
}

/** The tensor names that an asset lists, shortened. */
export function listedNames(names: readonly string[]): string[] {
  return names.slice(0, MAX_LISTED_NAMES).map((name) => name.slice(0, MAX_LISTED_NAME_LENGTH));
}
