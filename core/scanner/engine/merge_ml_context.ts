import { isObject, type JsonObject, type JsonValue } from "../../../schemas/json.ts";

/** Counts that are added up: the parts of a model are disjoint. */
const SUMS: ReadonlySet<string> = new Set(["parameter_count_estimate", "layer_count_estimate"]);
const LISTS: ReadonlySet<string> = new Set(["detected_patterns", "optimization_hints"]);

/**
 * Merges what two parts of a file say about the model (SR 2.8), such as the members of an archive: counts
 * are added, lists and frameworks joined, the greater confidence and the weights of the first count, and
 * of everything else what is known first, except that the part with more parameters has the precision.
 */
export function mergeMlContexts(first: JsonObject, second: JsonObject): JsonObject {
  const merged: Record<string, JsonValue> = { ...second, ...known(first) };
  for (const name of SUMS) {
    const [a, b] = [first[name], second[name]];
    if (typeof a === "number" && typeof b === "number") merged[name] = a + b;
  }
  for (const name of LISTS) {
    const all = [...listOf(first[name]), ...listOf(second[name])];
    if (all.length > 0) merged[name] = [...new Set(all)];
  }
  if (isObject(first.frameworks) && isObject(second.frameworks)) {
    merged.frameworks = { ...second.frameworks, ...first.frameworks };
  }
  merged.overall_confidence = Math.max(
    numberOf(first.overall_confidence),
    numberOf(second.overall_confidence),
  );
  merged.is_ml_content = first.is_ml_content === true || second.is_ml_content === true;
  const isSecondLarger = numberOf(second.parameter_count_estimate) >
    numberOf(first.parameter_count_estimate);
  if (isSecondLarger && typeof second.precision_type === "string") {
    merged.precision_type = second.precision_type;
  }
  return merged;
}

function known(context: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(context).filter(([, value]) => value !== null));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}
