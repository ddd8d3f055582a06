import type { Check } from "../../contract/scanner.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type { ZipCheck } from "./checks.ts";
import type { ZipStructure } from "./directory.ts";
import type { ZipEnd } from "./end_record.ts";

const READERS_DISAGREE =
  "Readers that use another directory find different members under the same names";

/** Checks that all readers find the same directory, and that it has the declared entries. */
export function* checkZipStructure(
  structure: ZipStructure,
  maxMembers: number,
  checks: Checklist<ZipCheck>,
): Generator<Check, void, void> {
  const { ends, directories } = structure;
  const [end] = ends;
  if (!end) {
    yield* checks.emit("Archive Directory", {
      severity: "info",
      message: "The archive has no central directory; its members were found by local headers",
      ruleCode: "S902",
      incomplete: "no_central_directory",
    });
    return;
  }
  if (ends.length > 1 || directories.length > 1) {
    yield* checks.emit("Archive Directory", {
      severity: "warning",
      message: `The archive has ${ends.length} end records and ${directories.length} directories`,
      ruleCode: "S902",
      why: READERS_DISAGREE,
      details: { end_records: ends.length, directories: directories.length },
      position: end.position,
    });
  }
  yield* checkZip64(end, checks);
  yield* checkCounts(structure, maxMembers, checks);
}

function* checkZip64(end: ZipEnd, checks: Checklist<ZipCheck>): Generator<Check, void, void> {
  if (end.zip64Missing) {
    yield* checks.emit("Archive Directory", {
      severity: "warning",
      message: "The ZIP64 end record is missing from its declared position",
      ruleCode: "S902",
      incomplete: "zip64_end_record_missing",
      position: end.position,
    });
  }
  const { plain, zip64 } = end;
  if (!plain || !zip64) return;
  const entriesDiffer = plain.entries !== 0xffff && plain.entries !== zip64.entries;
  if (!entriesDiffer && plain.size === zip64.size && plain.offset === zip64.offset) return;
  yield* checks.emit("Archive Directory", {
    severity: "warning",
    message: "The end record and the ZIP64 end record describe different directories",
    ruleCode: "S902",
    why: READERS_DISAGREE,
    position: end.position,
  });
}

function* checkCounts(
  { directories, members }: ZipStructure,
  maxMembers: number,
  checks: Checklist<ZipCheck>,
): Generator<Check, void, void> {
  for (const { truncated, declaredEntries, entries, start } of directories) {
    if (truncated || members.length >= maxMembers && entries.length > maxMembers) {
      yield* checks.emit("Archive Entry Count", {
        severity: "warning",
        message: `The archive has more than ${maxMembers} entries`,
        ruleCode: "S410",
        incomplete: "too_many_entries",
        operational: true,
        details: { claimed: declaredEntries, limit: maxMembers },
        position: start,
      });
    } else if (!isSameCount(declaredEntries, entries.length)) {
      yield* checks.emit("Archive Entry Count", {
        severity: "warning",
        message: `The directory has ${entries.length} entries but declares ${declaredEntries}`,
        ruleCode: "S902",
        ...(declaredEntries > entries.length && { incomplete: "corrupt_directory" }),
        position: start,
      });
    }
  }
}

/** Compares entry counts modulo 2^16, since many writers store only the low 16 bits. */
function isSameCount(declared: number, actual: number): boolean {
  return declared % 0x10000 === actual % 0x10000;
}
