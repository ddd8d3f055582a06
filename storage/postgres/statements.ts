import { credentialStatements } from "../sql/credential_statements.ts";
import { LINK_STATEMENTS } from "../sql/link_statements.ts";
import { objectStatements } from "../sql/object_statements.ts";
import { scanStatements } from "../sql/scan_statements.ts";
import { SESSION_STATEMENTS } from "../sql/session_statements.ts";
import { uploadStatements } from "../sql/upload_statements.ts";
import { upkeepStatements } from "../sql/upkeep_statements.ts";
import { verdictStatements } from "../sql/verdict_statements.ts";
import { POSTGRES } from "./dialect.ts";

/** The statements of the stores besides the records, by store and name. */
export const STATEMENTS = {
  credentials: credentialStatements(POSTGRES),
  links: LINK_STATEMENTS,
  objects: objectStatements(POSTGRES),
  scans: scanStatements(POSTGRES),
  sessions: SESSION_STATEMENTS,
  uploads: uploadStatements(POSTGRES),
  upkeep: upkeepStatements(POSTGRES),
  verdicts: verdictStatements(POSTGRES),
} as const;
