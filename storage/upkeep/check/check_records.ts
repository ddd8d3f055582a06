import { quoted } from "../../../core/errors.ts";
import { nameOf, parentOf } from "../../../core/paths.ts";
import type { BrokenRecord, BrokenRule, RecordAudit } from "../../tables/record_audit.ts";
import type { Finding, Findings } from "./findings.ts";

const MESSAGES: Readonly<Record<BrokenRule, (record: BrokenRecord) => string>> = {
  path: ({ id, userId, path }) =>
    `Record ${id} of user ${userId}: the path ${quoted(path)} is not that of its parent and name`,
  name: ({ userId, path }) =>
    `No request can name ${quoted(path)} of user ${userId}: white space is at an end of it`,
  directory: ({ userId, path }) => `The directory ${quoted(path)} of user ${userId} has content`,
  file: ({ userId, path }) => `The file ${quoted(path)} of user ${userId} has no valid MD5 or size`,
  ancestor: ({ userId, path }) =>
    `The directory ${quoted(parentOf(path))} above ${quoted(path)} of user ${userId} is missing`,
};

/** How many names are tried for a record that gets another one. */
const MAX_NAMES = 100;

/**
 * Checks the database itself and what its records state (C 5.1 to C 5.3). Returns whether it is sound,
 * maybe after a repair: only then may content that seems to have no record be moved.
 */
export async function checkRecords(
  audit: RecordAudit,
  findings: Findings,
  repair: boolean,
): Promise<boolean> {
  try {
    // A repair of the indexes would lose them.
    const indexed = repair ? await indexedPaths(audit) : new Map<number, string>();
    const damage = await audit.damage();
    const sound = damage.length === 0 || (repair && await rebuilt(audit));
    for (const it of damage) {
      findings.add({ kind: "database", message: `The database is damaged: ${it}` }, {
        repaired: sound,
      });
    }
    const repairs = repair && sound;
    for await (const record of brokenRecords(audit, "path")) {
      const path = indexed.get(record.id);
      const repaired = repairs && path !== undefined && await audit.correctPath(record, path);
      findings.add(findingOf("path", record), { repaired });
    }
    for await (const record of brokenRecords(audit, "name")) {
      const repaired = repairs && await renamed(audit, record);
      findings.add(findingOf("name", record), { repaired });
    }
    for (const rule of ["directory", "file"] as const) {
      for await (const record of brokenRecords(audit, rule)) findings.add(findingOf(rule, record));
    }
    const now = Date.now();
    for await (const record of brokenRecords(audit, "ancestor")) {
      const repaired = repairs && await audit.addAncestors(record, now);
      findings.add(findingOf("ancestor", record), { repaired });
    }
    for (const userId of await audit.miscounted()) {
      const message = `The database has a wrong count of what the tree of user ${userId} holds`;
      findings.add({ kind: "usage", message, user_id: userId }, { repaired: repairs });
    }
    if (repairs) await audit.recount();
    return sound;
  } catch (error) {
    if (!audit.isDamage(error)) throw error;
    // The engine cannot read the whole database.
    const reason = error instanceof Error ? error.message : String(error);
    findings.add({ kind: "database", message: `The database is damaged: ${reason}` });
    return false;
  }
}

/** The paths in an index of records whose path is damaged in the table. */
async function indexedPaths(audit: RecordAudit): Promise<Map<number, string>> {
  return await audit.indexedPaths(await audit.broken("path", 0));
}

/** Builds the indexes anew, and returns whether the database is sound then. Tables stay as they are. */
async function rebuilt(audit: RecordAudit): Promise<boolean> {
  try {
    await audit.rebuildIndexes();
  } catch {
    // The damage remains, and is reported.
    return false;
  }
  return (await audit.damage()).length === 0;
}

/** Gives a record that no request can name its name without outer white space, or a free one like that. */
async function renamed(audit: RecordAudit, record: BrokenRecord): Promise<boolean> {
  const name = nameOf(record.path).trim();
  const dot = name.lastIndexOf(".");
  const end = dot > 0 ? dot : name.length;
  let free = name;
  for (let number = 2; !await audit.rename(record, free); number++) {
    if (number > MAX_NAMES) return false;
    free = `${name.slice(0, end)} (${number})${name.slice(end)}`;
  }
  return true;
}

async function* brokenRecords(
  audit: RecordAudit,
  rule: BrokenRule,
): AsyncGenerator<BrokenRecord, void> {
  for (let after = 0;;) {
    const page = await audit.broken(rule, after);
    const last = page.at(-1);
    if (last === undefined) return;
    yield* page;
    after = last.id;
  }
}

function findingOf(rule: BrokenRule, record: BrokenRecord): Finding {
  return {
    kind: rule === "ancestor" || rule === "name" ? rule : "record",
    message: MESSAGES[rule](record),
    user_id: record.userId,
    path: record.path,
  };
}
