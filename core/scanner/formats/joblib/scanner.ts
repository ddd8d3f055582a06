import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { scanCompressed } from "../compressed/scanner.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";

/**
 * The start of a file of joblib before 0.10: `ZF`, and the length of the content in hexadecimal as
 * Python's `int` reads it, filled up with spaces. Python 2 wrote one space more. zlib data follows.
 */
const Z_FILE = /^ZF[\s\dxXa-fA-FL_+-]{19}$/;
const Z_FILE_BYTES = 21;
const SPACE = 0x20;

/** The end of the names of arrays in files of their own, which are bytes without NumPy's header. */
const ARRAY_SUFFIX = /\.npy(?=\.(?:z|gz)$|$)/i;

/** Scans files of joblib before 0.10. Those of later versions are pickles, or compressed pickles. */
export const joblibScanner: Scanner = {
  id: "joblib",
  matches: ({ source }: Content) => zFileData(source) !== undefined,
  *scan({ source, name, depth }: Content, context: ScanContext): Generator<Check, void, void> {
    const data = zFileData(source);
    if (data === undefined) return;
    const content = { source: data, name: name.replace(ARRAY_SUFFIX, ""), depth };
    yield* scanCompressed(content, "zlib", context, "joblib");
  },
};

/** The zlib data of a file of joblib before 0.10, or undefined for any other content. */
function zFileData(source: ByteSource): ByteSource | undefined {
  const head = source.read(0, Z_FILE_BYTES + 1);
  if (!Z_FILE.test(decodeLatin1(head.subarray(0, Z_FILE_BYTES)))) return undefined;
  const start = head[Z_FILE_BYTES] === SPACE ? Z_FILE_BYTES + 1 : Z_FILE_BYTES;
  return isZlib(source.read(start, 2))
    ? sourceSlice(source, start, Math.max(0, source.size - start))
    : undefined;
}

/** RFC 1950: method 8, a window of up to 32 KiB, a header divisible by 31, no preset dictionary. */
function isZlib([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && method >> 4 <= 7 && (method * 256 + flags) % 31 === 0 &&
    (flags & 0x20) === 0;
}
