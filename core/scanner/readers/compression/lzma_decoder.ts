import { DamagedData, type OutputBuffer } from "./output_buffer.ts";

const PROBABILITY_BITS = 11;
const HALF = 1 << (PROBABILITY_BITS - 1);
const MOVE_BITS = 5;
const MIN_RANGE = 2 ** 24;

const STATES = 12;
const FIRST_STATE_AFTER_MATCH = 7;
const MAX_POSITION_STATES = 16;
const MIN_MATCH = 2;
/** The length states, slots and alignment of distances (LZMA specification). */
const LENGTH_STATES = 4;
const SLOT_BITS = 6;
const END_POSITION_MODEL = 14;
const FULL_DISTANCES = 1 << (END_POSITION_MODEL >> 1);
const ALIGN_BITS = 4;
const END_OF_STREAM = 0xffff_ffff;

/** Probabilities of one kind of length. */
class LengthModel {
  readonly choice = probabilities(2);
  readonly low = probabilities(MAX_POSITION_STATES << 3);
  readonly middle = probabilities(MAX_POSITION_STATES << 3);
  readonly high = probabilities(256);

  reset(): void {
    for (const model of [this.choice, this.low, this.middle, this.high]) model.fill(HALF);
  }
}

function probabilities(count: number): Uint16Array<ArrayBuffer> {
  return new Uint16Array(count).fill(HALF);
}

/**
 * Decodes LZMA into a buffer, which serves as the dictionary: a file that declares a large dictionary
 * takes no more memory than what it unpacks to.
 */
export class LzmaDecoder {
  readonly #output: OutputBuffer;
  /** Where the dictionary begins in the output. */
  #start: number;
  #literalContextBits = 0;
  #literalMask = 0;
  #positionMask = 0;
  #literals = probabilities(0);
  readonly #isMatch = probabilities(STATES << 4);
  readonly #isRep = probabilities(STATES);
  readonly #isRep0 = probabilities(STATES);
  readonly #isRep1 = probabilities(STATES);
  readonly #isRep2 = probabilities(STATES);
  readonly #isRep0Long = probabilities(STATES << 4);
  readonly #slots = probabilities(LENGTH_STATES << SLOT_BITS);
  readonly #special = probabilities(1 + FULL_DISTANCES - END_POSITION_MODEL);
  readonly #align = probabilities(1 << ALIGN_BITS);
  readonly #matchLength = new LengthModel();
  readonly #repLength = new LengthModel();
  #state = 0;
  #reps: [number, number, number, number] = [0, 0, 0, 0];
  #input: Uint8Array = new Uint8Array();
  #range = 0;
  #code = 0;
  /** Offset of the next byte of the input. */
  at = 0;

  constructor(output: OutputBuffer) {
    this.#output = output;
    this.#start = output.length;
  }

  /** Forgets the output so far. */
  resetDictionary(): void {
    this.#start = this.#output.length;
  }

  /**
   * Sets the properties lc, lp and pb, and resets the state.
   *
   * @throws {DamagedData} when they are invalid.
   */
  setProperties(byte: number): void {
    const literalPositionBits = Math.floor(byte / 9) % 5;
    const positionBits = Math.floor(byte / 45);
    if (positionBits > 4) throw new DamagedData("Invalid properties of LZMA");
    this.#literalContextBits = byte % 9;
    this.#literalMask = (1 << literalPositionBits) - 1;
    this.#positionMask = (1 << positionBits) - 1;
    this.#literals = probabilities(0x300 << (this.#literalContextBits + literalPositionBits));
    this.resetState();
  }

  resetState(): void {
    this.#state = 0;
    this.#reps = [0, 0, 0, 0];
    for (
      const model of [
        this.#literals,
        this.#isMatch,
        this.#isRep,
        this.#isRep0,
        this.#isRep1,
        this.#isRep2,
        this.#isRep0Long,
        this.#slots,
        this.#special,
        this.#align,
      ]
    ) model.fill(HALF);
    this.#matchLength.reset();
    this.#repLength.reset();
  }

  /**
   * Decodes `size` bytes, or up to the mark of the end if the size is undefined. `at` is then the offset
   * after what was read.
   *
   * @throws {DamagedData} when the data is malformed or cut off.
   * @throws {OutputFull} when the output is.
   */
  decode(input: Uint8Array, from: number, size: number | undefined): void {
    this.#input = input;
    this.at = from + 5;
    this.#range = 0xffff_ffff;
    this.#code = 0;
    for (let i = 1; i < 5; i++) this.#code = (this.#code * 256 + (input[from + i] ?? 0)) >>> 0;
    const output = this.#output;
    const end = size === undefined ? Infinity : output.length + size;
    while (output.length < end) {
      if (this.at > input.length + 4) throw new DamagedData("The data is cut off");
      if (!this.#step(end)) break;
    }
    if (size !== undefined && output.length < end) throw new DamagedData("The data is too short");
    if (this.at > input.length) throw new DamagedData("The data is cut off");
  }

  /** Decodes a literal or a match. Returns false at the mark of the end. */
  #step(end: number): boolean {
    const output = this.#output;
    const position = (output.length - this.#start) & this.#positionMask;
    const index = (this.#state << 4) + position;
    if (this.#bit(this.#isMatch, index) === 0) {
      this.#literal();
      return true;
    }
    let length: number;
    if (this.#bit(this.#isRep, this.#state) !== 0) {
      if (output.length === this.#start) throw new DamagedData("A match before any data");
      if (this.#repeated(index)) return true;
      length = this.#length(this.#repLength, position);
      this.#state = this.#state < FIRST_STATE_AFTER_MATCH ? 8 : 11;
    } else {
      length = this.#length(this.#matchLength, position);
      this.#state = this.#state < FIRST_STATE_AFTER_MATCH ? 7 : 10;
      const distance = this.#distance(length);
      if (distance === END_OF_STREAM) return false;
      const [first, second, third] = this.#reps;
      this.#reps = [distance, first, second, third];
    }
    this.#copy(Math.min(length + MIN_MATCH, end - output.length));
    return true;
  }

  /** Chooses one of the last distances. Returns whether that was a match of one byte. */
  #repeated(index: number): boolean {
    const [first, second, third, fourth] = this.#reps;
    if (this.#bit(this.#isRep0, this.#state) === 0) {
      if (this.#bit(this.#isRep0Long, index) !== 0) return false;
      this.#state = this.#state < FIRST_STATE_AFTER_MATCH ? 9 : 11;
      this.#copy(1);
      return true;
    }
    if (this.#bit(this.#isRep1, this.#state) === 0) this.#reps = [second, first, third, fourth];
    else if (this.#bit(this.#isRep2, this.#state) === 0) {
      this.#reps = [third, first, second, fourth];
    } else this.#reps = [fourth, first, second, third];
    return false;
  }

  #copy(count: number): void {
    const output = this.#output;
    const distance = this.#reps[0] + 1;
    if (distance > output.length - this.#start) {
      throw new DamagedData("A match reaches before the start");
    }
    output.reserve(count);
    output.repeat(distance, count);
  }

  #literal(): void {
    const output = this.#output;
    const length = output.length - this.#start;
    const before = length > 0 ? output.bytes[output.length - 1] ?? 0 : 0;
    const context = ((length & this.#literalMask) << this.#literalContextBits) +
      (before >> (8 - this.#literalContextBits));
    const base = 0x300 * context;
    let symbol = 1;
    if (this.#state >= FIRST_STATE_AFTER_MATCH) {
      let match = output.bytes[output.length - this.#reps[0] - 1] ?? 0;
      while (symbol < 0x100) {
        const matchBit = (match >> 7) & 1;
        match <<= 1;
        const bit = this.#bit(this.#literals, base + ((1 + matchBit) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (matchBit !== bit) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literals, base + symbol);
    output.reserve(1);
    output.bytes[output.length++] = symbol & 0xff;
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  #length(model: LengthModel, position: number): number {
    if (this.#bit(model.choice, 0) === 0) return this.#tree(model.low, position << 3, 3);
    if (this.#bit(model.choice, 1) === 0) return 8 + this.#tree(model.middle, position << 3, 3);
    return 16 + this.#tree(model.high, 0, 8);
  }

  #distance(length: number): number {
    const state = Math.min(length, LENGTH_STATES - 1);
    const slot = this.#tree(this.#slots, state << SLOT_BITS, SLOT_BITS);
    if (slot < 4) return slot;
    const directBits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** directBits;
    if (slot < END_POSITION_MODEL) {
      return base + this.#reverseTree(this.#special, base - slot, directBits);
    }
    return base + this.#direct(directBits - ALIGN_BITS) * 2 ** ALIGN_BITS +
      this.#reverseTree(this.#align, 0, ALIGN_BITS);
  }

  #tree(model: Uint16Array, base: number, bits: number): number {
    let symbol = 1;
    for (let i = 0; i < bits; i++) symbol = (symbol << 1) | this.#bit(model, base + symbol);
    return symbol - (1 << bits);
  }

  #reverseTree(model: Uint16Array, base: number, bits: number): number {
    let index = 1;
    let value = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.#bit(model, base + index);
      index = (index << 1) | bit;
      value |= bit << i;
    }
    return value;
  }

  #direct(bits: number): number {
    let value = 0;
    for (let i = 0; i < bits; i++) {
      this.#range = this.#range >>> 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit !== 0) this.#code -= this.#range;
      value = value * 2 + bit;
      this.#normalize();
    }
    return value;
  }

  #bit(model: Uint16Array, index: number): 0 | 1 {
    const probability = model[index] ?? HALF;
    const bound = (this.#range >>> PROBABILITY_BITS) * probability;
    if (this.#code < bound) {
      this.#range = bound;
      model[index] = probability + (((1 << PROBABILITY_BITS) - probability) >> MOVE_BITS);
      this.#normalize();
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    model[index] = probability - (probability >> MOVE_BITS);
    this.#normalize();
    return 1;
  }

  #normalize(): void {
    if (this.#range >= MIN_RANGE) return;
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | (this.#input[this.at++] ?? 0)) >>> 0;
  }
}
