import type { Checklist } from "../../contract/checklist.ts";
import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { ScanContext } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import {
  flatbufferIdentifier,
  FlatbufferReader,
  type FlatTable,
} from "../../readers/flatbuffers/flatbuffer.ts";
import { MalformedError } from "../../readers/malformed.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { checkModelText } from "../model/text.ts";
import { severityOfOperation } from "../tensorflow/operations.ts";
import { ElementCounts } from "../tensors/element_counts.ts";
import {
  CUSTOM,
  DataBuffer,
  Model,
  Operator,
  OperatorCode,
  Subgraph,
  Tensor,
  TYPES,
} from "./schema.ts";

const STRUCTURE = "TFLite Model Structure";
const OPERATORS = "TFLite Operators";
const BUFFERS = "TFLite Buffers";
const TEXT = "TFLite Text";

/** Checks TensorFlow Lite models: operators, references between the parts, and texts. */
export const tfliteScanner = modelScanner({
  id: "tflite",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The model was read completely",
    [OPERATORS]: "No operator runs programs or accesses files",
    [BUFFERS]: "Every buffer is within the model and its folder",
    [TEXT]: "No text contains code, paths or credentials",
  },
  matches: ({ name, source }) => isTflite(source) || /\.tflite$/i.test(name),
  inspect({ source }, context, checks) {
    if (!isTflite(source)) {
      return checks.add(STRUCTURE, {
        severity: source.size === 0 ? "info" : "warning",
        message: "The file does not have the identifier of TensorFlow Lite",
        ruleCode: "S903",
        incomplete: "not_tflite",
      });
    }
    new ModelWalk(source, checks).run(context);
  },
});

function isTflite(source: ByteSource): boolean {
  return flatbufferIdentifier(source) === "TFL3";
}

const MAX_TEXT_BYTES = 64 * 1024;
const MAX_NAME_BYTES = 1024;

/** Custom operators that TensorFlow Lite and MediaPipe themselves define. */
const KNOWN_CUSTOM =
  /^(?:TFLite_\w+|Flex\w+|Convolution2DTransposeBias|MaxPoolingWithArgmax2D|MaxUnpooling2D|Landmarks2TransformMatrix|TransformTensorBilinear|TransformLandmarks|KmeansEmbeddingLookup|NGrams|RougeF1|VarHandle|ReadVariable|AssignVariable|Numeric(?:Verify)?|AudioSpectrogram|Mfcc|aeq\.\w+|tftext:\w+|stablehlo\.\w+|odml\.\w+|RFFT2D|IRFFT2D|Irfft2d|Gelu)$/;

class ModelWalk {
  readonly #source: ByteSource;
  readonly #checks: Checklist<string>;
  readonly #reader: FlatbufferReader;
  readonly #counts = new ElementCounts();
  #operators = 0;
  #buffers = 0;

  constructor(source: ByteSource, checks: Checklist<string>) {
    this.#source = source;
    this.#checks = checks;
    this.#reader = new FlatbufferReader(source);
  }

  run(context: ScanContext): void {
    const model = this.#reader.root();
    const description = this.#reader.text(model, Model.description, MAX_TEXT_BYTES);
    checkModelText(TEXT, "The description", description, this.#checks);
    this.#checkExternalFiles(model);
    this.#checkBuffers(model);
    const codes = this.#operatorCodes(model);
    for (const subgraph of this.#reader.tables(model, Model.subgraphs)) {
      this.#checkTensors(subgraph);
      this.#checkOperators(subgraph, codes);
    }
    context.addMetadata(modelMetadata({
      framework: "tflite",
      version: String(this.#reader.int32(model, Model.version)),
      indicator: "TFL3 identifier",
      context: { layer_count_estimate: this.#operators, ...this.#counts.facts },
      facts: { description: excerpt(description) },
    }));
    context.addFacts({
      format: "tflite",
      format_version: String(this.#reader.int32(model, Model.version)),
      ...this.#counts.tensorFacts,
    });
  }

  /** Checks the kinds of operators, and returns how many there are. */
  #operatorCodes(model: FlatTable): number {
    let count = 0;
    for (const code of this.#reader.tables(model, Model.operatorCodes)) {
      count++;
      // Models before 2020 have the kind in a byte.
      const builtin = Math.max(
        this.#reader.int8(code, OperatorCode.deprecatedBuiltin),
        this.#reader.int32(code, OperatorCode.builtin),
      );
      if (builtin !== CUSTOM) continue;
      this.#checkCustom(
        this.#reader.text(code, OperatorCode.custom, MAX_NAME_BYTES),
        code.position,
      );
    }
    return count;
  }

  #checkCustom(name: string, position: number): void {
    const operation = name.startsWith("Flex") ? name.slice("Flex".length) : undefined;
    const severity = operation === undefined ? undefined : severityOfOperation(operation, true);
    if (severity !== undefined) {
      this.#checks.add(OPERATORS, {
        severity,
        message: `The model uses TensorFlow's operation ${quotedExcerpt(operation ?? "")}`,
        position,
        ruleCode: "S1102",
        details: { op: excerpt(name) },
      });
    } else if (!KNOWN_CUSTOM.test(name)) {
      this.#checks.add(OPERATORS, {
        severity: "info",
        message: `Custom operator ${quotedExcerpt(name)} needs code that is not in the model`,
        position,
        ruleCode: "S810",
      });
    }
  }

  #checkExternalFiles(model: FlatTable): void {
    for (const group of this.#reader.tables(model, Model.externalBufferGroups)) {
      const path = this.#reader.text(group, 0, MAX_NAME_BYTES);
      const danger = pathEscape(path);
      if (danger === undefined) continue;
      this.#checks.add(BUFFERS, {
        severity: "critical",
        message: `The model loads buffers from ${danger}: ${quotedExcerpt(path)}`,
        position: group.position,
        ruleCode: "S405",
        why: "A loader that follows the path reads files outside the model's folder",
      });
    }
  }

  #checkBuffers(model: FlatTable): void {
    for (const buffer of this.#reader.tables(model, Model.buffers)) {
      this.#reader.vector(buffer, DataBuffer.data, 1);
      this.#checkExtent(
        this.#reader.uint64(buffer, DataBuffer.offset),
        this.#reader.uint64(buffer, DataBuffer.size),
      );
      this.#buffers++;
    }
  }

  #checkTensors(subgraph: FlatTable): void {
    for (const tensor of this.#reader.tables(subgraph, Subgraph.tensors)) {
      const buffer = this.#reader.int32(tensor, Tensor.buffer) >>> 0;
      if (buffer >= this.#buffers && buffer !== 0) {
        this.#outside(`Tensor refers to buffer ${buffer} of ${this.#buffers}`, tensor.position);
      } else if (buffer !== 0) this.#countElements(tensor);
    }
  }

  /** Counts the elements of a tensor. Those without a buffer are computed, not stored. */
  #countElements(tensor: FlatTable): void {
    let elements = 1n;
    for (const dimension of this.#reader.int32s(tensor, Tensor.shape)) {
      elements *= BigInt(Math.max(0, dimension));
    }
    this.#counts.add(TYPES[this.#reader.int8(tensor, Tensor.type)] ?? "unknown", elements);
  }

  #checkOperators(subgraph: FlatTable, codes: number): void {
    for (const operator of this.#reader.tables(subgraph, Subgraph.operators)) {
      this.#operators++;
      const code = this.#reader.int32(operator, Operator.code) >>> 0;
      if (code >= codes) {
        this.#outside(`Operator refers to kind ${code} of ${codes}`, operator.position);
      }
      this.#checkExtent(
        this.#reader.uint64(operator, Operator.optionsOffset),
        this.#reader.uint64(operator, Operator.optionsSize),
      );
    }
  }

  /** Checks data that is stored after the FlatBuffer, which large models have. */
  #checkExtent(offset: number, size: number): void {
    if (offset + size <= this.#source.size) return;
    const message = `Data of ${size} bytes at ${offset} is outside the file`;
    this.#outside(message, undefined);
    throw new MalformedError("truncated", message);
  }

  #outside(message: string, position: number | undefined): void {
    this.#checks.add(BUFFERS, {
      severity: "warning",
      message,
      ...position !== undefined && { position },
      ruleCode: "S804",
    });
  }
}
