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
  const read = (offset: number, target: Uint8Array) => {
    const bytes = reader.readAsArrayBuffer(content.slice(offset, offset + target.length));
    target.set(new Uint8Array(bytes));
    return bytes.byteLength;
  };
  return use(new PagedSource(content.size, read));
}

function withFile<Result>(path: string, use: (source: ByteSource) => Result): Result {
  const fs = builtin("node:fs");
  if (fs === undefined) throw new TypeError("Browsers read no paths");
  const file = fs.openSync(path, "r");
  const read = (offset: number, target: Uint8Array) => {
    let filled = 0;
    while (filled < target.length) {
      const count = fs.readSync(file, target, filled, target.length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  };
  try {
    return use(new PagedSource(fs.fstatSync(file).size, read));
  } finally {
    fs.closeSync(file);
  }
}
