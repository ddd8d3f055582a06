import { statisticsOf, type TensorStatistics } from "./statistics.ts";
import type { TensorData } from "./tensor_data.ts";

/** The fields of `weight_analysis` (SR 2.10). */
export type WeightAnalysis = Readonly<Record<string, number | boolean>>;

/** From this confidence on, the tensors appear to be weights. */
const MIN_CONFIDENCE = 0.6;

/** How much each field counts for the confidence. */
const SHARES = { statistics: 0.4, density: 0.3, floats: 0.2, size: 0.1 } as const;

/** A mean of at most this many deviations is that of weights; beyond the second number, it is not. */
const USUAL_MEAN = 1;
const MAX_MEAN = 4;

/** Analyzes the tensors of a file, one after another. */
export class WeightAnalyzer {
  /** Values that are infinite or no number. */
  notFinite = 0;
  /** Values that were read. */
  values = 0;
  readonly #fileBytes: number;
  #bytes = 0;
  #elements = 0;
  #floats = 0;
  #usual = 0;
  #expected = 0;

  /** @param fileBytes The size of the file. */
  constructor(fileBytes: number) {
    this.#fileBytes = fileBytes;
  }

  add(tensor: TensorData): void {
    const statistics = statisticsOf(tensor);
    this.#bytes += tensor.source.size;
    this.#elements += tensor.elements;
    if (tensor.encoding !== undefined) this.#floats += tensor.elements;
    this.values += statistics.values;
    this.notFinite += statistics.notFinite;
    this.#usual += statistics.usual;
    this.#expected += expectationOf(statistics) * statistics.values;
  }

  get analysis(): WeightAnalysis {
    const floats = ratio(this.#floats, this.#elements);
    const density = ratio(this.#usual, this.values);
    const statistics = ratio(this.#expected, this.values);
    const size = ratio(this.#bytes, this.#fileBytes);
    const confidence = this.values === 0 ? 0 : SHARES.statistics * statistics +
      SHARES.density * density + SHARES.floats * floats + SHARES.size * size;
    return {
      appears_to_be_weights: confidence >= MIN_CONFIDENCE,
      weight_confidence: rounded(confidence),
      pattern_density: rounded(density),
      float_ratio: rounded(floats),
      statistical_expectation: rounded(statistics),
      file_size_factor: rounded(size),
    };
  }
}

/**
 * How much the values of a tensor are distributed like weights, from 0 to 1: they vary, around a mean
 * that is small beside their deviation, and nearly all have the magnitude of weights.
 */
function expectationOf({ values, usual, mean, deviation }: TensorStatistics): number {
  if (values === 0) return 0;
  if (deviation === 0) return mean === 0 ? 0 : 0.5;
  const distance = Math.abs(mean) / deviation;
  const centered = (MAX_MEAN - distance) / (MAX_MEAN - USUAL_MEAN);
  return usual / values * Math.min(1, Math.max(0, centered));
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(1, part / whole);
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
