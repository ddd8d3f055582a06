import type { Finding } from "../../contract/checklist.ts";
import type { Secret } from "./find_secrets.ts";

/** What is told of a credential: its kind, where it is, and a few leading characters. */
export function secretFinding(
  { kind, ruleCode, severity, lead }: Secret,
  position: number | undefined,
): Finding {
  return {
    severity,
    ruleCode,
    message: `A credential stands in the file: ${kind}${lead === "" ? "" : `, begins "${lead}"`}`,
    ...position !== undefined && { position },
    details: { kind, ...lead !== "" && { begins: lead } },
    why: "Whoever has the file can use the credential; withdraw it where it was issued",
  };
}
