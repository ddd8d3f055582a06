import { createHash } from "node:crypto";
import { KIB } from "../../schemas/units.ts";
import { nameOf } from "../paths.ts";

/** The largest file that belongs into a commit itself, in bytes. Its content is in the database. */
export const MAX_REGULAR_BYTES = 64 * KIB;

/** The endings of names in the `.gitattributes` of a new model of the public hub, and `gguf`. */
const MODEL_ENDINGS = new Set(
  ("7z arrow bin bz2 ckpt ftz gguf gz h5 joblib mlmodel model msgpack npy npz onnx ot parquet pb pickle pkl pt pth " +
    "rar safetensors tar tflite tgz wasm xz zip zst").split(" "),
);
/** Those of a new data set there: the same, and media. */
const DATASET_ENDINGS = MODEL_ENDINGS.union(
  new Set(
    ("avro lz4 mds pcm sam raw aac flac mp3 ogg wav bmp gif png tiff jpg jpeg webp mp4 webm").split(
      " ",
    ),
  ),
);

/** A file of a repository. */
export interface RepositoryPath {
  /** The directory of the repository in the tree, such as `models/ns/name`. */
  readonly directory: string;
  /** Relative to the repository. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/**
 * Whether clients take a file for one of Git LFS rather than one of Git: it is large, or has a name that the public
 * hub keeps so (C 20). Nobody keeps an empty one so.
 */
export function isLfsFile({ directory, path, size }: RepositoryPath): boolean {
  if (size > MAX_REGULAR_BYTES) return true;
  if (size === 0) return false;
  const name = nameOf(path);
  const endings = directory.startsWith("datasets/") ? DATASET_ENDINGS : MODEL_ENDINGS;
  return endings.has(name.slice(name.lastIndexOf(".") + 1)) && name.includes(".") ||
    /\.(?:lfs|tar)\.|tfevents/.test(name) || path.startsWith("saved_model/");
}

/** The id of the blob in Git with some content: a SHA-1 in hexadecimal. */
export function blobIdOf(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** The {@link blobIdOf} each content, by the same keys. */
export function blobIdsOf(contents: ReadonlyMap<string, Uint8Array>): Map<string, string> {
  return new Map([...contents].map(([key, content]) => [key, blobIdOf(content)]));
}
