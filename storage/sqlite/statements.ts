import { HISTORY_STATEMENTS } from "../tables/history_statements.ts";
import { credentialStatements } from "../tables/credential_statements.ts";
import { davStatements } from "../tables/dav_statements.ts";
import { LINK_STATEMENTS } from "../tables/link_statements.ts";
import { logStatements } from "../tables/log_statements.ts";
import { mirrorStatements } from "../tables/mirror_statements.ts";
import { objectStatements } from "../tables/object_statements.ts";
import { purgeStatements } from "../tables/purge_statements.ts";
import { s3Statements } from "../tables/s3_statements.ts";
import { GROWING, scanStatements } from "../tables/scan_statements.ts";
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
import type { Connection } from "./connection.ts";
import { SQLITE } from "./dialect.ts";
import { TAG_SOURCES } from "./past.ts";
import { INDEX_SQL } from "./search_engine.ts";

/** The statements of the stores besides the records, by store and name. */
export const STATEMENTS = {
  credentials: credentialStatements(SQLITE),
  dav: davStatements(SQLITE),
  purge: purgeStatements(SQLITE, INDEX_SQL),
  links: LINK_STATEMENTS,
  history: {
    ...HISTORY_STATEMENTS,
    ...logStatements(SQLITE),
    ...trashStatements(SQLITE),
    ...tagStatements(SQLITE, TAG_SOURCES),
  },
  mirror: mirrorStatements(SQLITE),
  objects: objectStatements(SQLITE),
  people: peopleStatements(SQLITE),
  s3: s3Statements(SQLITE),
  scans: scanStatements(SQLITE),
  search: searchStatements(SQLITE, INDEX_SQL),
  sessions: sessionStatements(SQLITE),
  signIns: SIGN_IN_STATEMENTS,
  tensors: tensorStatements(SQLITE),
  uploads: uploadStatements(SQLITE),
  upkeep: upkeepStatements(SQLITE),
  verdicts: verdictStatements(SQLITE),
} as const;

export type Stores = typeof STATEMENTS;

/** A store, and the name of one of its statements. */
export type StatementName = {
  [Store in keyof Stores]: readonly [store: Store, name: keyof Stores[Store] & string];
}[keyof Stores];

/** The SQL of a statement. */
export function sqlOf([store, name]: StatementName): string {
  const statements: Readonly<Record<string, string>> = STATEMENTS[store];
  const sql = statements[name];
  if (sql === undefined) throw new Error(`No statement "${name}" of ${store}`);
  return sql;
}

/** Whether the rows of a statement may be large, or many. */
export function isGrowing([store, name]: StatementName): boolean {
  if (store === "tensors") return name === "keep";
  return store === "scans" ? GROWING.has(name) : store === "search" && name === "markOld";
}

/**
 * Forgets scan results of content that returns to a user who has no record with its hash any more. Others
 * may have it, which must not show (C 31). If no record has the hash, the new content may also differ from
 * the content that was scanned, as MD5 can be forged: a running scan can no longer read the old content.
 * Call it before records with the hashes are added.
 */
export function invalidateScans(
  connection: Connection,
  records: readonly { readonly hash: string; readonly userId: number }[],
): void {
  const files = records.flatMap(({ hash, userId }) =>
    hash === "" ? [] : [{ hash, user_id: userId }]
  );
  if (files.length === 0) return;
  const parameters = { files: JSON.stringify(files) };
  const { scans } = STATEMENTS;
  if (connection.get(scans.knowsHashes, parameters) === undefined) return;
  connection.run(scans.forgetReplacedResults, parameters);
  connection.run(scans.forgetReplacedFailures, parameters);
  connection.run(scans.forgetReplacedFacts, parameters);
  connection.run(scans.forgetReplacedTensors, parameters);
  connection.run(scans.markReplacedFiles, parameters);
}
