import { HISTORY_STATEMENTS, settling } from "../tables/history_statements.ts";
import { credentialStatements } from "../tables/credential_statements.ts";
import { davStatements } from "../tables/dav_statements.ts";
import { LINK_STATEMENTS } from "../tables/link_statements.ts";
import { logStatements } from "../tables/log_statements.ts";
import { mirrorStatements } from "../tables/mirror_statements.ts";
import { objectStatements } from "../tables/object_statements.ts";
import { purgeStatements } from "../tables/purge_statements.ts";
import { s3Statements } from "../tables/s3_statements.ts";
import { scanStatements } from "../tables/scan_statements.ts";
import { tagStatements } from "../tables/tag_statements.ts";
import { peopleStatements } from "../tables/people_statements.ts";
import { searchStatements } from "../tables/search_statements.ts";
import { sessionStatements } from "../tables/session_statements.ts";
import { SIGN_IN_STATEMENTS } from "../tables/sign_in_statements.ts";
import { tensorStatements } from "../tables/tensor_statements.ts";
import { trashStatements } from "../tables/trash_statements.ts";
import { uploadStatements } from "../tables/upload_statements.ts";
import { upkeepStatements } from "../tables/upkeep_statements.ts";
import { verdictStatements } from "../tables/verdict_statements.ts";
import { POSTGRES } from "./dialect.ts";
import { IS_CHANGING } from "./locks.ts";
import { TAGGED, TAGGED_PAST } from "./past.ts";
import { INDEX_SQL } from "./search_engine.ts";

/** The statements of the stores besides the records, by store and name. */
export const STATEMENTS = {
  credentials: credentialStatements(POSTGRES),
  dav: davStatements(POSTGRES),
  purge: purgeStatements(POSTGRES, INDEX_SQL),
  links: LINK_STATEMENTS,
  history: {
    ...HISTORY_STATEMENTS,
    // Each look at what is fresh would pass all rows of a change that has not been committed yet.
    ...settling(`NOT ${IS_CHANGING}`),
    ...logStatements(POSTGRES),
    ...trashStatements(POSTGRES),
    ...tagStatements(POSTGRES, { past: TAGGED_PAST, tagged: TAGGED }),
  },
  mirror: mirrorStatements(POSTGRES),
  objects: objectStatements(POSTGRES),
  people: peopleStatements(POSTGRES),
  s3: s3Statements(POSTGRES),
  scans: scanStatements(POSTGRES),
  search: searchStatements(POSTGRES, INDEX_SQL),
  sessions: sessionStatements(POSTGRES),
  signIns: SIGN_IN_STATEMENTS,
  tensors: tensorStatements(POSTGRES),
  uploads: uploadStatements(POSTGRES),
  upkeep: upkeepStatements(POSTGRES),
  verdicts: verdictStatements(POSTGRES),
} as const;
