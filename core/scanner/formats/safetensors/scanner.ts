import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import { quotedExcerpt } from "../../contract/excerpt.ts";
import { Checklist } from "../../contract/checklist.ts";
import type { ParsedJson } from "../../readers/json/parse_strict_json.ts";
import { type HeaderBounds, headerBounds, looksLikeSafetensors, readHeader } from "./header.ts";
import { isObject } from "../../../../schemas/json.ts";
import { checkMetadata } from "./metadata.ts";
import { checkTensors } from "./tensors.ts";
import type { Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { sourceSlice } from "../../contract/source.ts";
import type { Unreadable } from "../tensors/unread.ts";

const HEADER = "Safetensors Header";
const KEYS = "Safetensors Duplicate Keys";
const TRAILING = "Safetensors Trailing Data";

/** Checks safetensors files: the header, and that the tensors it lists make up the rest. */
export const safetensorsScanner: Scanner = {
  id: "safetensors",
  matches: ({ name, source }) => /\.safetensors$/i.test(name) || looksLikeSafetensors(source),
  *scan(content, context) {
    const checks = new Checklist();
    checks.begin(HEADER, "The header is a JSON object within the file");
    yield* emitFailuresOnThrow(() => checkFile(content, context, checks), () => checks.finish());
    yield* checks.finish();
  },
};

function checkFile(content: Content, context: ScanContext, checks: Checklist): void {
  const bounds = headerBounds(content.source);
  if ("reason" in bounds) return failHeader(bounds, checks);
  const header = readHeader(content.source, bounds);
  if ("reason" in header) return failHeader(header, checks);
  checkKeys(header, checks);
  if (!isObject(header.value)) return;
  const { __metadata__: metadata, ...tensors } = header.value;
  checkMetadata(metadata, checks);
  const end = checkTensors(tensors, bounds.dataSize, context, checks);
  checkTrailing(content, bounds, end, context, checks);
}

function failHeader(failure: Unreadable, checks: Checklist): void {
  const { reason, message, operational } = failure;
  const wrongFormat = reason === "header_not_json";
  checks.add(HEADER, {
    message,
    severity: wrongFormat ? "warning" : "info",
    ruleCode: wrongFormat ? "S901" : "S902",
    incomplete: reason,
    ...operational ? { operational } : {},
  });
}

function checkKeys(header: ParsedJson, checks: Checklist): void {
  checks.begin(KEYS, "No key of the header occurs twice");
  for (const path of header.duplicateKeys) {
    checks.add(KEYS, {
      message: `The header has the key ${quotedExcerpt(path)} twice`,
      severity: "warning",
      ruleCode: "S902",
      why: "Readers differ in which of the two they take, so that they see different tensors.",
    });
  }
}

function checkTrailing(
  { source }: Content,
  { dataStart, dataSize }: HeaderBounds,
  end: number,
  context: ScanContext,
  checks: Checklist,
): void {
  checks.begin(TRAILING, "The file ends with the last tensor");
  if (end === dataSize) return;
  const bytes = dataSize - end;
  checks.add(TRAILING, {
    message: `${bytes} bytes follow the last tensor`,
    severity: "warning",
    position: dataStart + end,
    ruleCode: "S908",
    details: { bytes },
  });
  context.scanMember("trailing data", sourceSlice(source, dataStart + end, bytes));
}
