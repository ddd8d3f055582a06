import {
  check,
  type CheckOptions,
  type CheckResult,
} from "../../../../storage/upkeep/check/check.ts";

/** The file of content in a data directory. */
export function blobOf(dataDir: string, hash: string): string {
  return `${dataDir}/blobs/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`;
}

/** Checks a data directory in silence. */
export function checked(
  dataDir: string,
  options: Partial<CheckOptions> = {},
): Promise<CheckResult> {
  return check(dataDir, { readData: false, repair: false, onProgress: () => {}, ...options });
}

/** The kinds of findings, each with a mark if it was repaired. */
export function kindsOf({ findings }: CheckResult): string[] {
  return findings.listed.map(({ kind, repaired }) => repaired ? `${kind} repaired` : kind);
}
