import type { ScanMaxima } from "../scanner/mod.ts";
import type { Settings } from "../../schemas/settings.ts";
import { MIB } from "../../schemas/units.ts";

/** How long a scan may take, and what it may read, as the settings choose. */
export function scanBounds(
  { scanFileTimeoutS, scanMaxOpcodes, scanMaxMemberMb, scanMaxUnpackedMb }: Settings,
): { readonly timeoutMs: number; readonly maxima: ScanMaxima } {
  return {
    timeoutMs: scanFileTimeoutS * 1000,
    maxima: {
      maxOpcodes: scanMaxOpcodes,
      maxMemberBytes: scanMaxMemberMb * MIB,
      maxUnpackedBytes: scanMaxUnpackedMb * MIB,
    },
  };
}
