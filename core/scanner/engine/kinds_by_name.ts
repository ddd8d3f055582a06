import { extensionOf } from "../contract/names.ts";
import type { ContentKind } from "./detect_kind.ts";

const COMPRESSED: readonly ContentKind[] = ["gzip", "bzip2", "xz"];
const PYTORCH: readonly ContentKind[] = ["pickle", "zip", "tar"];
const PICKLES: readonly ContentKind[] = ["pickle", "zip", ...COMPRESSED];
const TEXT: readonly ContentKind[] = ["script"];

/** By extension, for those that imply a format: the detectable kinds that the format may have. */
const KINDS = new Map<string, readonly ContentKind[]>([
  ["safetensors", []],
  ["gguf", []],
  ["ggml", []],
  ["npy", []],
  ["npz", ["zip"]],
  ["onnx", []],
  ["h5", []],
  ["hdf5", []],
  ["keras", ["zip"]],
  ["pb", []],
  ["tflite", []],
  ["mlmodel", []],
  ["msgpack", []],
  ["pte", []],
  ["pdmodel", []],
  ["caffemodel", []],
  ["prototxt", TEXT],
  ["cbm", []],
  ["ubj", []],
  ["t7", []],
  ["engine", []],
  ["rknn", []],
  ["pt", PYTORCH],
  ["pth", PYTORCH],
  ["bin", PYTORCH],
  ["ckpt", PYTORCH],
  ["pkl", PICKLES],
  ["pickle", PICKLES],
  ["dill", PICKLES],
  ["joblib", PICKLES],
  ["mar", ["zip", "tar", "gzip"]],
  ["nemo", ["tar", "gzip"]],
  ["txt", TEXT],
  ["md", TEXT],
  ["json", TEXT],
  ["yaml", TEXT],
  ["yml", TEXT],
  ["toml", TEXT],
  ["csv", TEXT],
]);

/**
 * Returns the detectable kinds that content with this name may have, such as `zip` for `.npz`, or
 * undefined if its extension implies no format.
 */
export function kindsForName(name: string): readonly ContentKind[] | undefined {
  return KINDS.get(extensionOf(name));
}
