import { MIB } from "../../../schemas/units.ts";
import type { ScanLimits } from "./scanner.ts";

/** Limits for one file. They keep a scanning thread below 512 MB of memory. */
export const SCAN_LIMITS: ScanLimits = {
  maxDepth: 5,
  maxMembers: 10_000,
  maxMemberBytes: 64 * MIB,
  maxUnpackedBytes: 1024 * MIB,
  maxOpcodes: 1_000_000,
};

/** The size from which scanning a file counts as a heavy tool run (C 15). */
export const MIN_HEAVY_BYTES = 64 * MIB;
