import { viewOf } from "../../readers/bytes/bytes.ts";
import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import { Checklist } from "../../contract/checklist.ts";
import type { ScanContext, Scanner } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { ElementCounts } from "../tensors/element_counts.ts";
import { listedNames } from "../tensors/names.ts";
import { TensorNames } from "../tensors/tensor_names.ts";
import { unreadableFinding } from "../tensors/unreadable.ts";
import { hasGgufMagic, isGguf, legacyFormat } from "./detect.ts";
import { GgufLayout } from "./layout.ts";
import { GgufMetadata } from "./metadata.ts";
import { GgufReader, UnreadableError } from "./reader.ts";
import { GgufTensors } from "./tensors.ts";

const HEADER = "GGUF Header";
const LEGACY_HEADER = "GGML Header";

const MIN_LEGACY_BYTES = 32;
/** Real versions are at most 3. */
const MAX_LEGACY_VERSION = 10_000;

/** Checks GGUF files, and the headers of the GGML formats that preceded them. */
export const ggufScanner: Scanner = {
  id: "gguf",
  matches: isGguf,
  *scan({ source }, context) {
    const checks = new Checklist();
    const scan = new GgufScan(source, context, checks);
    yield* emitFailuresOnThrow(() => scan.run(), () => checks.finish());
    yield* checks.finish();
  },
};

class GgufScan {
  readonly #source: ByteSource;
  readonly #context: ScanContext;
  readonly #checks: Checklist;

  constructor(source: ByteSource, context: ScanContext, checks: Checklist) {
    this.#source = source;
    this.#context = context;
    this.#checks = checks;
  }

  run(): void {
    const legacy = legacyFormat(this.#source);
    if (legacy !== undefined) return this.#checkLegacy(legacy);
    this.#checks.begin(HEADER, "The header, metadata and tensor infos are readable");
    if (!hasGgufMagic(this.#source)) {
      return this.#checks.add(HEADER, {
        message: "The file does not start with the GGUF magic",
        severity: this.#source.size === 0 ? "info" : "warning",
        ruleCode: "S903",
        incomplete: "not_gguf",
      });
    }
    try {
      this.#checkGguf();
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      this.#checks.add(HEADER, unreadableFinding(error));
    }
  }

  /** @throws {UnreadableError} when the file cannot be read through to the tensor data. */
  #checkGguf(): void {
    const reader = new GgufReader(this.#source);
    if (reader.version < 1 || reader.version > 3) {
      throw new UnreadableError("unknown_version", `Unknown GGUF version ${reader.version}`);
    }
    const tensorCount = reader.count();
    const entryCount = reader.count();
    const metadata = new GgufMetadata(reader, this.#checks);
    const tensors = new GgufTensors(reader, this.#checks);
    try {
      metadata.read(entryCount);
      tensors.read(tensorCount);
    } finally {
      const counts = countsOf(tensors);
      // What was read is reported even if the rest is unreadable.
      this.#context.addAssetParts({
        tensors: listedNames(tensors.infos.map(({ name }) => name)),
      });
      this.#context.addMetadata({
        format: "gguf",
        version: reader.version,
        byte_order: reader.cursor.littleEndian ? "little" : "big",
        n_tensors: Number(tensorCount),
        n_kv: Number(entryCount),
        metadata: metadata.summary(),
        is_model: true,
        ml_context: mlContext(metadata, tensors, counts),
      });
      this.#context.addFacts({
        format: "gguf",
        format_version: String(reader.version),
        ...metadata.facts,
        ...counts.tensorFacts,
      });
    }
    const layout = new GgufLayout(this.#source, this.#checks);
    const trailing = layout.check(tensors.infos, reader.cursor.position, metadata.alignment);
    if (trailing !== undefined) this.#context.scanMember("trailing data", trailing);
  }

  /** Checks the header of a legacy file. Its tensors are not read. */
  #checkLegacy(format: string): void {
    this.#context.addMetadata({ format, is_model: true });
    this.#checks.begin(LEGACY_HEADER, "The header has a known format and version");
    const { size } = this.#source;
    const head = this.#source.read(0, 8);
    if (size < MIN_LEGACY_BYTES || head.length < 8) {
      const message = `The file is too short for GGML: ${size} bytes`;
      return this.#checks.add(LEGACY_HEADER, {
        message,
        severity: "info",
        incomplete: "truncated",
      });
    }
    const version = viewOf(head).getUint32(4, true);
    // The oldest format has no version.
    if (format !== "ggml" && version > MAX_LEGACY_VERSION) {
      const message = `Unknown GGML version ${version}`;
      this.#checks.add(LEGACY_HEADER, { message, severity: "warning", ruleCode: "S902" });
    }
    this.#checks.add("GGML Tensors", {
      message: `Tensors of the legacy format ${format} are not checked`,
      severity: "info",
      incomplete: "legacy_ggml",
    });
  }
}

function countsOf({ infos }: GgufTensors): ElementCounts {
  const counts = new ElementCounts();
  for (const { type, elements, byteSize } of infos) counts.add(type, elements, byteSize);
  return counts;
}

function mlContext(
  { architecture, blockCount }: GgufMetadata,
  { infos }: GgufTensors,
  counts: ElementCounts,
): unknown {
  const names = new TensorNames();
  for (const { name } of infos) names.add(name);
  return {
    frameworks: { ggml: { name: "ggml", confidence: 1, indicators: ["GGUF magic"] } },
    overall_confidence: 1,
    is_ml_content: true,
    ...names.facts(counts.types),
    ...architecture === undefined ? {} : { model_type: architecture },
    ...blockCount === undefined ? {} : { layer_count_estimate: blockCount },
    ...counts.facts,
  };
}
