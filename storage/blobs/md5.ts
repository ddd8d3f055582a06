import type { Chunk } from "../../core/content.ts";
import { md5Module } from "./md5_module.ts";

const BLOCK_BYTES = 64;
/** Where the blocks are in the memory of the module, and how much of them it is given at a time. */
const START = 64;
const MAX_BYTES = 64 * 1024;

/** The module with its memory. */
interface Instance {
  readonly blocks: (start: number, end: number) => void;
  readonly state: Uint32Array;
  readonly area: Uint8Array;
}

/** The one instance in this thread, made when it is needed: it takes 5 MB. Calls leave nothing in it. */
let instance: Instance | undefined;

/** Computes an MD5 of bytes that come in pieces. */
export class Md5 {
  readonly #state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  /** Bytes that do not fill a block yet. */
  readonly #rest = new Uint8Array(BLOCK_BYTES);
  #length = 0;

  update(bytes: Uint8Array): void {
    let offset = 0;
    const filled = this.#length % BLOCK_BYTES;
    this.#length += bytes.length;
    if (filled > 0) {
      offset = Math.min(BLOCK_BYTES - filled, bytes.length);
      this.#rest.set(bytes.subarray(0, offset), filled);
      if (filled + offset < BLOCK_BYTES) return;
      this.#compress(this.#rest);
    }
    const end = bytes.length - (bytes.length - offset) % BLOCK_BYTES;
    for (; offset < end; offset += MAX_BYTES) {
      this.#compress(bytes.subarray(offset, Math.min(offset + MAX_BYTES, end)));
    }
    this.#rest.set(bytes.subarray(end));
  }

  /** Another one that has seen the same bytes. */
  copy(): Md5 {
    const copy = new Md5();
    copy.#state.set(this.#state);
    copy.#rest.set(this.#rest);
    copy.#length = this.#length;
    return copy;
  }

  /** The MD5 of all bytes. Call it once, at the end. */
  digest(): Chunk {
    const length = this.#length;
    const padding = new Uint8Array(
      (length % BLOCK_BYTES < 56 ? 56 : 120) - length % BLOCK_BYTES + 8,
    );
    padding[0] = 0x80;
    new DataView(padding.buffer).setBigUint64(padding.length - 8, BigInt(length) * 8n, true);
    this.update(padding);
    return new Uint8Array(this.#state.buffer);
  }

  /** @param bytes Whole blocks, of {@link MAX_BYTES} at most. */
  #compress(bytes: Uint8Array): void {
    const { blocks, state, area } = instance ??= instantiate();
    state.set(this.#state);
    area.set(bytes);
    blocks(START, START + bytes.length);
    this.#state.set(state);
  }
}

/** The MD5 of bytes in lower-case hex. */
export function md5(bytes: Uint8Array): string {
  const hash = new Md5();
  hash.update(bytes);
  return hash.digest().toHex();
}

function instantiate(): Instance {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(md5Module()));
  const { memory, blocks } = exports;
  if (!(memory instanceof WebAssembly.Memory) || typeof blocks !== "function") {
    throw new TypeError("The module does not export what it should");
  }
  return {
    blocks: (start, end) => blocks(start, end),
    state: new Uint32Array(memory.buffer, 0, 4),
    area: new Uint8Array(memory.buffer, START, MAX_BYTES),
  };
}
