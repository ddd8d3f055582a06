import type { FileResult } from "../contract/file_result.ts";
import { extensionOf } from "../contract/names.ts";

const MODEL_EXTENSIONS = new Set(
  ("safetensors gguf ggml pt pth ckpt bin onnx h5 hdf5 keras pb tflite mlmodel pkl pickle joblib " +
    "dill nemo mar msgpack pte ptl t7 pdmodel pdparams caffemodel cbm ubj engine rknn llamafile")
    .split(" "),
);
const DATASET_EXTENSIONS = new Set(
  "csv tsv parquet arrow feather jsonl ndjson tfrecord tfrecords npy npz".split(" "),
);
const MODEL_TYPES = new Set(
  ("pickle joblib pytorch_zip safetensors gguf keras onnx saved_model coreml tflite executorch " +
    "flax_msgpack torch7 paddle mxnet caffe cntk catboost lightgbm xgboost compiled llamafile")
    .split(" "),
);

/** Guesses from its extension and asset type whether a file is a model or a dataset (SR 2.5). */
export function purposeOf(
  path: string,
  type: FileResult["asset"]["type"],
): { is_model: boolean; is_dataset: boolean } {
  const extension = extensionOf(path);
  const isDataset = DATASET_EXTENSIONS.has(extension);
  const isModel = MODEL_EXTENSIONS.has(extension) || (!isDataset && MODEL_TYPES.has(type));
  return { is_model: isModel, is_dataset: isDataset };
}
