import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { NamedFinding } from "../../contract/checklist.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import type { ProtobufReader, ProtobufSpan } from "../../readers/protobuf/protobuf_reader.ts";
import { EXTERNAL_DATA } from "./tensor_checks.ts";

/** Operators of ONNX Runtime whose attributes name files: what a graph was compiled to. */
const OPERATOR = "EPContext";
const CONTEXT = "ep_cache_context";
const EMBED_MODE = "embed_mode";
/** The model from which TensorRT takes weights that a context lacks. */
const MODEL = "onnx_model_filename";

const MAX_NAME_BYTES = 32;
/** Paths are shorter. What is longer is the context itself. */
const MAX_PATH_BYTES = 4096;
const MAX_PATHS = 100;

/** The files that a node of ONNX Runtime with a compiled graph names. */
export class CompiledContext {
  readonly #reader: ProtobufReader;
  /** Whether nothing says that the node has the path of a file rather than the context itself. */
  #isEmbedded = true;
  readonly #contexts: string[] = [];
  readonly #models: string[] = [];

  constructor(reader: ProtobufReader) {
    this.#reader = reader;
  }

  /** Takes an attribute of the node. */
  take(attribute: ProtobufSpan): void {
    let name = "";
    let number = 0n;
    let text = "";
    for (const field of this.#reader.fields(attribute)) {
      if (field.kind === "varint" && field.number === 3) number = field.value;
      if (field.kind !== "bytes") continue;
      if (field.number === 1) name = this.#reader.text(field.span, MAX_NAME_BYTES);
      if (field.number === 4) text = this.#reader.text(field.span, MAX_PATH_BYTES);
    }
    // A zero may be left out.
    if (name === EMBED_MODE) this.#isEmbedded &&= number !== 0n;
    if (name === CONTEXT && this.#contexts.length < MAX_PATHS) this.#contexts.push(text);
    if (name === MODEL && this.#models.length < MAX_PATHS) this.#models.push(text);
  }

  /** Those that are outside of the model's folder, once all attributes were taken. */
  findings(operator: string, position: number): NamedFinding[] {
    if (operator !== OPERATOR) return [];
    const paths = this.#isEmbedded ? this.#models : [...this.#contexts, ...this.#models];
    return paths.flatMap((path) => {
      const danger = pathEscape(path);
      return danger === undefined ? [] : [{
        name: EXTERNAL_DATA,
        severity: "critical",
        message: `A compiled graph is loaded from ${danger}: ${quotedExcerpt(path)}`,
        position,
        ruleCode: "S405",
        why: "An execution provider that follows the path reads a file outside the model's folder",
        details: { location: excerpt(path) },
      }];
    });
  }
}
