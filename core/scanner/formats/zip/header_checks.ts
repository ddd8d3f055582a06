import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { Check } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { equalBytes } from "../../readers/bytes/bytes.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type { ZipCheck } from "./checks.ts";
import type { ZipMember } from "./directory.ts";
import { DATA_DESCRIPTOR_FLAG, decodedName, type ZipHeader } from "./headers.ts";

/** Flags that make some readers refuse a member that others read. */
const DECEPTIVE_FLAGS: readonly (readonly [number, string])[] = [
  [0x1, "encrypted"],
  [0x20, "patched data"],
  [0x40, "strongly encrypted"],
];

/** Why an inconsistent header is a danger; also used for a wrong checksum. */
export const SOME_READERS_REFUSE =
  "Scanners that refuse such a member do not scan it, while a loader may still read it";

/** Checks that the headers of a member agree and set no flags that only some readers refuse. */
export function* checkZipHeaders(
  member: ZipMember,
  checks: Checklist<ZipCheck>,
): Generator<Check, void, void> {
  const { name, entry, local, start } = member;
  if (!local) {
    yield* checks.emit("Archive Entry Header", {
      severity: "warning",
      message: `Entry ${quotedExcerpt(name)} has no local header at its declared offset`,
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
    message: `Entry ${quotedExcerpt(name)} has inconsistent headers: ${faults.join(", ")}`,
    ruleCode: "S902",
    why: SOME_READERS_REFUSE,
    position: start,
  });
}

/**
 * The member as streaming readers see it, which trust the local header. Returns undefined if the
 * headers agree on method and compressed size.
 */
export function memberByLocalHeader(
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
    .map(([bit, meaning]) => `flag 0x${bit.toString(16)} (${meaning}) is set`);
}

function disagreements(entry: ZipHeader, local: ZipHeader): string[] {
  const faults: string[] = [];
  if (!equalBytes(entry.rawName, local.rawName)) {
    faults.push(`the local name is ${quotedExcerpt(decodedName(local))}`);
  }
  if (entry.method !== local.method) faults.push("the compression methods differ");
  if (sizesDeferred(local)) return faults;
  if (entry.size !== local.size || entry.compressedSize !== local.compressedSize) {
    faults.push("the sizes differ");
  }
  if (entry.crc32 !== local.crc32) faults.push("the checksums differ");
  return faults;
}

/** Whether sizes and checksum follow the data, so that the local header has neither. */
function sizesDeferred(local: ZipHeader): boolean {
  return (local.flags & DATA_DESCRIPTOR_FLAG) !== 0;
}
