import type { ScanLimits } from "./scanner.ts";
import { MIB } from "../../../schemas/units.ts";

/** What a file may take. A thread that scans stays below 512 MB with them. */
export const SCAN_LIMITS: ScanLimits = {
  maxDepth: 5,
  maxMembers: 10_000,
  maxMemberBytes: 64 * MIB,
  maxUnpackedBytes: 1024 * MIB,
  maxOpcodes: 1_000_000,
};

/** A file from this size on is a heavy tool run (C 15), in bytes. */
export const MIN_HEAVY_BYTES = 64 * MIB;
