import type { Scanner } from "../scanner.ts";
import { checkTemplate } from "../template/check.ts";
import { compressedScanner } from "./compressed.ts";
import { executableScanner } from "./executable.ts";
import { ggufScanner } from "./gguf.ts";
import { hdf5Scanner } from "./hdf5.ts";
import { jinjaScanner } from "./jinja.ts";
import { kerasScanner } from "./keras_config.ts";
import { lfsPointerScanner } from "./lfs_pointer.ts";
import { manifestScanner } from "./manifest.ts";
import { numpyScanner } from "./numpy.ts";
import { onnxScanner } from "./onnx.ts";
import { joblibScanner } from "./joblib.ts";
import { pickleScanner } from "./pickle.ts";
import { pyTorchZipScanner } from "./pytorch_zip.ts";
import { safetensorsScanner } from "./safetensors.ts";
import { savedModelScanner } from "./saved_model.ts";
import { tarScanner } from "./tar.ts";
import { textScanner } from "./text.ts";
import { unsupportedArchiveScanner } from "./unsupported_archive.ts";
import { xmlModelScanner } from "./xml_model.ts";
import { zipScanner } from "./zip.ts";

/** All scanners, in the order in which they run. */
export const SCANNERS: readonly Scanner[] = [
  pickleScanner,
  joblibScanner,
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
  manifestScanner({ checkTemplate }),
  textScanner,
  xmlModelScanner,
  lfsPointerScanner,
  executableScanner,
];

/** To be raised with every change of what scanners find: kept results of another version are not used. */
export const SCANNERS_VERSION = "1";
