import { type Bytes, bytesAt, type PickleValue, type Text, textAt } from "./values.ts";

/** How short constants are packed: offset, length and kind in one number below 2^53. */
const KINDS = ["utf8", "latin1", "string_escape", "unicode_escape", "bytes"] as const;
const KIND_VALUES = 8;
const LENGTH_VALUES = 4096;
const MAX_PACKED_OFFSET = 2 ** 37;

const INITIAL_CAPACITY = 64;
const SLOT_BYTES = 8;
/** What an entry takes that is not packed, and a constant that was unpacked. */
const ENTRY_BYTES = 56;
const UNPACKED_BYTES = 128;

/**
 * The memo of an unpickler. Picklers store every string there, millions of them: a string shorter than
 * 4 KiB takes 8 bytes, until it is needed.
 */
export class Memo {
  readonly #charge: (bytes: number) => void;
  /** Packed constants by index; 0 where there is none. */
  #packed = new Float64Array(INITIAL_CAPACITY);
  /** All other entries. */
  readonly #values = new Map<number, PickleValue>();
  #size = 0;

  /** @param charge Called with the bytes of memory that the memo takes. */
  constructor(charge: (bytes: number) => void) {
    this.#charge = charge;
  }

  /** Number of entries. */
  get size(): number {
    return this.#size;
  }

  set(index: number, value: PickleValue): void {
    const packed = index < 2 * this.#size + INITIAL_CAPACITY ? packedOf(value) : 0;
    const hasPacked = (this.#packed[index] ?? 0) > 0;
    if (!hasPacked && !this.#values.has(index)) this.#size++;
    if (packed > 0) {
      this.#makeRoom(index);
      this.#packed[index] = packed;
      this.#values.delete(index);
    } else {
      if (hasPacked) this.#packed[index] = 0;
      this.#addValue(index, value, ENTRY_BYTES);
    }
  }

  get(index: number): PickleValue | undefined {
    const packed = this.#packed[index] ?? 0;
    if (packed === 0) return this.#values.get(index);
    const value = unpacked(packed);
    // What is read once is often read many times, and then kept many times.
    this.#packed[index] = 0;
    this.#addValue(index, value, ENTRY_BYTES + UNPACKED_BYTES);
    return value;
  }

  #addValue(index: number, value: PickleValue, bytes: number): void {
    this.#values.set(index, value);
    this.#charge(bytes);
  }

  #makeRoom(index: number): void {
    if (index < this.#packed.length) return;
    const larger = new Float64Array(2 * (index + 1));
    this.#charge((larger.length - this.#packed.length) * SLOT_BYTES);
    larger.set(this.#packed);
    this.#packed = larger;
  }
}

/** The number for a short constant; 0 for any other value. */
function packedOf(value: PickleValue): number {
  if (value.kind !== "text" && value.kind !== "bytes") return 0;
  const { from, length } = value;
  if (length >= LENGTH_VALUES || from >= MAX_PACKED_OFFSET) return 0;
  const kind = value.kind === "bytes" ? "bytes" : value.codec;
  return (from * LENGTH_VALUES + length) * KIND_VALUES + KINDS.indexOf(kind) + 1;
}

function unpacked(packed: number): Text | Bytes {
  const kind = KINDS[packed % KIND_VALUES - 1] ?? "bytes";
  const place = Math.floor(packed / KIND_VALUES);
  const length = place % LENGTH_VALUES;
  const from = Math.floor(place / LENGTH_VALUES);
  return kind === "bytes" ? bytesAt(from, length) : textAt(kind, from, length);
}
