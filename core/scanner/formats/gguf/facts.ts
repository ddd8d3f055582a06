import { MAX_FACT_ITEMS } from "../../../../schemas/fact_limits.ts";
import type { Facts } from "../../../../schemas/facts.ts";
import { licenseFacts } from "../../knowledge/declared_facts.ts";
import { redactedExcerpt } from "../../knowledge/secrets/redacted_excerpt.ts";
import type { MetadataValue } from "./reader.ts";

/** What the number of `general.file_type` stands for. */
const FILE_TYPES: ReadonlyMap<number, string> = new Map([
  [0, "F32"],
  [1, "F16"],
  [2, "Q4_0"],
  [3, "Q4_1"],
  [7, "Q8_0"],
  [8, "Q5_0"],
  [9, "Q5_1"],
  [10, "Q2_K"],
  [11, "Q3_K_S"],
  [12, "Q3_K_M"],
  [13, "Q3_K_L"],
  [14, "Q4_K_S"],
  [15, "Q4_K_M"],
  [16, "Q5_K_S"],
  [17, "Q5_K_M"],
  [18, "Q6_K"],
  [19, "IQ2_XXS"],
  [20, "IQ2_XS"],
  [21, "Q2_K_S"],
  [22, "IQ3_XS"],
  [23, "IQ3_XXS"],
  [24, "IQ1_S"],
  [25, "IQ4_NL"],
  [26, "IQ3_S"],
  [27, "IQ3_M"],
  [28, "IQ2_S"],
  [29, "IQ2_M"],
  [30, "IQ4_XS"],
  [31, "IQ1_M"],
  [32, "BF16"],
  [36, "TQ1_0"],
  [37, "TQ2_0"],
  [38, "MXFP4_MOE"],
]);

const TEXTS: Readonly<Record<string, "title" | "license" | "tokenizer">> = {
  "general.name": "title",
  "general.license": "license",
  "tokenizer.ggml.model": "tokenizer",
};

const LISTS: Readonly<Record<string, "languages" | "tags" | "datasets">> = {
  "general.languages": "languages",
  "general.tags": "tags",
  "general.datasets": "datasets",
};

const BASE_MODEL = /^general\.base_model\.\d{1,2}\.repo_url$/;

/** Collects what the metadata says (C 29). */
export class GgufFacts {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, string[]>();
  readonly #contextLengths = new Map<string, number>();
  readonly #bases: string[] = [];
  #quantization: string | undefined;

  /** An item of an array of texts. */
  takeItem(key: string, text: string): void {
    const fact = Object.hasOwn(LISTS, key) ? LISTS[key] : undefined;
    if (fact === undefined) return;
    const items = this.#lists.get(fact) ?? [];
    if (items.length < MAX_FACT_ITEMS) items.push(redactedExcerpt(text));
    this.#lists.set(fact, items);
  }

  take(key: string, value: MetadataValue): void {
    if (value.type === "text") this.#takeText(key, value.text);
    else if (value.type === "number") this.#takeNumber(key, Number(value.value));
  }

  #takeText(key: string, text: string): void {
    const fact = Object.hasOwn(TEXTS, key) ? TEXTS[key] : undefined;
    if (fact !== undefined) this.#texts.set(fact, redactedExcerpt(text));
    else if (BASE_MODEL.test(key) && this.#bases.length < MAX_FACT_ITEMS) {
      this.#bases.push(redactedExcerpt(text.replace(/^https:\/\/huggingface\.co\//, "")));
    }
  }

  #takeNumber(key: string, number: number): void {
    if (key === "general.file_type") this.#quantization = FILE_TYPES.get(number);
    const [, architecture] = /^([^.]{1,100})\.context_length$/.exec(key) ?? [];
    if (architecture !== undefined && this.#contextLengths.size < MAX_FACT_ITEMS) {
      this.#contextLengths.set(architecture, number);
    }
  }

  /** What was found in the metadata of a model of this architecture. */
  facts(architecture: string | undefined): Facts {
    const license = this.#texts.get("license");
    const length = architecture === undefined ? undefined : this.#contextLengths.get(architecture);
    return {
      ...architecture !== undefined && { architecture },
      ...length !== undefined && { context_length: length },
      ...this.#quantization !== undefined && { quantization: this.#quantization },
      ...Object.fromEntries([...this.#texts, ...this.#lists]),
      ...license !== undefined && licenseFacts(license),
      ...this.#bases.length > 0 && { base_models: this.#bases },
    };
  }
}
