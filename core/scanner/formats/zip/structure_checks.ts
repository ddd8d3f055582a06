import type { Check } from "../../contract/scanner.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type { ZipStructure } from "./directory.ts";
import type { ZipEnd } from "./end_record.ts";
import type { ZipCheck } from "./inspection.ts";

/** Checks that an archive has one directory, that all readers find, and that holds what it says. */
export function* checkZipStructure(
  { ends, directories, members }: ZipStructure,
  most: number,
  checks: Checklist<ZipCheck>,
): Generator<Check, void, void> {
  const [end] = ends;
  if (!end) {
    yield* checks.emit("Archive Directory", {
      severity: "info",
      message: "The archive has no directory: its members are found by their local headers",
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
      why: "Readers that take another directory find other members under the same names",
      details: { end_records: ends.length, directories: directories.length },
      position: end.position,
    });
  }
  yield* checkZip64(end, checks);
  yield* checkCounts(directories, members.length, most, checks);
}

function* checkZip64(end: ZipEnd, checks: Checklist<ZipCheck>): Generator<Check, void, void> {
  if (end.zip64Missing) {
    yield* checks.emit("Archive Directory", {
      severity: "warning",
      message: "The ZIP64 end record is not where it is said to be",
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
    message: "The end record and its ZIP64 record tell of different directories",
    ruleCode: "S902",
    why: "Readers that take another directory find other members under the same names",
    position: end.position,
  });
}

function* checkCounts(
  directories: ZipStructure["directories"],
  members: number,
  most: number,
  checks: Checklist<ZipCheck>,
): Generator<Check, void, void> {
  for (const { truncated: cut, declaredEntries: claimed, entries, start } of directories) {
    if (cut || members >= most && entries.length > most) {
      yield* checks.emit("Archive Entry Count", {
        severity: "warning",
        message: `The archive has more than ${most} entries`,
        ruleCode: "S410",
        incomplete: "too_many_entries",
        details: { claimed, limit: most },
        position: start,
      });
    } else if (claimed !== entries.length && claimed % 0x10000 !== entries.length % 0x10000) {
      yield* checks.emit("Archive Entry Count", {
        severity: "warning",
        message: `The directory holds ${entries.length} entries, and is said to hold ${claimed}`,
        ruleCode: "S902",
        ...(claimed > entries.length && { incomplete: "corrupt_directory" }),
        position: start,
      });
    } else continue;
  }
}
