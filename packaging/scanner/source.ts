import { type ByteSource, memorySource, PagedSource } from "../../core/scanner/scan.ts";
import { builtin } from "./substitutes/builtin.ts";

/** What reads blobs without waiting, in the workers of browsers only. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** Lets a function read content. @throws {Error} when the content is a path that cannot be read. */
export function withSource<Result>(
  content: string | Blob | ArrayBuffer,
  use: (source: ByteSource) => Result,
): Result {
  if (content instanceof ArrayBuffer) return use(memorySource(new Uint8Array(content)));
  if (typeof content === "string") return withFile(content, use);
  const reader = new FileReaderSync();
  const read = (offset: number, length: number) =>
    new Uint8Array(reader.readAsArrayBuffer(content.slice(offset, offset + length)));
  return use(new PagedSource(content.size, read));
}

function withFile<Result>(path: string, use: (source: ByteSource) => Result): Result {
  const fs = builtin("node:fs");
  if (fs === undefined) throw new TypeError("Browsers read no paths");
  const file = fs.openSync(path, "r");
  const read = (offset: number, length: number) => {
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const count = fs.readSync(file, bytes, filled, length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  };
  try {
    return use(new PagedSource(fs.fstatSync(file).size, read));
  } finally {
    fs.closeSync(file);
  }
}
