import type { Scanner } from "../scanner.ts";
import { compressedScanner } from "./compressed.ts";
import { ggufScanner } from "./gguf.ts";
import { hdf5Scanner } from "./hdf5.ts";
import { jinjaScanner } from "./jinja.ts";
import { kerasScanner } from "./keras_config.ts";
import { numpyScanner } from "./numpy.ts";
import { onnxScanner } from "./onnx.ts";
import { pyTorchZipScanner } from "./pytorch_zip.ts";
import { safetensorsScanner } from "./safetensors.ts";
import { savedModelScanner } from "./saved_model.ts";
import { tarScanner } from "./tar.ts";
import { unsupportedArchiveScanner } from "./unsupported_archive.ts";
import { zipScanner } from "./zip.ts";

/** All scanners, in the order in which they run. */
export const SCANNERS: readonly Scanner[] = [
  pyTorchZipScanner,
  zipScanner,
  tarScanner,
  compressedScanner,
  unsupportedArchiveScanner,
  safetensorsScanner,
  ggufScanner,
  numpyScanner,
  onnxScanner,
  savedModelScanner,
  hdf5Scanner,
  kerasScanner,
  jinjaScanner,
];

/** To be raised with every change of what scanners find: kept results of another version are not used. */
export const SCANNERS_VERSION = "1";
