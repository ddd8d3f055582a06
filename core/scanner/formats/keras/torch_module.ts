import { Buffer } from "node:buffer";
import type { NamedFinding } from "../../contract/checklist.ts";
import type { ScanContext } from "../../contract/scanner.ts";
import { memorySource } from "../../contract/source.ts";
import { KERAS_CODE } from "./checks.ts";
import type { ConfigOrigin } from "./origin.ts";
import type { ConfigObject } from "./config_values.ts";
import { isVersion, isWithin } from "./version.ts";

/**
 * Checks a TorchModuleWrapper: what it holds is a pickle in Base64, which is scanned as a member.
 * Keras 3.11.0 to 3.11.2 loads it in safe mode too (CVE-2025-49655).
 */
export function* checkTorchModule(
  { module }: ConfigObject,
  { kerasVersion }: ConfigOrigin,
  context: ScanContext,
): Generator<NamedFinding, void, void> {
  const isKnown = kerasVersion !== undefined && isVersion(kerasVersion);
  const isSafe = isKnown && !isWithin(kerasVersion, "3.11.0", "3.11.3");
  const isTooLong = typeof module === "string" && module.length > context.limits.maxMemberBytes;
  yield {
    name: KERAS_CODE,
    severity: isSafe ? "warning" : "critical",
    message: "A TorchModuleWrapper holds a pickle",
    ruleCode: "S1103",
    why: "Keras loads it with torch.load, which runs what it says (CVE-2025-49655)",
    ...(isTooLong && { incomplete: "member_size_limit", operational: true }),
  };
  if (typeof module !== "string" || isTooLong) return;
  const bytes = new Uint8Array(Buffer.from(module, "base64"));
  const allowed = context.reserveUnpacked(bytes.length);
  context.scanMember("TorchModuleWrapper", memorySource(bytes.subarray(0, allowed)));
}
