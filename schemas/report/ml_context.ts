import * as v from "valibot";
import { closedObject, listOf, mapOf, openObject } from "./containers.ts";
import { count, flag, fraction, maybeNull, orNull, text } from "./values.ts";

/** SR 2.9. */
export const MLFrameworkInfo = closedObject({
  name: orNull(text),
  version: orNull(text),
  confidence: v.optional(fraction, 0),
  indicators: maybeNull(listOf(text)),
  file_patterns: maybeNull(listOf(text)),
});

/** SR 2.10. */
export const WeightAnalysis = closedObject({
  appears_to_be_weights: v.optional(flag, false),
  weight_confidence: v.optional(fraction, 0),
  pattern_density: v.optional(fraction, 0),
  float_ratio: v.optional(fraction, 0),
  statistical_expectation: v.optional(fraction, 0),
  file_size_factor: v.optional(fraction, 0),
});

/** SR 2.8. */
export const MLContext = openObject({
  /** By name. */
  frameworks: v.optional(mapOf(MLFrameworkInfo), {}),
  overall_confidence: v.optional(fraction, 0),
  is_ml_content: v.optional(flag, false),
  detected_patterns: v.optional(listOf(text), []),
  weight_analysis: orNull(WeightAnalysis),
  /** For example, a family of networks. */
  model_type: orNull(text),
  layer_count_estimate: orNull(count),
  parameter_count_estimate: orNull(count),
  training_framework: orNull(text),
  precision_type: orNull(text),
  optimization_hints: v.optional(listOf(text), []),
});
