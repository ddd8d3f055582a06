import { type ScanMaxima, SCANNERS_VERSION } from "../scanner/mod.ts";
import type { Settings } from "../../schemas/settings.ts";
import { MIB } from "../../schemas/units.ts";

/** How long a scan may take, and what it may read, as the settings choose. */
export function scanBounds(
  { scanFileTimeoutS, scanMaxOpcodes, scanMaxValuesMb, scanMaxMemberMb, scanMaxUnpackedMb }:
    Settings,
): { readonly timeoutMs: number; readonly maxima: ScanMaxima } {
  return {
    timeoutMs: scanFileTimeoutS * 1000,
    maxima: {
      maxOpcodes: scanMaxOpcodes,
      maxValueBytes: scanMaxValuesMb * MIB,
      maxMemberBytes: scanMaxMemberMb * MIB,
      maxUnpackedBytes: scanMaxUnpackedMb * MIB,
    },
  };
}

/**
 * The version of scan results: that of the scanners, and the settings that results depend on. Results
 * of another version do not count (C 15, C 18).
 */
export function resultsVersion(settings: Settings): string {
  const { maxOpcodes, maxValueBytes, maxMemberBytes, maxUnpackedBytes } =
    scanBounds(settings).maxima;
  return [SCANNERS_VERSION, maxOpcodes, maxValueBytes, maxMemberBytes, maxUnpackedBytes].join(" ");
}
