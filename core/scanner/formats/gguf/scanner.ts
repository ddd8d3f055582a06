import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import { Checklist } from "../../contract/checklist.ts";
import { GgufReader, UnreadableError } from "./gguf_reader.ts";
import { checkLayout } from "./layout.ts";
import { checkLegacy, hasBinaryHead, legacyFormat } from "./legacy.ts";
import { GgufMetadata } from "./metadata.ts";
import { GgufTensors } from "./tensors.ts";
import { tellGguf } from "./tell.ts";
import { TruncatedError } from "./gguf_cursor.ts";
import type { Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";

const HEADER = "GGUF Header";

/** Checks GGUF files, and the headers of the GGML formats before it. */
export const ggufScanner: Scanner = {
  id: "gguf",
  matches: ({ name, source }) =>
    /\.gguf$/i.test(name) ||
    (isGguf(source) || legacyFormat(source) !== undefined) && hasBinaryHead(source),
  *scan(content, context) {
    const checks = new Checklist();
    yield* emitFailuresOnThrow(() => checkFile(content, context, checks), () => checks.finish());
    yield* checks.finish();
  },
};

function isGguf(source: ByteSource): boolean {
  return decodeLatin1(source.read(0, 4)) === "GGUF";
}

function checkFile({ source }: Content, context: ScanContext, checks: Checklist): void {
  const legacy = legacyFormat(source);
  if (legacy !== undefined) {
    context.addMetadata({ format: legacy, is_model: true });
    return checkLegacy(legacy, source, checks);
  }
  checks.begin(HEADER, "The header and all that it announces can be read");
  if (!isGguf(source)) {
    return checks.add(HEADER, {
      message: "The file does not begin as GGUF does",
      severity: source.size === 0 ? "info" : "warning",
      ruleCode: "S903",
      incomplete: "not_gguf",
    });
  }
  try {
    readFile(source, context, checks);
  } catch (error) {
    failRead(error, checks);
  }
}

function readFile(source: ByteSource, context: ScanContext, checks: Checklist): void {
  const reader = new GgufReader(source);
  if (reader.version < 1 || reader.version > 3) {
    throw new UnreadableError("unknown_version", `The version ${reader.version} is unknown`);
  }
  const tensorCount = reader.count();
  const entryCount = reader.count();
  const metadata = new GgufMetadata(checks);
  const tensors = new GgufTensors(checks);
  try {
    metadata.read(reader, entryCount);
    tensors.read(reader, tensorCount);
  } finally {
    tellGguf(reader, { tensorCount, entryCount, metadata, infos: tensors.infos }, context);
  }
  checkLayout({ source, infosEnd: reader.cursor.position }, metadata, tensors, context, checks);
}

function failRead(error: unknown, checks: Checklist): void {
  if (error instanceof TruncatedError) {
    return checks.add(HEADER, {
      message: `The file ends too early: ${error.message}`,
      severity: "info",
      ruleCode: "S902",
      incomplete: "truncated",
    });
  }
  if (!(error instanceof UnreadableError)) throw error;
  checks.add(HEADER, {
    message: error.message,
    severity: "info",
    ruleCode: "S902",
    incomplete: error.reason,
    ...error.operational ? { operational: true } : {},
  });
}
