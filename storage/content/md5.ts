import type { Chunk } from "../../core/content.ts";
import { instantiate } from "../../core/wasm_code.ts";
import { areaOf, LANES, md5LanesModule, sineVectors } from "./md5_lanes_module.ts";
import { AREA_BYTES, BLOCK_BYTES, md5Module, START } from "./md5_module.ts";

/** Bytes to add to an MD5. */
export interface Md5Update {
  readonly md5: Md5;
  readonly bytes: Uint8Array;
}

/** A state, and whole blocks to update it with. */
type Blocks = readonly [state: Uint32Array, blocks: Uint8Array];

/** Updates states, each with as many bytes. */
type Compress = (contents: readonly Blocks[], bytes: number) => void;

/** What computes one MD5, and several at a time, in this thread. Made when needed: it takes half a megabyte. */
let single: Compress | undefined;
let several: Compress | undefined;

/** Computes an MD5 of bytes that come in pieces. */
export class Md5 {
  readonly #state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  /** Bytes that do not fill a block yet. */
  readonly #rest = new Uint8Array(BLOCK_BYTES);
  #length = 0;

  /**
   * Adds bytes to the MD5s of different contents. To do so for four at a time takes a third as long as one
   * after the other.
   */
  static updateAll(updates: readonly Md5Update[]): void {
    let rest = updates.map(({ md5, bytes }) => ({ md5, blocks: md5.#fill(bytes) }));
    for (;;) {
      rest = rest.filter(({ blocks }) => blocks.length > 0);
      const batch = rest.slice(0, LANES);
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
function compress(contents: readonly Blocks[], count: number): void {
  if (contents.length > 1) (several ??= compressSeveral())(contents, count);
  else (single ??= compressSingle())(contents, count);
}

function compressSingle(): Compress {
  const { memory, run } = instantiate(md5Module());
  const [words, bytes] = [new Uint32Array(memory), new Uint8Array(memory)];
  return (contents, count) => {
    for (const [state, blocks] of contents) {
      words.set(state);
      bytes.set(blocks, START);
      run(START + count);
      state.set(words.subarray(0, state.length));
    }
  };
}

/** At most {@link LANES} contents at a time. */
function compressSeveral(): Compress {
  const module = md5LanesModule();
  // Very old processors have no vectors.
  if (!WebAssembly.validate(module)) return single ??= compressSingle();
  const { memory, run } = instantiate(module);
  const [words, bytes] = [new Uint32Array(memory), new Uint8Array(memory)];
  const sines = sineVectors();
  words.set(sines.words, sines.position / Uint32Array.BYTES_PER_ELEMENT);
  return (contents, count) => {
    for (const [lane, [state, blocks]] of contents.entries()) {
      for (const [word, value] of state.entries()) words[LANES * word + lane] = value;
      bytes.set(blocks, areaOf(lane));
    }
    run(areaOf(0) + count);
    for (const [lane, [state]] of contents.entries()) {
      for (const word of state.keys()) state[word] = words[LANES * word + lane] ?? 0;
    }
  };
}
