import { quoted } from "../../core/errors.ts";
import { parentOf } from "../../core/paths.ts";
import type { BrokenRecord, BrokenRule, RecordAudit } from "../database/record_audit.ts";
import type { Finding, Findings } from "./findings.ts";

const MESSAGES: Readonly<Record<BrokenRule, (record: BrokenRecord) => string>> = {
  path: ({ id, userId, path }) =>
    `Record ${id} of user ${userId}: the path ${quoted(path)} is not that of its parent and name`,
  directory: ({ userId, path }) => `The directory ${quoted(path)} of user ${userId} has content`,
  file: ({ userId, path }) => `The file ${quoted(path)} of user ${userId} has no valid MD5 or size`,
  ancestor: ({ userId, path }) =>
    `The directory ${quoted(parentOf(path))} above ${quoted(path)} of user ${userId} is missing`,
};

/**
 * Checks the database itself and what its records state (C 5.1 to C 5.3). Returns whether it is sound,
 * maybe after a repair: only then may content that seems to have no record be moved.
 */
export function checkRecords(audit: RecordAudit, findings: Findings, repair: boolean): boolean {
  try {
    // A repair of the indexes would lose them.
    const indexed = repair ? indexedPaths(audit) : new Map<number, string>();
    const damage = audit.damage();
    const sound = damage.length === 0 || (repair && rebuilt(audit));
    for (const it of damage) {
      findings.add({ kind: "database", message: `The database is damaged: ${it}` }, {
        repaired: sound,
      });
    }
    const repairs = repair && sound;
    for (const record of brokenRecords(audit, "path")) {
      const path = indexed.get(record.id);
      const repaired = repairs && path !== undefined && audit.correctPath(record, path);
      findings.add(findingOf("path", record), { repaired });
    }
    for (const rule of ["directory", "file"] as const) {
      for (const record of brokenRecords(audit, rule)) findings.add(findingOf(rule, record));
    }
    const now = Date.now();
    for (const record of brokenRecords(audit, "ancestor")) {
      const repaired = repairs && audit.addAncestors(record, now);
      findings.add(findingOf("ancestor", record), { repaired });
    }
    for (const userId of audit.miscounted()) {
      const message = `The database has a wrong count of what the tree of user ${userId} holds`;
      findings.add({ kind: "usage", message, user_id: userId }, { repaired: repairs });
    }
    if (repairs) audit.recount();
    return sound;
  } catch (error) {
    // SQLite cannot read the whole database.
    const reason = error instanceof Error ? error.message : String(error);
    findings.add({ kind: "database", message: `The database is damaged: ${reason}` });
    return false;
  }
}

/** The paths in an index of records whose path is damaged in the table. */
function indexedPaths(audit: RecordAudit): Map<number, string> {
  return audit.indexedPaths(audit.broken("path", 0));
}

/** Builds the indexes anew, and returns whether the database is sound then. Tables stay as they are. */
function rebuilt(audit: RecordAudit): boolean {
  try {
    audit.rebuildIndexes();
  } catch {
    // The damage remains, and is reported.
    return false;
  }
  return audit.damage().length === 0;
}

function* brokenRecords(audit: RecordAudit, rule: BrokenRule): Generator<BrokenRecord, void> {
  for (let after = 0;;) {
    const page = audit.broken(rule, after);
    const last = page.at(-1);
    if (last === undefined) return;
    yield* page;
    after = last.id;
  }
}

function findingOf(rule: BrokenRule, record: BrokenRecord): Finding {
  return {
    kind: rule === "ancestor" ? "ancestor" : "record",
    message: MESSAGES[rule](record),
    user_id: record.userId,
    path: record.path,
  };
}
