import type { Facts } from "../../../schemas/facts.ts";
import { isObject, type JsonObject } from "../../../schemas/json.ts";
import { mergeFacts, withinLimits } from "../../../schemas/merge_facts.ts";

/** What formats are called, where their scanners are not named after them. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["pytorch_zip", "pytorch"],
  ["saved_model", "tensorflow"],
  ["flax_msgpack", "flax"],
]);

/** Puts together what scanners say of a file and its members (C 29). */
export class FactsCollector {
  #own: Facts = {};
  #ofMembers: Facts = {};

  add(facts: Facts): void {
    this.#own = mergeFacts(this.#own, withinLimits(facts));
  }

  addOfMember(facts: Facts): void {
    this.#ofMembers = mergeFacts(this.#ofMembers, withinLimits(facts));
  }

  /** What has tensors of its own is no archive: what else is found in it says nothing of the model. */
  get #facts(): Facts {
    return this.#own.tensors === undefined ? mergeFacts(this.#own, this.#ofMembers) : this.#own;
  }

  /**
   * The facts; undefined if there are none. What no scanner says in so many words is taken from the metadata.
   *
   * @param scanner The first one that read the file.
   * @param metadata That of the file (SR 2.5).
   */
  with(scanner: string, metadata: JsonObject): Facts | undefined {
    const isModel = metadata.is_model === true;
    const found = this.#facts;
    if (!isModel && Object.keys(found).length === 0) return undefined;
    const facts = isModel ? { format: FORMATS.get(scanner) ?? scanner, ...found } : found;
    return { ...withinLimits(factsOf(metadata.ml_context, facts.format)), ...facts };
  }
}

/** What `ml_context` says (SR 2.8). */
function factsOf(context: JsonObject[string] | undefined, format = ""): Facts {
  if (!isObject(context)) return {};
  const { parameter_count_estimate: parameters, model_type: architecture } = context;
  const { training_framework: library, frameworks } = context;
  const framework = isObject(frameworks) ? frameworks[format] : undefined;
  const version = isObject(framework) ? framework.version : undefined;
  return {
    ...typeof library === "string" && { library },
    ...typeof version === "string" && { format_version: version },
    ...typeof parameters === "number" && { parameters },
    ...typeof architecture === "string" && { architecture },
  };
}
