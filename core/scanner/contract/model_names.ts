import { extensionOf } from "./names.ts";

/** The extensions, in lower case, of files that loaders of models open. */
export const MODEL_EXTENSIONS: readonly string[] =
  ("bin pt pth ckpt p pkl pickle pck pcl sav dat data model weights joblib dill npy npz cache " +
    "h5 hdf5 keras safetensors gguf ggml onnx pb meta tflite mlmodel msgpack pte ptl t7 th mar " +
    "nemo pdmodel pdparams pdiparams params caffemodel dnn cbm ubj bst lgb engine trt plan rknn " +
    "skops llamafile rds rda").split(" ");

const EXTENSIONS: ReadonlySet<string> = new Set(MODEL_EXTENSIONS);

/** Whether loaders of models open a file with this name. */
export function isModelName(name: string): boolean {
  return EXTENSIONS.has(extensionOf(name));
}
