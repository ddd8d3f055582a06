import { Checklist } from "../../contract/checklist.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { MIB } from "../../../../schemas/units.ts";
import { scriptDangers } from "../../knowledge/script_dangers.ts";
import { detectScript, type Script } from "../text/script.ts";

const CHECKS = {
  "Self-Extracting Archive": "The script has no data after it",
  "Script Content":
    "The script starts no program, and runs nothing that it downloads, decodes or makes",
} as const;

/** How much is searched for the end of the script. Those of makeself have some 20 KB. */
const MAX_SCRIPT_BYTES = 4 * MIB;

const HEAD_BYTES = 4096;
const LINE_FEED = 0x0a;

/** Scans scripts with data after their text: archives that unpack themselves, and run what is in them. */
export const selfExtractingScanner: Scanner = {
  id: "self_extracting",
  matches: (content) => partsOf(content) !== undefined,
  *scan(content: Content, context: ScanContext): Generator<Check, void, void> {
    const checks = new Checklist(CHECKS);
    const parts = partsOf(content);
    if (parts !== undefined) yield* inspect(content.source, parts, checks, context);
    yield* checks.finish();
  },
};

function* inspect(
  source: ByteSource,
  { script, dataAt }: Parts,
  checks: Checklist<keyof typeof CHECKS>,
  context: ScanContext,
): Generator<Check, void, void> {
  yield* checks.emit("Self-Extracting Archive", {
    severity: "warning",
    ruleCode: script.ruleCode,
    message: `Script for ${script.language} with ${source.size - dataAt} bytes of data after it`,
    position: dataAt,
    why: "Whoever starts it runs the script, which can unpack and run what is in the data",
  });
  for (const danger of scriptDangers(decodeLatin1(source.read(0, dataAt)))) {
    yield* checks.emit("Script Content", { severity: "warning", ...danger });
  }
  context.scanMember(`(bytes from ${dataAt})`, sourceSlice(source, dataAt, source.size - dataAt));
}

interface Parts {
  readonly script: Script;
  /** Where its data begins: at a line. */
  readonly dataAt: number;
}

/** Returns the script that content begins with and where its data starts, or undefined without data. */
function partsOf({ source, name }: Content): Parts | undefined {
  const head = decodeLatin1(source.read(0, HEAD_BYTES));
  if (!head.startsWith("#!")) return undefined;
  const script = detectScript(name, head);
  if (script === undefined) return undefined;
  const dataAt = dataStart(source);
  return dataAt === undefined ? undefined : { script, dataAt };
}

function dataStart(source: ByteSource): number | undefined {
  const text = source.read(0, MAX_SCRIPT_BYTES);
  const control = text.findIndex(isControl);
  if (control < 0) return undefined;
  // Bytes that UTF-8 lacks are in texts of other encodings, too, but here they are of the data.
  const binary = text.subarray(0, control).findIndex((byte) => byte >= 0xf8);
  const before = text.lastIndexOf(LINE_FEED, binary < 0 ? control : binary);
  return before < 0 ? undefined : before + 1;
}

/** Whether a byte is a control character that texts do not have. */
function isControl(byte: number): boolean {
  return byte < 0x08 || byte > 0x0d && byte < 0x20 && byte !== 0x1b || byte === 0x7f;
}
