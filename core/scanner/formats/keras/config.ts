import type { Facts } from "../../../../schemas/facts.ts";
import { excerpt } from "../../contract/excerpt.ts";
import type { Checklist, Finding } from "../../contract/checklist.ts";
import type { ScanContext } from "../../contract/scanner.ts";
import { KERAS_CONFIGURATION } from "./checks.ts";
import { isObject } from "../../../../schemas/json.ts";
import { parseLenientJson } from "../../readers/json/parse_lenient_json.ts";
import { type ConfigObject, type ConfigOrigin, objectsIn } from "./config_values.ts";
import { ObjectChecks } from "./object_checks.ts";
import { checkRawText, checkUnparsedText } from "./raw_text.ts";
import { withoutEscapes } from "./text.ts";

/** What a configuration says about its model. */
export interface ConfigFacts {
  readonly modelClass: string | undefined;
  readonly kerasVersion: string | undefined;
  /** Layers by class. */
  readonly layerCounts: Readonly<Record<string, number>>;
  /** Whether it contains an object of Keras. */
  readonly isKeras: boolean;
}

/**
 * Checks a Keras configuration with all its nested objects, and adds the findings to `checks`. Text that
 * is not JSON is only searched for words.
 *
 * @returns undefined if the text is not JSON.
 */
export function inspectConfig(
  text: string,
  origin: ConfigOrigin,
  checks: Checklist,
  context: ScanContext,
): ConfigFacts | undefined {
  const plain = withoutEscapes(text);
  checks.addAll(checkRawText(plain));
  const parsed = parseLenientJson(text);
  if ("fault" in parsed) {
    checks.addAll(checkUnparsedText(plain));
    checks.add(KERAS_CONFIGURATION, unparsedFinding(parsed.fault));
    return undefined;
  }
  const facts = factsOf(parsed.value, origin);
  const summary = {
    kind: origin.kind,
    kerasVersion: facts.kerasVersion,
    hasUrl: URL_PATTERN.test(plain),
  };
  const objects = new ObjectChecks(summary, checks, context);
  for (const object of objectsIn(parsed.value)) objects.check(object);
  return facts;
}

const URL_PATTERN = /\b(?:https?|ftps?|file|gs|s3|hf|data):\/\//i;

function unparsedFinding(fault: "malformed_json" | "json_value_limit"): Finding {
  const isLimit = fault === "json_value_limit";
  return {
    severity: "info",
    message: isLimit
      ? "The configuration has too many values to read"
      : "The configuration is not valid JSON and was only searched for words",
    ruleCode: "S902",
    incomplete: fault,
    ...(isLimit && { operational: true }),
  };
}

/** Distinct layer classes that are counted. */
const MAX_CLASSES = 200;

function factsOf(value: unknown, origin: ConfigOrigin): ConfigFacts {
  const layerCounts = new Map<string, number>();
  let isKeras = false;
  let ownVersion: string | undefined;
  let modelClass: string | undefined;
  for (const object of objectsIn(value)) {
    isKeras ||= isKerasObject(object);
    if (typeof object.keras_version === "string") ownVersion ??= object.keras_version;
    if (!Array.isArray(object.layers)) continue;
    for (const layer of object.layers) countLayer(layer, layerCounts);
  }
  for (const candidate of [value, ...modelsIn(value)]) {
    if (modelClass === undefined && isObject(candidate)) modelClass = classOf(candidate);
  }
  const kerasVersion = origin.kerasVersion ?? (ownVersion && excerpt(ownVersion));
  return { modelClass, kerasVersion, layerCounts: Object.fromEntries(layerCounts), isKeras };
}

function countLayer(layer: unknown, counts: Map<string, number>): void {
  const name = isObject(layer) ? classOf(layer) : undefined;
  if (name === undefined || (!counts.has(name) && counts.size >= MAX_CLASSES)) return;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** The models nested in a document, such as one of TensorFlow.js. */
function modelsIn(value: unknown): unknown[] {
  if (!isObject(value)) return [];
  const { modelTopology, model_config: model } = value;
  return [model, ...(isObject(modelTopology) ? [modelTopology.model_config, modelTopology] : [])];
}

function isKerasObject(object: ConfigObject): boolean {
  return typeof object.class_name === "string" &&
    ["config", "module", "registered_name"].some((key) => Object.hasOwn(object, key));
}

function classOf(object: ConfigObject): string | undefined {
  return typeof object.class_name === "string" ? excerpt(object.class_name) : undefined;
}

/** What a Keras configuration says of its model (C 29). */
export function configFacts({ modelClass }: ConfigFacts): Facts {
  return { library: "keras", ...modelClass !== undefined && { model_class: modelClass } };
}

/** Metadata of a file with a Keras model (SR 2.5, SR 2.8). */
export function configMetadata(facts: ConfigFacts): Record<string, unknown> {
  const layers = Object.values(facts.layerCounts).reduce((sum, count) => sum + count, 0);
  const version = facts.kerasVersion ?? null;
  return {
    is_model: true,
    model_class: facts.modelClass,
    layer_counts: facts.layerCounts,
    keras_version: facts.kerasVersion,
    ml_context: {
      frameworks: {
        keras: { name: "keras", version, confidence: 1, indicators: ["class_name"] },
      },
      overall_confidence: 1,
      is_ml_content: true,
      model_type: facts.modelClass ?? null,
      layer_count_estimate: layers,
      detected_patterns: layerPatterns(Object.keys(facts.layerCounts)),
      training_framework: "keras",
    },
  };
}

/** Parts of networks, by the classes of layers. */
const PATTERNS: readonly (readonly [string, RegExp])[] = [
  ["attention", /Attention/],
  ["convolution", /Conv/],
  ["embeddings", /Embedding/],
  ["normalization", /Normalization/],
  ["pooling", /Pooling/],
  ["recurrence", /LSTM|GRU|RNN/],
  ["dropout", /Dropout/],
  ["feed forward", /^Dense$/],
];

function layerPatterns(classes: readonly string[]): string[] {
  return PATTERNS.filter(([, pattern]) => classes.some((it) => pattern.test(it)))
    .map(([name]) => name).sort();
}
