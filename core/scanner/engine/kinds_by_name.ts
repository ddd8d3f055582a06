import { extensionOf } from "../contract/names.ts";
import type { ContentKind } from "./detect_kind.ts";

const PACKED: readonly ContentKind[] = ["gzip", "bzip2", "xz"];
const PYTORCH: readonly ContentKind[] = ["pickle", "zip", "tar"];
const PICKLES: readonly ContentKind[] = ["pickle", "zip", ...PACKED];
const TEXT: readonly ContentKind[] = ["script"];

/** For extensions that promise a format: the kinds that it may honestly be. */
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
 * The kinds of content that may carry code and yet are what the name says, such as zip for `.npz`.
 *
 * @returns undefined where the name promises no format.
 */
export function kindsForName(name: string): readonly ContentKind[] | undefined {
  return KINDS.get(extensionOf(name));
}
