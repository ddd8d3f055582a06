import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import { quotedExcerpt } from "../../contract/excerpt.ts";
import { Checklist } from "../../contract/checklist.ts";
import { isObject } from "../../../../schemas/json.ts";
import type { ScanContext, Scanner } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import type { ParsedJson } from "../../readers/json/parse_strict_json.ts";
import { checkTrailingData } from "../tensors/layout.ts";
import { type Unreadable, unreadableFinding } from "../tensors/unreadable.ts";
import { looksLikeSafetensors, readHeader, readHeaderBounds } from "./header.ts";
import { checkMetadata } from "./metadata.ts";
import { TensorTable } from "./tensors.ts";

const HEADER = "Safetensors Header";
const KEYS = "Safetensors Duplicate Keys";
const TRAILING = "Safetensors Trailing Data";

/** Checks safetensors files: the header, and that the tensors it lists make up the rest. */
export const safetensorsScanner: Scanner = {
  id: "safetensors",
  matches: ({ name, source }) => /\.safetensors$/i.test(name) || looksLikeSafetensors(source),
  *scan({ source }, context) {
    const checks = new Checklist();
    checks.begin(HEADER, "The header is a JSON object within the file");
    yield* emitFailuresOnThrow(() => checkFile(source, context, checks), () => checks.finish());
    yield* checks.finish();
  },
};

function checkFile(source: ByteSource, context: ScanContext, checks: Checklist): void {
  const bounds = readHeaderBounds(source);
  if ("reason" in bounds) return failHeader(bounds, checks);
  const header = readHeader(source, bounds);
  if ("reason" in header) return failHeader(header, checks);
  checkKeys(header, checks);
  if (!isObject(header.value)) return;
  const { __metadata__: metadata, ...entries } = header.value;
  checkMetadata(metadata, checks);
  const tensors = new TensorTable(entries, bounds.dataSize, checks);
  const dataEnd = bounds.dataStart + tensors.check();
  context.addAssetParts(tensors.assetParts);
  context.addMetadata(tensors.facts);
  context.addFacts(tensors.tensorFacts);
  const trailing = checkTrailingData(TRAILING, source, dataEnd, checks);
  if (trailing !== undefined) context.scanMember("trailing data", trailing);
}

function failHeader(failure: Unreadable, checks: Checklist): void {
  const isOtherFormat = failure.reason === "header_not_json";
  checks.add(HEADER, {
    ...unreadableFinding(failure),
    ...isOtherFormat ? { severity: "warning", ruleCode: "S901" } : {},
  });
}

function checkKeys(header: ParsedJson, checks: Checklist): void {
  checks.begin(KEYS, "Header keys are unique");
  for (const path of header.duplicateKeys) {
    checks.add(KEYS, {
      message: `Duplicate header key ${quotedExcerpt(path)}`,
      severity: "warning",
      ruleCode: "S902",
      why: "Readers disagree on which duplicate counts, so they load different tensors.",
    });
  }
}
