import type { Scanner } from "../contract/scanner.ts";
import { checkTemplate } from "../templates/check.ts";
import { arrowScanner } from "./arrow/scanner.ts";
import { caffeScanner } from "./caffe/scanner.ts";
import { catBoostScanner } from "./catboost/scanner.ts";
import { cntkScanner } from "./cntk/scanner.ts";
import { compiledScanner } from "./compiled/scanner.ts";
import { coreMlScanner } from "./coreml/scanner.ts";
import { execuTorchScanner } from "./executorch/scanner.ts";
import { flaxScanner } from "./flax/scanner.ts";
import { lightGbmScanner } from "./lightgbm/scanner.ts";
import { llamafileScanner } from "./llamafile/scanner.ts";
import { mxnetScanner } from "./mxnet/scanner.ts";
import { ociScanner } from "./oci/scanner.ts";
import { paddleScanner } from "./paddle/scanner.ts";
import { tfliteScanner } from "./tflite/scanner.ts";
import { torch7Scanner } from "./torch7/scanner.ts";
import { weightsScanner } from "./weights/scanner.ts";
import { xgboostScanner } from "./xgboost/scanner.ts";
import { compressedScanner } from "./compressed/scanner.ts";
import { executableScanner } from "./executable/scanner.ts";
import { ggufScanner } from "./gguf/scanner.ts";
import { hdf5Scanner } from "./hdf5/scanner.ts";
import { jinjaScanner } from "./jinja/scanner.ts";
import { kerasScanner } from "./keras/scanner.ts";
import { lfsPointerScanner } from "./lfs_pointer/scanner.ts";
import { manifestScanner } from "./manifest/scanner.ts";
import { numpyScanner } from "./numpy/scanner.ts";
import { onnxScanner } from "./onnx/scanner.ts";
import { joblibScanner } from "./joblib/scanner.ts";
import { pickleScanner } from "./pickle/scanner.ts";
import { pyTorchZipScanner } from "./pytorch/scanner.ts";
import { torchScriptScanner } from "./pytorch/torchscript.ts";
import { pythonBytecodeScanner } from "./python_bytecode/scanner.ts";
import { rDataScanner } from "./rdata/scanner.ts";
import { safetensorsScanner } from "./safetensors/scanner.ts";
import { savedModelScanner } from "./tensorflow/scanner.ts";
import { selfExtractingScanner } from "./self_extracting/scanner.ts";
import { sevenZipScanner } from "./seven_zip/scanner.ts";
import { skopsScanner } from "./skops/scanner.ts";
import { sqliteScanner } from "./sqlite/scanner.ts";
import { tarScanner } from "./tar/scanner.ts";
import { textScanner } from "./text/scanner.ts";
import { unsupportedArchiveScanner } from "./unsupported_archive/scanner.ts";
import { xmlModelScanner } from "./xml_model/scanner.ts";
import { zipScanner } from "./zip/scanner.ts";

/** All scanners, in the order they run. */
export const SCANNERS: readonly Scanner[] = [
  pickleScanner,
  joblibScanner,
  pyTorchZipScanner,
  torchScriptScanner,
  zipScanner,
  tarScanner,
  compressedScanner,
  sevenZipScanner,
  unsupportedArchiveScanner,
  safetensorsScanner,
  ggufScanner,
  numpyScanner,
  onnxScanner,
  savedModelScanner,
  hdf5Scanner,
  kerasScanner,
  coreMlScanner,
  tfliteScanner,
  execuTorchScanner,
  flaxScanner,
  torch7Scanner,
  paddleScanner,
  mxnetScanner,
  caffeScanner,
  cntkScanner,
  catBoostScanner,
  lightGbmScanner,
  xgboostScanner,
  compiledScanner,
  ociScanner,
  skopsScanner,
  rDataScanner,
  sqliteScanner,
  arrowScanner,
  jinjaScanner,
  manifestScanner({ checkTemplate }),
  textScanner,
  xmlModelScanner,
  lfsPointerScanner,
  selfExtractingScanner,
  executableScanner,
  pythonBytecodeScanner,
  llamafileScanner,
  weightsScanner,
];
