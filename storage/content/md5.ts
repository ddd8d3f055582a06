import type { Chunk } from "../../core/content.ts";
import { AREA_BYTES, areaOf, MAX_CONTENTS, md5Module } from "./md5_module.ts";

const BLOCK_BYTES = 64;

/** Bytes to add to an MD5. */
export interface Md5Update {
  readonly md5: Md5;
  readonly bytes: Uint8Array;
}

/** The module with its memory. */
interface Instance {
  /** Updates the states of so many contents with so many bytes of each. */
  readonly update: (contents: number, bytes: number) => void;
  /** Its memory, as words and as bytes. */
  readonly states: Uint32Array;
  readonly areas: Uint8Array;
}

/** The one instance in this thread, made when it is needed: it takes 5 MB. Calls leave nothing in it. */
let instance: Instance | undefined;

/** Computes an MD5 of bytes that come in pieces. */
export class Md5 {
  readonly #state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  /** Bytes that do not fill a block yet. */
  readonly #rest = new Uint8Array(BLOCK_BYTES);
  #length = 0;

  /**
   * Adds bytes to the MD5s of different contents. To do so for three at a time takes less than half as long
   * as one after the other.
   */
  static updateAll(updates: readonly Md5Update[]): void {
    let rest = updates.map(({ md5, bytes }) => ({ md5, blocks: md5.#fill(bytes) }));
    for (;;) {
      rest = rest.filter(({ blocks }) => blocks.length > 0);
      const batch = rest.slice(0, MAX_CONTENTS);
      if (batch.length === 0) return;
      const count = Math.min(AREA_BYTES, ...batch.map(({ blocks }) => blocks.length));
      compress(batch.map(({ md5, blocks }) => [md5.#state, blocks.subarray(0, count)]), count);
      for (const it of batch) it.blocks = it.blocks.subarray(count);
    }
  }

  update(bytes: Uint8Array): void {
    Md5.updateAll([{ md5: this, bytes }]);
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

  /** Completes a block that was begun, and keeps what does not fill one. Returns the blocks between. */
  #fill(bytes: Uint8Array): Uint8Array {
    const filled = this.#length % BLOCK_BYTES;
    this.#length += bytes.length;
    let start = 0;
    if (filled > 0) {
      start = Math.min(BLOCK_BYTES - filled, bytes.length);
      this.#rest.set(bytes.subarray(0, start), filled);
      if (filled + start < BLOCK_BYTES) return new Uint8Array();
      compress([[this.#state, this.#rest]], BLOCK_BYTES);
    }
    const end = bytes.length - this.#length % BLOCK_BYTES;
    this.#rest.set(bytes.subarray(end));
    return bytes.subarray(start, end);
  }
}

/** The MD5 of bytes in lower-case hex. */
export function md5(bytes: Uint8Array): string {
  const hash = new Md5();
  hash.update(bytes);
  return hash.digest().toHex();
}

/** Updates states, each with `count` bytes of whole blocks, {@link AREA_BYTES} at most. */
function compress(contents: readonly (readonly [Uint32Array, Uint8Array])[], count: number): void {
  const { states, areas, update } = instance ??= instantiate();
  for (const [index, [state, bytes]] of contents.entries()) {
    states.set(state, index * state.length);
    areas.set(bytes, areaOf(index));
  }
  update(contents.length, count);
  for (const [index, [state]] of contents.entries()) {
    state.set(states.subarray(index * state.length, (index + 1) * state.length));
  }
}

function instantiate(): Instance {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(md5Module()));
  const { memory } = exports;
  if (!(memory instanceof WebAssembly.Memory)) throw new TypeError("The module has no memory");
  const functions = Array.from({ length: MAX_CONTENTS }, (_, index) => {
    const blocks = exports[`blocks${index + 1}`];
    if (typeof blocks === "function") return (end: number) => blocks(end);
    throw new TypeError(`The module has no function for ${index + 1} contents`);
  });
  return {
    update: (contents, bytes) => functions[contents - 1]?.(areaOf(0) + bytes),
    states: new Uint32Array(memory.buffer),
    areas: new Uint8Array(memory.buffer),
  };
}
