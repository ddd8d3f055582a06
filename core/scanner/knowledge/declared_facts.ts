import { MAX_FACT_ITEMS } from "../../../schemas/fact_limits.ts";
import type { Facts } from "../../../schemas/facts.ts";
import type { DocumentEntry } from "../readers/document_event.ts";
import { licensesOfExpression } from "./licenses/recognize.ts";
import { redactedExcerpt } from "./secrets/redacted_excerpt.ts";

/** A fact that consists of one text. */
type TextFact = {
  [Name in keyof Facts]-?: NonNullable<Facts[Name]> extends string ? Name : never;
}[keyof Facts];
/** A fact that is a list. */
type ListFact = {
  [Name in keyof Facts]-?: NonNullable<Facts[Name]> extends readonly string[] ? Name : never;
}[keyof Facts];

/** Which values of a document say what. Of several keys, the first in the list that has a value counts. */
interface Declarations {
  readonly texts?: Partial<Record<TextFact, readonly string[]>>;
  readonly lists?: Partial<Record<ListFact, readonly string[]>>;
  readonly contextLength?: readonly string[];
  /** The library that writes such a document, by a key that it alone has. */
  readonly libraries?: Readonly<Record<string, string>>;
}

/** Configurations of libraries, by their file names. */
const CONFIGURATIONS: Readonly<Record<string, Declarations>> = {
  "config.json": {
    texts: {
      architecture: ["model_type", "architecture"],
      model_class: ["architectures", "_class_name"],
      quantization: ["quantization_config.quant_method", "compression_config.quant_method"],
      library: ["library_name"],
    },
    contextLength: [
      "max_position_embeddings",
      "n_positions",
      "max_seq_len",
      "max_sequence_length",
      "seq_length",
      "n_ctx",
      "text_config.max_position_embeddings",
    ],
    libraries: { transformers_version: "transformers", _diffusers_version: "diffusers" },
  },
  "model_index.json": {
    texts: { model_class: ["_class_name"] },
    libraries: { _diffusers_version: "diffusers" },
  },
  "adapter_config.json": {
    texts: { task: ["task_type"], architecture: ["peft_type"] },
    lists: { base_models: ["base_model_name_or_path"] },
    libraries: { peft_type: "peft" },
  },
  "tokenizer_config.json": { texts: { tokenizer: ["tokenizer_class"] } },
  "tokenizer.json": { texts: { tokenizer: ["model.type"] } },
};

/** The front matter of a card. */
const CARD: Declarations = {
  texts: {
    license: ["license_name", "license"],
    library: ["library_name"],
    task: ["pipeline_tag", "task_categories"],
    title: ["pretty_name", "model_name"],
  },
  lists: {
    languages: ["language", "languages"],
    base_models: ["base_model"],
    datasets: ["datasets"],
    tags: ["tags"],
  },
};

/** A license as an author names it, by its SPDX identifier, as well. */
export function licenseFacts(license: string): Facts {
  const [found, ...others] = licensesOfExpression(license, "metadata");
  const id = others.length === 0 ? found?.license.spdxId : undefined;
  return { license, ...id != null && { spdx_license: id } };
}

/** Collects what a document declares (C 29). */
export class DeclaredFacts {
  readonly #declarations: Declarations;
  /** The values of the keys that count. */
  readonly #found = new Map<string, (string | number)[]>();
  readonly #wanted: ReadonlySet<string>;

  private constructor(declarations: Declarations) {
    this.#declarations = declarations;
    const { texts = {}, lists = {}, contextLength = [], libraries = {} } = declarations;
    this.#wanted = new Set([
      ...Object.values(texts).flat(),
      ...Object.values(lists).flat(),
      ...contextLength,
      ...Object.keys(libraries),
    ]);
  }

  /** Those of a configuration; undefined if files of this name declare nothing. */
  static ofFile(name: string): DeclaredFacts | undefined {
    return Object.hasOwn(CONFIGURATIONS, name)
      ? new DeclaredFacts(CONFIGURATIONS[name] ?? {})
      : undefined;
  }

  /** Those of the front matter of a card. */
  static ofCard(): DeclaredFacts {
    return new DeclaredFacts(CARD);
  }

  take({ kind, path, value }: DocumentEntry): void {
    if (kind !== "value" || path.length > 2) return;
    if (typeof value !== "string" && typeof value !== "number") return;
    const key = path.join(".");
    if (!this.#wanted.has(key)) return;
    const values = this.#found.get(key) ?? [];
    if (values.length < MAX_FACT_ITEMS) {
      values.push(typeof value === "string" ? redactedExcerpt(value) : value);
    }
    this.#found.set(key, values);
  }

  /** What was found. */
  get facts(): Facts {
    const { texts = {}, lists = {}, contextLength = [], libraries = {} } = this.#declarations;
    const length = this.#first(contextLength);
    const library = Object.entries(libraries).find(([key]) => this.#found.has(key))?.[1];
    return {
      ...library !== undefined && { library },
      ...typeof length === "number" && { context_length: length },
      ...Object.fromEntries(
        Object.entries(texts).flatMap(([fact, keys]) => {
          const value = this.#first(keys);
          if (typeof value !== "string") return [];
          return Object.entries(fact === "license" ? licenseFacts(value) : { [fact]: value });
        }),
      ),
      ...Object.fromEntries(
        Object.entries(lists).flatMap(([fact, keys]) => {
          const values = keys.flatMap((key) => this.#found.get(key) ?? []).map(String);
          return values.length > 0 ? [[fact, values]] : [];
        }),
      ),
    };
  }

  #first(keys: readonly string[]): string | number | undefined {
    return keys.flatMap((key) => this.#found.get(key)?.slice(0, 1) ?? [])[0];
  }
}
