import { excerpt } from "../../contract/excerpt.ts";
import type { Checklist, Finding } from "../../contract/checklist.ts";
import type { ScanContext } from "../../contract/scanner.ts";
import { KERAS_CONFIGURATION } from "./checks.ts";
import { isObject } from "../../../../schemas/json.ts";
import { parseLenientJson } from "../../readers/json/parse_lenient_json.ts";
import { type ConfigObject, objectsIn } from "./config_values.ts";
import { checkObject } from "./object_checks.ts";
import type { ConfigOrigin } from "./origin.ts";
import { checkRawText, checkUnparsedText } from "./raw_text.ts";
import { withoutEscapes } from "./text.ts";

/** What a configuration says of its model. */
export interface ConfigFacts {
  readonly modelClass: string | undefined;
  readonly kerasVersion: string | undefined;
  /** How many layers there are of each class. */
  readonly layerCounts: Readonly<Record<string, number>>;
  /** Whether there is an object of Keras in it. */
  readonly isKeras: boolean;
}

/**
 * Checks the text of a configuration of Keras, with all objects that are nested in it, and adds what it
 * finds. A text that is no JSON is searched for words only.
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
    checks.add(KERAS_CONFIGURATION, unparsed(parsed.fault));
    return undefined;
  }
  const facts = factsOf(parsed.value, origin);
  const loading = {
    ...origin,
    kerasVersion: facts.kerasVersion,
    hasUrl: URL_IN_TEXT.test(plain),
    codeFound: new Map(),
  };
  for (const object of objectsIn(parsed.value)) {
    checks.addAll(checkObject(object, loading, context));
  }
  return facts;
}

const URL_IN_TEXT = /\b(?:https?|ftps?|file|gs|s3|hf|data):\/\//i;

function unparsed(fault: "malformed_json" | "json_value_limit"): Finding {
  const isLimit = fault === "json_value_limit";
  return {
    severity: "info",
    message: isLimit
      ? "The configuration has more values than are read of one"
      : "The configuration is no JSON, and was searched for words only",
    ruleCode: "S902",
    incomplete: fault,
    ...(isLimit && { operational: true }),
  };
}

/** Classes that layers are counted by. */
const MAX_CLASSES = 200;

function factsOf(value: unknown, origin: ConfigOrigin): ConfigFacts {
  const layerCounts = new Map<string, number>();
  let isKeras = false;
  let written: string | undefined;
  let modelClass: string | undefined;
  for (const object of objectsIn(value)) {
    isKeras ||= isKerasObject(object);
    if (typeof object.keras_version === "string") written ??= object.keras_version;
    if (!Array.isArray(object.layers)) continue;
    for (const layer of object.layers) countLayer(layer, layerCounts);
  }
  for (const candidate of [value, ...modelsIn(value)]) {
    if (modelClass === undefined && isObject(candidate)) modelClass = classOf(candidate);
  }
  const kerasVersion = origin.kerasVersion ?? (written && excerpt(written));
  return { modelClass, kerasVersion, layerCounts: Object.fromEntries(layerCounts), isKeras };
}

function countLayer(layer: unknown, counts: Map<string, number>): void {
  const name = isObject(layer) ? classOf(layer) : undefined;
  if (name === undefined || (!counts.has(name) && counts.size >= MAX_CLASSES)) return;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** The models in a document that holds more than one, such as those of TensorFlow.js. */
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

/** What is noted of a model of Keras in the metadata of its file (SR 2.5, SR 2.8). */
export function configNotes(facts: ConfigFacts): Record<string, unknown> {
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
      training_framework: "keras",
    },
  };
}
