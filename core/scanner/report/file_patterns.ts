import { isObject, type JsonObject } from "../../../schemas/json.ts";
import { baseName } from "../contract/names.ts";

/** Names of files that each framework writes, as patterns of shells. */
const PATTERNS: Readonly<Record<string, readonly string[]>> = {
  pytorch: ["*.pt", "*.pth", "*.bin", "*.ckpt", "*.ptl"],
  lightning: ["*.ckpt"],
  "scikit-learn": ["*.pkl", "*.pickle", "*.joblib", "*.skops"],
  numpy: ["*.npy", "*.npz"],
  keras: ["*.keras", "*.h5", "*.hdf5"],
  tensorflow: ["*.pb", "*.meta", "*.ckpt"],
  safetensors: ["*.safetensors"],
  ggml: ["*.gguf", "*.ggml"],
  onnx: ["*.onnx"],
  coreml: ["*.mlmodel"],
  tflite: ["*.tflite"],
  executorch: ["*.pte"],
  flax: ["*.msgpack"],
  torch7: ["*.t7", "*.th"],
  paddle: ["*.pdmodel", "*.pdparams", "*.json"],
  mxnet: ["*-symbol.json", "*.params"],
  caffe: ["*.caffemodel", "*.prototxt"],
  cntk: ["*.model", "*.dnn"],
  catboost: ["*.cbm"],
  lightgbm: ["*.lgb", "*.txt"],
  xgboost: ["*.ubj", "*.json", "*.model", "*.bst"],
  tensorrt: ["*.plan", "*.engine", "*.trt"],
  rknn: ["*.rknn"],
  llamafile: ["*.llamafile"],
};

/** Adds to each framework of `ml_context` the patterns that the name of the file fits (SR 2.9). */
export function withFilePatterns(metadata: JsonObject, path: string): JsonObject {
  const { ml_context: context } = metadata;
  if (!isObject(context) || !isObject(context.frameworks)) return metadata;
  const name = baseName(path).toLowerCase();
  const frameworks = Object.entries(context.frameworks).map(([key, framework]) => {
    const patterns = Object.hasOwn(PATTERNS, key) ? PATTERNS[key] ?? [] : [];
    const fitting = patterns.filter((pattern) => name.endsWith(pattern.slice(1)));
    const isKnown = isObject(framework) && fitting.length > 0;
    return [key, isKnown ? { ...framework, file_patterns: fitting } : framework] as const;
  });
  return { ...metadata, ml_context: { ...context, frameworks: Object.fromEntries(frameworks) } };
}
