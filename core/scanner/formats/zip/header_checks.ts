import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { Check } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { equalBytes } from "../../readers/bytes/bytes.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type { ZipMember } from "./directory.ts";
import { decodedName, type ZipHeader } from "./headers.ts";
import type { ZipCheck } from "./inspection.ts";

const HAS_DESCRIPTOR = 0x8;
const DECEPTIVE_FLAGS: readonly (readonly [number, string])[] = [
  [0x1, "encrypted"],
  [0x20, "patched data"],
  [0x40, "strongly encrypted"],
];

/** Checks that the headers of a member agree, and say nothing that turns away one reader only. */
export function* checkZipHeaders(
  member: ZipMember,
  checks: Checklist<ZipCheck>,
): Generator<Check, void, void> {
  const { name, entry, local, start } = member;
  if (!local) {
    yield* checks.emit("Archive Entry Header", {
      severity: "warning",
      message: `Entry ${quotedExcerpt(name)} has no local header where its entry says`,
      ruleCode: "S902",
      incomplete: "local_header_missing",
      position: start,
    });
    return;
  }
  const faults = [...flagFaults(member), ...(entry ? disagreements(entry, local) : [])];
  if (faults.length === 0) return;
  yield* checks.emit("Archive Entry Header", {
    severity: "warning",
    message: `The headers of entry ${quotedExcerpt(name)} are not sound: ${faults.join(", ")}`,
    ruleCode: "S902",
    why: "Some readers refuse such a member, and with it its scan, where a loader reads it",
    position: start,
  });
}

/**
 * A member read by its local header, which readers of streams go by; undefined where that is the same.
 */
export function asLocalHeaderHas(
  member: ZipMember,
  archive: ByteSource,
): ZipMember | undefined {
  const { entry, local } = member;
  if (!entry || !local || sizesDeferred(local)) return undefined;
  if (local.method === entry.method && local.compressedSize === entry.compressedSize) {
    return undefined;
  }
  const left = Math.max(0, archive.size - member.dataStart);
  const dataSize = local.compressedSize < left ? local.compressedSize : left;
  return { ...member, header: local, dataSize };
}

function flagFaults({ header, local }: ZipMember): string[] {
  const flags = header.flags | (local?.flags ?? 0);
  return DECEPTIVE_FLAGS
    .filter(([bit]) => flags & bit)
    .map(([bit, word]) => `flag 0x${bit.toString(16)} (${word}) is set`);
}

function disagreements(entry: ZipHeader, local: ZipHeader): string[] {
  const faults: string[] = [];
  if (!equalBytes(entry.rawName, local.rawName)) {
    faults.push(`the local name is ${quotedExcerpt(decodedName(local))}`);
  }
  if (entry.method !== local.method) faults.push("the methods of compression differ");
  if (sizesDeferred(local)) return faults;
  if (entry.size !== local.size || entry.compressedSize !== local.compressedSize) {
    faults.push("the sizes differ");
  }
  if (entry.crc32 !== local.crc32) faults.push("the checksums differ");
  return faults;
}

/** Whether sizes and checksum follow the data, so that the header itself has none. */
function sizesDeferred(local: ZipHeader): boolean {
  return (local.flags & HAS_DESCRIPTOR) !== 0;
}
