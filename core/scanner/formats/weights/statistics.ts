import { MIB } from "../../../../schemas/units.ts";
import type { TensorData } from "./tensor_data.ts";

const BLOCK_BYTES = MIB;

/** Weights are within these magnitudes, or zero: 2^-40 to 2^7. */
const LEAST = 2 ** -40;
const GREATEST = 2 ** 7;

/** Values of tensors, counted in one pass. */
export interface TensorStatistics {
  /** Values that were read. */
  readonly values: number;
  /** Values that are zero, or whose magnitude is that of weights. */
  readonly usual: number;
  /** Values that are infinite or no number. */
  readonly notFinite: number;
  readonly mean: number;
  readonly deviation: number;
}

const NOTHING: TensorStatistics = {
  values: 0,
  usual: 0,
  notFinite: 0,
  mean: 0,
  deviation: 0,
};

/** Reads the values of a tensor in blocks. */
export function statisticsOf({ encoding, source }: TensorData): TensorStatistics {
  if (encoding === undefined) return NOTHING;
  const { stride } = encoding;
  const perBlock = Math.floor(BLOCK_BYTES / stride);
  const total = Math.floor(source.size / stride);
  const numbers = new Float32Array(Math.min(perBlock, total));
  const sums = new Sums();
  for (let done = 0; done < total;) {
    const bytes = source.read(done * stride, Math.min(perBlock, total - done) * stride);
    const count = Math.floor(bytes.length / stride);
    if (count === 0) break;
    encoding.decode(bytes, count, numbers);
    sums.add(numbers, count);
    done += count;
  }
  return sums.statistics;
}

class Sums {
  #values = 0;
  #usual = 0;
  #notFinite = 0;
  #sum = 0;
  #squares = 0;

  add(numbers: Float32Array, count: number): void {
    let [usual, notFinite, sum, squares] = [0, 0, 0, 0];
    for (let index = 0; index < count; index++) {
      const value = numbers[index] ?? 0;
      const magnitude = Math.abs(value);
      // False for NaN and infinity, too.
      if (magnitude <= GREATEST) {
        if (magnitude >= LEAST || magnitude === 0) usual++;
        sum += value;
        squares += value * value;
      } else if (!(magnitude < Infinity)) notFinite++;
    }
    this.#values += count;
    this.#usual += usual;
    this.#notFinite += notFinite;
    this.#sum += sum;
    this.#squares += squares;
  }

  get statistics(): TensorStatistics {
    const counted = Math.max(1, this.#usual);
    const mean = this.#sum / counted;
    const variance = Math.max(0, this.#squares / counted - mean * mean);
    return {
      values: this.#values,
      usual: this.#usual,
      notFinite: this.#notFinite,
      mean,
      deviation: Math.sqrt(variance),
    };
  }
}
