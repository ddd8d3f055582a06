import type { Finding } from "../../contract/checklist.ts";
import type { Secret } from "./find_secrets.ts";

/**
 * The finding about a credential: its kind and its first characters, never all of it.
 *
 * @param where What contains the credential, such as `The metadata value of "author"`.
 */
export function secretFinding(
  { kind, ruleCode, severity, lead }: Secret,
  position: number | undefined,
  where = "The file",
): Finding {
  return {
    severity,
    ruleCode,
    message: `${where} contains a credential: ${kind}${lead === "" ? "" : `, begins "${lead}"`}`,
    ...position !== undefined && { position },
    details: { kind, ...lead !== "" && { begins: lead } },
    why: "Anyone with the file can use the credential; revoke it where it was issued",
  };
}
