import type { ScanContext } from "../../contract/scanner.ts";
import type { GgufReader } from "./gguf_reader.ts";
import type { GgufMetadata } from "./metadata.ts";
import type { TensorInfo } from "./tensors.ts";

/** Tensor names that an asset lists. */
const NAMES_LISTED = 10_000;

/** What was read of a GGUF file. */
interface GgufContents {
  readonly tensorCount: bigint;
  readonly entryCount: bigint;
  readonly metadata: GgufMetadata;
  readonly infos: readonly TensorInfo[];
}

/** Tells the context what a GGUF file holds. */
export function tellGguf(reader: GgufReader, contents: GgufContents, context: ScanContext): void {
  const { tensorCount, entryCount, metadata, infos } = contents;
  context.addAssetParts({ tensors: infos.slice(0, NAMES_LISTED).map(({ name }) => name) });
  context.addMetadata({
    format: "gguf",
    version: reader.version,
    byte_order: reader.cursor.littleEndian ? "little" : "big",
    n_tensors: Number(tensorCount),
    n_kv: Number(entryCount),
    metadata: metadata.told(),
    is_model: true,
    ml_context: mlContext(metadata, infos),
  });
}

function mlContext(metadata: GgufMetadata, infos: readonly TensorInfo[]): unknown {
  const sizes = new Map<string, number>();
  for (const { type, elements } of infos) {
    sizes.set(type, (sizes.get(type) ?? 0) + Number(elements));
  }
  const parameters = [...sizes.values()].reduce((sum, count) => sum + count, 0);
  const precision = [...sizes].sort((a, b) => b[1] - a[1])[0]?.[0];
  const { architecture, blockCount } = metadata;
  return {
    frameworks: { ggml: { name: "ggml", confidence: 1, indicators: ["GGUF magic"] } },
    overall_confidence: 1,
    is_ml_content: true,
    ...architecture === undefined ? {} : { model_type: architecture },
    ...blockCount === undefined ? {} : { layer_count_estimate: blockCount },
    ...Number.isSafeInteger(parameters) ? { parameter_count_estimate: parameters } : {},
    ...precision === undefined ? {} : { precision_type: precision },
  };
}
