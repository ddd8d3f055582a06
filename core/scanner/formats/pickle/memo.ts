import { type Bytes, bytesAt, type PickleValue, type Text, textAt } from "./values.ts";

/** How short constants are packed: offset, length and kind in one number below 2^53. */
const KINDS = ["utf8", "latin1", "string_escape", "unicode_escape", "bytes"] as const;
const KIND_VALUES = 8;
const LENGTH_VALUES = 4096;
const MAX_PACKED_OFFSET = 2 ** 37;

const INITIAL_CAPACITY = 64;
const SLOT_BYTES = 8;
/** What another value takes in the list of values, one at a distant index, and an unpacked constant. */
const VALUE_BYTES = 24;
const DISTANT_BYTES = 56;
const UNPACKED_BYTES = 128;

/**
 * The memo of an unpickler. Picklers store every string there, millions of them: a string shorter than
 * 4 KiB takes 8 bytes, until it is needed.
 */
export class Memo {
  readonly #charge: (bytes: number) => void;
  /** By index: 0 for no entry, a packed constant, or -1 - the place of another value in the list. */
  #slots = new Float64Array(INITIAL_CAPACITY);
  readonly #values: PickleValue[] = [];
  /** Entries at indexes far beyond their number, which picklers do not use. */
  readonly #distant = new Map<number, PickleValue>();
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
    if (this.#distant.has(index) || index >= 2 * this.#size + INITIAL_CAPACITY) {
      return this.#setDistant(index, value);
    }
    this.#makeRoom(index);
    const slot = this.#slots[index] ?? 0;
    if (slot === 0) this.#size++;
    const packed = packedOf(value);
    if (packed > 0) this.#slots[index] = packed;
    else if (slot < 0) this.#values[-1 - slot] = value;
    else this.#addValue(index, value, VALUE_BYTES);
  }

  get(index: number): PickleValue | undefined {
    const slot = this.#slots[index] ?? 0;
    if (slot < 0) return this.#values[-1 - slot];
    if (slot === 0) return this.#distant.get(index);
    const value = unpacked(slot);
    // What is read once is often read many times, and then kept many times.
    this.#addValue(index, value, VALUE_BYTES + UNPACKED_BYTES);
    return value;
  }

  #addValue(index: number, value: PickleValue, bytes: number): void {
    this.#slots[index] = -this.#values.push(value);
    this.#charge(bytes);
  }

  #setDistant(index: number, value: PickleValue): void {
    if (!this.#distant.has(index)) this.#size++;
    this.#distant.set(index, value);
    this.#charge(DISTANT_BYTES);
  }

  #makeRoom(index: number): void {
    if (index < this.#slots.length) return;
    const larger = new Float64Array(2 * (index + 1));
    this.#charge((larger.length - this.#slots.length) * SLOT_BYTES);
    larger.set(this.#slots);
    this.#slots = larger;
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
