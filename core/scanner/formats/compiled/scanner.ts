import type { Checklist } from "../../contract/checklist.ts";
import type { ScanContext } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";
import { decodeLatin1, readSafeUint64, viewOf } from "../../readers/bytes/bytes.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";

const FORMAT = "Compiled Model Format";
const ENCRYPTION = "Compiled Model Encryption";

/** A format of compiled models without a published structure. */
interface CompiledFormat {
  readonly framework: string;
  readonly name: string;
  readonly magic: string;
  readonly encrypted?: boolean;
}

const FORMATS: readonly CompiledFormat[] = [
  { framework: "tensorrt", name: "TensorRT engine", magic: "ftrt" },
  { framework: "rknn", name: "RKNN model", magic: "RKNN\0\0\0\0" },
  { framework: "rknn", name: "RKNN model", magic: "CYPTRKNN", encrypted: true },
];
const MAGIC_BYTES = 8;

/**
 * Recognizes models that are compiled for an accelerator, in formats that are not published. They are
 * inconclusive: they hold machine code, which nothing here can judge.
 */
export const compiledScanner = modelScanner({
  id: "compiled",
  structure: FORMAT,
  passed: { [ENCRYPTION]: "The model is not encrypted" },
  matches: ({ source }) => formatOf(source) !== undefined,
  inspect({ source }, context, checks) {
    const format = formatOf(source);
    if (format === undefined) return;
    checks.add(FORMAT, {
      severity: "info",
      message: `The file is a ${format.name}: compiled code, which cannot be read`,
      position: 0,
      incomplete: "compiled_model",
      why: "The program that loads it runs the code on the accelerator or the host",
    });
    if (format.encrypted === true) {
      checks.add(ENCRYPTION, {
        severity: "info",
        message: `The ${format.name} is encrypted`,
        position: 0,
        ruleCode: "S604",
      });
    } else if (format.framework === "rknn") scanSettings(source, context, checks);
    context.addMetadata(modelMetadata({
      framework: format.framework,
      indicator: `${format.name} magic`,
    }));
  },
});

function formatOf(source: ByteSource): CompiledFormat | undefined {
  const head = decodeLatin1(source.read(0, MAGIC_BYTES));
  return FORMATS.find(({ magic }) => head.startsWith(magic));
}

/** Bytes between the header of an RKNN model and its data, in the known versions. */
const GAPS = [0, 40, 48];
const HEADER_BYTES = 24;

/** The settings of an RKNN model are JSON after its data, preceded by their length. */
function scanSettings(source: ByteSource, context: ScanContext, checks: Checklist): void {
  checks.begin("RKNN Settings", "The settings were scanned");
  const dataBytes = numberAt(source, 16);
  if (dataBytes === undefined) return;
  for (const gap of GAPS) {
    const at = HEADER_BYTES + gap + dataBytes;
    const length = numberAt(source, at);
    const start = at + 8;
    if (length === undefined || length < 2 || length > source.size - start) continue;
    if (source.read(start, 1)[0] !== 0x7b) continue;
    return context.scanMember("settings.json", sourceSlice(source, start, length));
  }
}

function numberAt(source: ByteSource, offset: number): number | undefined {
  const bytes = source.read(offset, 8);
  return bytes.length < 8 ? undefined : readSafeUint64(viewOf(bytes), 0);
}
