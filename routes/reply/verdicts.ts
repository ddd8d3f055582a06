import type { Found } from "../../core/tree/search.ts";
import type { Stat } from "../../core/tree/stat.ts";
import type { FileWithVerdict } from "../../core/tree/verdicts.ts";
import type { Waiver } from "../../core/verdicts.ts";
import type {
  FileVerdict,
  FoundEntry,
  StatEntry,
  VerdictEntry,
  WaiverEntry,
} from "../../schemas/verdicts.ts";
import { entryOf, isoTime, itemsJson } from "../../core/entries.ts";
import type { ItemsJson } from "../../core/ports.ts";

/** Batches of files with their verdicts as parts of a list (C 18). */
export async function* verdictLists(
  batches: AsyncIterable<readonly FileWithVerdict[]>,
): AsyncGenerator<ItemsJson> {
  for await (const batch of batches) {
    yield itemsJson(batch, (file) => JSON.stringify(verdictEntryOf(file)));
  }
}

/** A file with its verdict as callers see it (C 18). */
function verdictEntryOf({ record: { id, path, size }, ...file }: FileWithVerdict): VerdictEntry {
  return { id, path, size, ...verdictOf(file) };
}

/** A record with what is known of its content as callers see it (C 17). */
export function statOf({ record, file }: Stat): StatEntry {
  const entry = entryOf(record);
  if (file === undefined) {
    return { ...entry, md5: null, sha256: null, crc32: null, etag: null, verdict: null };
  }
  return {
    ...entry,
    md5: record.hash,
    sha256: file.verdict.sha256,
    crc32: record.crc32.toString(16).padStart(8, "0"),
    etag: `"${record.hash}"`,
    verdict: verdictOf(file),
  };
}

/** What a search has found as callers see it. */
export function foundOf({ record, file, known }: Found["items"][number]): FoundEntry {
  return {
    ...entryOf(record),
    verdict: file === undefined ? null : verdictOf(file),
    ...known !== undefined && {
      known: { facts: known.facts, kind: known.kind ?? null, worst: known.worst ?? null },
    },
  };
}

/** A waiver as callers see it (C 18). */
export function waiverOf(waiver: Waiver): WaiverEntry {
  const { id, sha256, reason, userId, createdAt, expiresAt } = waiver;
  return {
    id,
    sha256,
    reason,
    user_id: userId,
    created_at: isoTime(createdAt),
    expires_at: timeOrNull(expiresAt),
  };
}

/** A verdict as callers see it (C 18). */
export function verdictOf(
  { verdict: content, isBlocked, signature }: Omit<FileWithVerdict, "record">,
): FileVerdict {
  const { verdict, findings, problem, scannerVersion, scannedAt, waiver } = content;
  return {
    verdict,
    findings: findings.map(({ ruleCode, ...rest }) => ({ rule_code: ruleCode, ...rest })),
    problem,
    scanner_version: scannerVersion,
    scanned_at: timeOrNull(scannedAt),
    waiver: waiver === null ? null : waiverOf(waiver),
    blocked: isBlocked,
    ...signature !== undefined && { signature },
  };
}

function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds);
}
