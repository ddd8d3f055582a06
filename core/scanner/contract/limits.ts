import { GIB, MIB } from "../../../schemas/units.ts";
import type { ScanLimits } from "./scanner.ts";

/** What the limits of a large file may grow to. Settings choose them. */
export interface ScanMaxima {
  /** Opcodes of one pickle. */
  readonly maxOpcodes: number;
  /** Bytes of memory that the values of a pickle take. */
  readonly maxValueBytes: number;
  /** Bytes of one member that are unpacked into memory. */
  readonly maxMemberBytes: number;
  /** Bytes that are unpacked in total. */
  readonly maxUnpackedBytes: number;
}

/** The maxima that apply unless settings choose others. */
export const SCAN_MAXIMA: ScanMaxima = {
  maxOpcodes: 50_000_000,
  maxValueBytes: 384 * MIB,
  maxMemberBytes: 256 * MIB,
  maxUnpackedBytes: 16 * GIB,
};

/**
 * Limits for a small file. With the default maxima, a scan takes up to 600 MB for the worst pickles that
 * are known, and twice the limit of a member for nested archives.
 */
export const SCAN_LIMITS: ScanLimits = {
  maxDepth: 5,
  maxMembers: 10_000,
  maxMemberBytes: 64 * MIB,
  maxUnpackedBytes: 1024 * MIB,
  maxOpcodes: 1_000_000,
  maxValueBytes: 128 * MIB,
};

/** What the limits grow by with each byte of the file. Honest data unpacks to less. */
const MEMBER_BYTES_PER_BYTE = 4;
const UNPACKED_BYTES_PER_BYTE = 16;
const VALUE_BYTES_PER_BYTE = 16;

/**
 * The limits for a file: they grow with it from {@link SCAN_LIMITS} up to the maxima, so that large files
 * are scanned whole while small ones cannot take much. An opcode takes at least one byte.
 */
export function limitsFor(fileBytes: number, maxima: ScanMaxima): ScanLimits {
  return {
    ...SCAN_LIMITS,
    maxMemberBytes: grown(
      SCAN_LIMITS.maxMemberBytes,
      fileBytes * MEMBER_BYTES_PER_BYTE,
      maxima.maxMemberBytes,
    ),
    maxUnpackedBytes: grown(
      SCAN_LIMITS.maxUnpackedBytes,
      fileBytes * UNPACKED_BYTES_PER_BYTE,
      maxima.maxUnpackedBytes,
    ),
    maxOpcodes: grown(SCAN_LIMITS.maxOpcodes, fileBytes, maxima.maxOpcodes),
    maxValueBytes: grown(
      SCAN_LIMITS.maxValueBytes,
      fileBytes * VALUE_BYTES_PER_BYTE,
      maxima.maxValueBytes,
    ),
  };
}

/** What the limits of pickles may grow to. */
export type PickleMaxima = Pick<ScanMaxima, "maxOpcodes" | "maxValueBytes">;

/** The limits of a file for a member of it, which may be much larger. */
export function memberLimits(
  limits: ScanLimits,
  memberBytes: number,
  maxima: PickleMaxima,
): ScanLimits {
  return {
    ...limits,
    maxOpcodes: Math.max(limits.maxOpcodes, Math.min(memberBytes, maxima.maxOpcodes)),
    maxValueBytes: Math.max(
      limits.maxValueBytes,
      Math.min(memberBytes * VALUE_BYTES_PER_BYTE, maxima.maxValueBytes),
    ),
  };
}

function grown(least: number, wanted: number, most: number): number {
  return Math.min(most, Math.max(least, wanted));
}

/** The settings that raise limits, for the details of checks that a limit stopped. */
export const LIMIT_SETTINGS = {
  maxOpcodes: "STRONGROOM_SCAN_MAX_OPCODES",
  maxValueBytes: "STRONGROOM_SCAN_MAX_VALUES_MB",
  maxMemberBytes: "STRONGROOM_SCAN_MAX_MEMBER_MB",
  maxUnpackedBytes: "STRONGROOM_SCAN_MAX_UNPACKED_MB",
} as const;

/** The size from which scanning a file counts as a heavy tool run (C 15). */
export const MIN_HEAVY_BYTES = 64 * MIB;
