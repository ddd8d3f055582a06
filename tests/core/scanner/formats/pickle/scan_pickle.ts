import type { Check, ScanLimits, Scanner } from "../../../../../core/scanner/contract/scanner.ts";
import { type ByteSource, memorySource } from "../../../../../core/scanner/contract/source.ts";
import { pickleScanner } from "../../../../../core/scanner/formats/pickle/scanner.ts";
import { LIMITS, RecordingContext } from "../../recording_context.ts";
import { verdict } from "../../verdict.ts";

export interface PickleScan {
  readonly checks: readonly Check[];
  readonly failed: readonly Check[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly members: RecordingContext["members"];
  /** C critical, W warning, I incomplete without either, OK clean. */
  readonly verdict: ReturnType<typeof verdict>;
}

export interface PickleScanOptions {
  readonly limits?: Partial<ScanLimits>;
  /** @default pickleScanner */
  readonly scanner?: Scanner;
  /** @default "model.pkl" */
  readonly name?: string;
}

/** Scans content with one scanner and records its checks, metadata and members. */
export function scan(
  content: Uint8Array | ByteSource,
  options: PickleScanOptions = {},
): PickleScan {
  const { scanner = pickleScanner, name = "model.pkl" } = options;
  const context = new RecordingContext({ ...LIMITS, ...options.limits });
  const source = content instanceof Uint8Array ? memorySource(content) : content;
  const checks = [...scanner.scan({ source, name, depth: 0 }, context)];
  const failed = checks.filter(({ status }) => status === "failed");
  return {
    checks,
    failed,
    metadata: context.facts,
    members: context.members,
    verdict: verdict(checks),
  };
}
