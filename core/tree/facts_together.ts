import type { Facts } from "../../schemas/facts.ts";
import { mergeFacts, withinLimits } from "../../schemas/merge_facts.ts";
import { isTurnOver, takeTurn } from "../event_loop.ts";
import { parentOf } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";

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

/** The parts of one model, as one. */
interface Model {
  readonly directory: string;
  readonly facts: Facts;
  /** That of its facts as JSON, and of its path. */
  readonly length: number;
}

/**
 * Puts the facts of files together, one file after the other, and keeps those of models alone (C 29). Directories
 * often have the same weights several times, in other formats or other types. So tensors are counted in those files
 * alone that are the parts of one model: of the one with the most parameters, and of several such, the one in the
 * format that loaders prefer.
 */
export class FactsTogether {
  #first: Facts | undefined;
  #files = 0;
  #length = 0;
  #top = Infinity;
  /** By ranks. */
  readonly #about = new Map<number, Facts>();
  readonly #models = new Map<string, Model>();

  get files(): number {
    return this.#files;
  }

  /** How long all is that is kept, in characters of JSON. */
  get length(): number {
    return this.#length;
  }

  add({ file, facts }: FileFacts): void {
    this.#files++;
    this.#first ??= facts;
    this.#addAbout(file, facts);
    if (facts.format !== undefined) this.#addWeights(file, facts);
  }

  /** What is said of the whole directory, by files that are directly in it. */
  #addAbout({ name, path }: ResourceRecord, facts: Facts): void {
    const depth = path.split("/").length;
    if (depth < this.#top) this.#about.clear();
    this.#top = Math.min(depth, this.#top);
    const rank = ABOUT_ALL.indexOf(name.toLowerCase());
    if (depth > this.#top || rank < 0) return;
    this.#about.set(rank, mergeFacts(this.#about.get(rank) ?? {}, facts));
  }

  #addWeights({ path }: ResourceRecord, facts: Facts): void {
    const key = `${facts.format} ${path.replace(PART, "")}`;
    const former = this.#models.get(key);
    const merged = former === undefined ? facts : mergeFacts(former.facts, facts);
    const length = key.length + JSON.stringify(merged).length;
    this.#models.set(key, { directory: parentOf(path), facts: merged, length });
    this.#length += length - (former?.length ?? 0);
  }

  /** The facts of all files that were added. */
  async facts(): Promise<Facts> {
    if (this.#first !== undefined && this.#files === 1) return this.#first;
    const models = [...this.#models.values()];
    let weights: Facts = {};
    for (const some of Map.groupBy(models, ({ directory }) => directory).values()) {
      if (isTurnOver()) await takeTurn();
      weights = mergeFacts(weights, largest(some).facts);
    }
    const about = ABOUT_ALL.map((_, rank) => this.#about.get(rank) ?? {}).reduce(mergeFacts);
    const all = mergeFacts(withoutTensors(about), weights);
    return withinLimits({ ...all, quantization: quantizationsIn(models, all) });
  }
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
