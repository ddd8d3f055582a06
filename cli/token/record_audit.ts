import type { AuditEntry } from "../../core/audit.ts";
import type { Settings } from "../../schemas/settings.ts";
import { auditLog } from "../../storage/upkeep/audit/audit_log.ts";
import { printError } from "../print_error.ts";

/** Records in the audit log what was done on the command line. */
export async function recordAudit(
  { auditLog: where, auditLogSize: maxBytes, dataDir }: Settings,
  entry: Pick<AuditEntry, "action" | "tree" | "details">,
): Promise<void> {
  await using audit = auditLog(where, {
    dataDir,
    maxBytes,
    onFailure: (message, error) => printError(`${message}: ${error.message}`),
    writeElsewhere: printError,
  });
  await audit.write({ ...entry, outcome: "ok" });
}
