import type { Facts } from "../../schemas/facts.ts";
import { parentOf } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import { mergeFacts } from "../../schemas/merge_facts.ts";

/** A file with what it says of itself. */
export interface FileFacts {
  readonly file: ResourceRecord;
  readonly facts: Facts;
}

/** Files that say something of a whole directory, first those that people write. */
const ABOUT_ALL = [
  "readme.md",
  "config.json",
  "model_index.json",
  "adapter_config.json",
  "tokenizer_config.json",
  "tokenizer.json",
];

/** Formats of weights, first those that loaders prefer. */
const PREFERRED = ["safetensors", "pytorch", "gguf"];

/** The part of a name that says which of the files of one model it is. */
const PART = /[-.]\d{5}-of-\d{5}(?=\.|$)/;

/**
 * The facts of files put together (C 29). Directories often have the same weights several times, in other formats or
 * other types. So tensors are counted in those files alone that are the parts of one model: of the one with the
 * most parameters, and of several such, the one in the format that loaders prefer.
 */
export function factsTogether(files: readonly FileFacts[]): Facts {
  const [only] = files;
  if (only !== undefined && files.length === 1) return only.facts;
  const models = Map.groupBy(modelsIn(files), ({ directory }) => directory);
  const main = [...models.values()].map(largest);
  const weights = main.map(({ facts }) => facts).reduce(mergeFacts, {});
  const top = files.reduce((least, { file }) => Math.min(least, depthOf(file)), Infinity);
  const named = files.filter((it) => rankOf(it) < ABOUT_ALL.length && depthOf(it.file) === top)
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  const about = named.map(({ facts }) => facts).reduce(mergeFacts, {});
  const all = mergeFacts(withoutTensors(about), weights);
  const quantizations = quantizationsIn([...models.values()].flat(), all);
  return quantizations === "" ? all : { ...all, quantization: quantizations };
}

/** The parts of one model, as one. */
interface Model {
  readonly directory: string;
  readonly facts: Facts;
}

function modelsIn(files: readonly FileFacts[]): Model[] {
  const weights = files.filter(({ facts }) => facts.format !== undefined);
  const parts = Map.groupBy(
    weights,
    ({ file, facts }) => `${facts.format} ${file.path.replace(PART, "")}`,
  );
  return parts.values().map((some) => ({
    directory: parentOf(some[0]?.file.path ?? ""),
    facts: some.map(({ facts }) => facts).reduce(mergeFacts),
  })).toArray();
}

function largest(models: readonly Model[]): Model {
  return models.reduce((best, it) => {
    const more = (it.facts.parameters ?? 0) - (best.facts.parameters ?? 0);
    return more > 0 || more === 0 && preference(it) < preference(best) ? it : best;
  });
}

function preference({ facts: { format = "" } }: Model): number {
  const index = PREFERRED.indexOf(format);
  return index < 0 ? PREFERRED.length : index;
}

function rankOf({ file: { name } }: FileFacts): number {
  const rank = ABOUT_ALL.indexOf(name.toLowerCase());
  return rank < 0 ? ABOUT_ALL.length : rank;
}

function depthOf({ path }: ResourceRecord): number {
  return path.split("/").length;
}

/** Those of all models in the same format. */
function quantizationsIn(models: readonly Model[], { format, quantization }: Facts): string {
  const all = models.filter((it) => it.facts.format === format)
    .flatMap(({ facts }) => facts.quantization ?? []);
  return [...new Set([...quantization === undefined ? [] : [quantization], ...all])].join(", ");
}

function withoutTensors(facts: Facts): Facts {
  const { tensors: _, tensor_bytes: __, parameters: ___, dtypes: ____, ...others } = facts;
  return others;
}
