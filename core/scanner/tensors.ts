/**
 * Lists the tensors of a file with their digests: the door to the formats for comparisons. As it reads what hostile
 * files say, only the thread that scans loads it.
 * @module
 */

import { type Checkpoint, withCheckpoint } from "./contract/checkpoint.ts";
import { limitsFor, SCAN_MAXIMA, type ScanMaxima } from "./contract/limits.ts";
import type { UnpackContext } from "./contract/scanner.ts";
import type { ByteSource } from "./contract/source.ts";
import {
  MAX_DIMENSIONS,
  MAX_DTYPE,
  MAX_LIST_CHARS,
  MAX_TENSOR_NAME,
  type TENSOR_FILES,
  tensorFormatOf,
  tensorLine,
  type TensorList,
} from "./contract/tensor_list.ts";
import { locateGguf } from "./formats/gguf/located.ts";
import { locateHdf5 } from "./formats/hdf5/located.ts";
import { locateKeras } from "./formats/zip/located_keras.ts";
import { locateOnnx } from "./formats/onnx/located.ts";
import { locatePyTorch } from "./formats/pytorch/located.ts";
import { locateSafetensors } from "./formats/safetensors/located.ts";
import { locateTflite } from "./formats/tflite/located.ts";
import { locateNumpy } from "./formats/zip/located_arrays.ts";
import { digestRanges } from "./formats/tensors/digest_ranges.ts";
import type {
  LocatedTensor,
  LocatedTensors,
  LocateTensors,
} from "./formats/tensors/located_tensor.ts";

const FORMATS: Readonly<Record<keyof typeof TENSOR_FILES, LocateTensors>> = {
  safetensors: locateSafetensors,
  gguf: locateGguf,
  onnx: locateOnnx,
  numpy: locateNumpy,
  hdf5: locateHdf5,
  keras: locateKeras,
  tflite: locateTflite,
  pytorch: locatePyTorch,
};

/** Options of {@link listTensors}. */
export interface ListTensorsOptions {
  /** The last segment of the file's path. */
  readonly name: string;
  /** What the limits of a large file may grow to. @default `SCAN_MAXIMA` */
  readonly maxima?: ScanMaxima | undefined;
  /** Called often. Throws {@link ScanStopped} to end it. */
  readonly checkpoint: Checkpoint;
}

/**
 * The tensors of a file, in a format that its name says. A header that cannot be read is a problem in the list, not an
 * error.
 *
 * @throws whatever `source` throws, `ScanStopped` included.
 */
export function listTensors(
  source: ByteSource,
  { name, maxima = SCAN_MAXIMA, checkpoint }: ListTensorsOptions,
): TensorList {
  const checked = withCheckpoint(source, checkpoint);
  const { format, tensors, problem } = locate(checked, name, unpackContext(source.size, maxima));
  const listed = new Listed(problem);
  const chosen = tensors.filter((it) => listed.takes(it));
  const { sha256, digests } = digestRanges(checked, chosen.map(({ elements }) => elements));
  const lines = chosen.map((tensor, index) =>
    tensorLine({ ...tensor, digest: tensor.digest ?? digests[index] ?? null })
  );
  return { format, sha256, lines: lines.join("\n"), problem: listed.problem };
}

function locate(source: ByteSource, name: string, context: UnpackContext): LocatedTensors {
  const format = tensorFormatOf(name);
  if (format !== undefined) return FORMATS[format](source, context);
  return { format: "unknown", tensors: [], problem: "No reader lists the tensors of such a file" };
}

/** The limits of a file, of which what is unpacked is counted. */
function unpackContext(size: number, maxima: ScanMaxima): UnpackContext {
  const limits = limitsFor(size, maxima);
  let left = limits.maxUnpackedBytes;
  return {
    limits,
    reserveUnpacked(bytes) {
      const granted = Math.min(Math.max(0, Math.floor(bytes) || 0), left);
      left -= granted;
      return granted;
    },
  };
}

/** The characters of a digest in a line, with its quotes. */
const DIGEST_CHARS = 66;

/** Decides which tensors a list has. */
class Listed {
  #names = new Set<string>();
  #chars = 0;

  /** @param problem Why some are missing; undefined if none is. */
  constructor(public problem: string | undefined) {}

  takes(tensor: LocatedTensor): boolean {
    const reason = this.#refusal(tensor);
    this.problem ??= reason;
    return reason === undefined;
  }

  #refusal({ name, dtype, shape, bytes }: LocatedTensor): string | undefined {
    if (name.length > MAX_TENSOR_NAME) return "A tensor has a name that is too long to compare";
    if (dtype.length > MAX_DTYPE) return "A tensor has a type that is too long to compare";
    if (shape.length > MAX_DIMENSIONS) return "A tensor has too many dimensions to compare";
    // Engines and clients read larger numbers as others.
    if (!shape.every(Number.isSafeInteger)) {
      return "A tensor has a shape that is too large to compare";
    }
    if (this.#names.has(name)) return "Several tensors have the same name";
    const chars = tensorLine({ name, dtype, shape, bytes, digest: null }).length + DIGEST_CHARS;
    if (this.#chars + chars > MAX_LIST_CHARS) return "There are too many tensors to compare";
    this.#chars += chars;
    this.#names.add(name);
    return undefined;
  }
}
