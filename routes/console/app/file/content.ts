import { ApiError } from "../shared/api.ts";
import { isGguf, readGguf } from "./gguf.ts";
import { HeaderError, type ModelHeader, type Pair } from "../preview/header.ts";
import { FilePrefix, type ReadFile } from "../preview/prefix.ts";
import { isSafetensors, readSafetensors } from "./safetensors.ts";

/** What is shown of the content of a file. */
export interface Content {
  /** The name of the format, as its first bytes and its name suggest. */
  readonly format: string | undefined;
  /** What the file begins with. */
  readonly head?: Uint8Array;
  readonly header?: ModelHeader;
  /** The keys of a manifest with their values. */
  readonly manifest?: readonly Pair[];
  /** Why there is not more. */
  readonly problem?: string;
  /** Whether the gate blocks downloads of the content. */
  readonly isBlocked?: boolean;
}

/** How much is read to recognize a format. */
const HEAD_BYTES = 4096;
/** The longest start of {@link MAGICS}, and more than the other formats need. */
const START_BYTES = 16;
/** The largest manifest that is shown. */
const MAX_MANIFEST_BYTES = 2 ** 20;

/** Formats by how they begin, a character a byte. */
const MAGICS: readonly (readonly [start: string, format: string])[] = [
  ["PK\x03\x04", "ZIP archive"],
  ["\x89HDF\r\n\x1a\n", "HDF5"],
  ["\x93NUMPY", "NumPy array"],
  ["\x1f\x8b", "gzip"],
  ["\xfd7zXZ", "xz"],
  ["\x28\xb5\x2f\xfd", "Zstandard"],
  ["7z\xbc\xaf\x27\x1c", "7-Zip archive"],
  ["\x80\x02", "pickle"],
  ["\x80\x03", "pickle"],
  ["\x80\x04", "pickle"],
  ["\x80\x05", "pickle"],
  ["\x7fELF", "ELF program"],
  ["MZ", "Windows program"],
  ["\x89PNG\r\n\x1a\n", "PNG image"],
  ["\xff\xd8\xff", "JPEG image"],
  ["GIF8", "GIF image"],
  ["PAR1", "Parquet"],
];

/** Formats by the ends of names, for content without a start of its own. */
const ENDINGS: readonly (readonly [end: string, format: string])[] = [
  [".onnx", "ONNX"],
  [".tflite", "TensorFlow Lite"],
  [".pb", "TensorFlow graph"],
  [".md", "Markdown"],
  [".txt", "Text"],
  [".json", "JSON"],
  [".yaml", "YAML"],
  [".yml", "YAML"],
  [".toml", "TOML"],
  [".py", "Python source"],
  [".csv", "CSV"],
  [".tsv", "TSV"],
  [".ipynb", "Notebook"],
];

/**
 * Reads what is shown of a file. What the content claims is shown as it is; a malformed header is a
 * `problem`.
 *
 * @throws {ApiError} when the server refuses.
 */
export async function readContent(file: ReadFile, signal: AbortSignal): Promise<Content> {
  if (file.size === 0) return { format: "Empty" };
  try {
    return await readStart(file, signal);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "ErrResourcesRefused") {
      return { format: undefined, problem: error.message, isBlocked: true };
    }
    if (error.code !== "ErrResourcesQuarantined") throw error;
    const problem = `${error.message}. The gate blocks this file: it cannot be downloaded, and ` +
      "nothing of its content is shown, until its verdict changes or an administrator waives it.";
    return { format: undefined, problem, isBlocked: true };
  }
}

async function readStart(file: ReadFile, signal: AbortSignal): Promise<Content> {
  const prefix = new FilePrefix(file, signal);
  const head = await prefix.upTo(HEAD_BYTES);
  try {
    if (isGguf(head)) return { format: "GGUF", header: await readGguf(prefix) };
    if (isSafetensors(head, file.size)) {
      return { format: "safetensors", header: await readSafetensors(prefix) };
    }
    return await readOther(prefix, head);
  } catch (error) {
    if (!(error instanceof HeaderError)) throw error;
    return { format: isGguf(head) ? "GGUF" : "safetensors", problem: error.message };
  }
}

async function readOther(prefix: FilePrefix, head: Uint8Array): Promise<Content> {
  const { path, size } = prefix.file;
  const start = String.fromCharCode(...head.subarray(0, START_BYTES));
  const name = path.toLowerCase();
  const format = MAGICS.find(([magic]) => start.startsWith(magic))?.[1] ??
    ENDINGS.find(([end]) => name.endsWith(end))?.[1] ?? "Unknown";
  if (!isManifest(format) || size > MAX_MANIFEST_BYTES) return { format, head };
  // Few files need its readers, which are as large as a room.
  const { manifestOf } = await import("./manifest.ts");
  return { format, head, manifest: manifestOf(await prefix.upTo(size), format) };
}

function isManifest(format: string): format is "YAML" | "TOML" {
  return format === "YAML" || format === "TOML";
}
