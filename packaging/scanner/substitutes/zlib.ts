/** What the scanner uses of `node:zlib`: that of the runtime, or decoders in JavaScript. */

import * as pako from "pako";
import {
  DamagedData,
  OutputBuffer,
  OutputFull,
} from "../../../core/scanner/readers/compression/output_buffer.ts";
import { builtin } from "./builtin.ts";
import { crc32 as crc32InScript } from "./crc32.ts";
import { unpackZstd } from "./zstd.ts";

/** The flush modes of zlib and Brotli. */
export const constants = {
  Z_SYNC_FLUSH: pako.Z_SYNC_FLUSH,
  Z_FINISH: pako.Z_FINISH,
  BROTLI_OPERATION_FLUSH: 1,
  BROTLI_OPERATION_FINISH: 2,
};

export interface UnpackOptions {
  readonly maxOutputLength?: number;
  /** Whether content that is cut off fails (`Z_FINISH`). @default `Z_FINISH` */
  readonly finishFlush?: number;
}

/** Unpacks what there is. */
type Decode = (packed: Uint8Array, output: OutputBuffer, mayBeCutOff: boolean) => void;

/** Unpacks as `zlib` does: fails as a whole, but for a stream that is cut off and may be. */
function unpacker(decode: Decode) {
  return (packed: Uint8Array, options: UnpackOptions = {}): Uint8Array => {
    const { maxOutputLength = Infinity, finishFlush = constants.Z_FINISH } = options;
    let left = maxOutputLength;
    const output = new OutputBuffer((bytes) => {
      const granted = Math.min(bytes, left);
      left -= granted;
      return granted;
    });
    try {
      decode(packed, output, finishFlush !== constants.Z_FINISH);
    } catch (error) {
      if (error instanceof OutputFull) throw new OutputTooLarge();
      throw error;
    }
    return output.content();
  };
}

class OutputTooLarge extends RangeError {
  readonly code = "ERR_BUFFER_TOO_LARGE";
}

/** The `windowBits` of zlib, which say what is around DEFLATE. */
const RAW = -15;
const ZLIB = 15;
const GZIP = 31;
/** How much is unpacked at once, in bytes. */
const PIECE = 64 * 1024;

function inflate(windowBits: number): Decode {
  return (packed, output, mayBeCutOff) => {
    const stream = new pako.ZStream();
    pako.zlibInflateInit2(stream, windowBits);
    Object.assign(stream, { input: packed, avail_in: packed.length });
    stream.output = new Uint8Array(PIECE);
    for (;;) {
      stream.next_out = 0;
      stream.avail_out = PIECE;
      const status = pako.zlibInflate(stream, mayBeCutOff ? pako.Z_SYNC_FLUSH : pako.Z_FINISH);
      output.append(stream.output.subarray(0, stream.next_out));
      if (status === pako.Z_STREAM_END) {
        // Members of gzip follow each other. Zeros may follow the last.
        if (windowBits !== GZIP || !packed[stream.next_in]) return;
        pako.zlibInflateReset(stream);
      } else if (status !== pako.Z_OK && status !== pako.Z_BUF_ERROR) {
        throw new DamagedData(stream.msg);
      } else if (stream.avail_out > 0) {
        if (mayBeCutOff) return;
        throw new DamagedData("The stream is cut off");
      }
    }
  };
}

const zlib = builtin("node:zlib");

/** Brotli needs a dictionary of 120 KB, which the package does not have. */
const noBrotli: Decode = () => {
  throw new DamagedData("Brotli cannot be unpacked in browsers");
};

export const crc32 = zlib?.crc32 ?? crc32InScript;
export const inflateRawSync = zlib?.inflateRawSync ?? unpacker(inflate(RAW));
export const inflateSync = zlib?.inflateSync ?? unpacker(inflate(ZLIB));
export const gunzipSync = zlib?.gunzipSync ?? unpacker(inflate(GZIP));
export const brotliDecompressSync = zlib?.brotliDecompressSync ?? unpacker(noBrotli);
export const zstdDecompressSync = zlib?.zstdDecompressSync ?? unpacker(unpackZstd);
