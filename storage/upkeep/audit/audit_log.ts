import type { Settings } from "../../../schemas/settings.ts";
import { auditPath } from "../../disk/data_directory.ts";
import { AuditFile, auditStderr } from "./audit_file.ts";
import { AuditTrailFile } from "./audit_trail_file.ts";
import { AuditWriter, type AuditWriterOptions } from "./audit_writer.ts";

export interface AuditLogOptions extends Omit<AuditWriterOptions, "sink"> {
  readonly dataDir: string;
  /** The size that the log may have in files; 0 for any. */
  readonly maxBytes: number;
}

/**
 * Opens the audit log that a setting names (C 22).
 *
 * @throws {Error} when its file cannot be opened.
 */
export function auditLog(
  where: Settings["auditLog"],
  { dataDir, maxBytes, ...options }: AuditLogOptions,
): AuditWriter {
  const sink = where === "stderr" ? auditStderr : new AuditFile(auditPath(dataDir), maxBytes);
  return new AuditWriter({ ...options, sink });
}

/** What reads the audit log that a setting names, or undefined if it cannot be read. */
export function auditTrail(
  where: Settings["auditLog"],
  dataDir: string,
): AuditTrailFile | undefined {
  return where === "stderr" ? undefined : new AuditTrailFile({ path: auditPath(dataDir) });
}
