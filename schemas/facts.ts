import * as v from "valibot";
import { MAX_CARD_LENGTH, MAX_FACT_ITEMS, MAX_FACT_LENGTH } from "./fact_limits.ts";

const text = (description: string) =>
  v.optional(v.pipe(v.string(), v.maxLength(MAX_FACT_LENGTH), v.description(description)));
const texts = (description: string) =>
  v.optional(v.pipe(
    v.array(v.pipe(v.string(), v.maxLength(MAX_FACT_LENGTH))),
    v.maxLength(MAX_FACT_ITEMS),
    v.description(description),
  ));
const whole = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.maxValue(Number.MAX_SAFE_INTEGER),
);
const count = (description: string) => v.optional(v.pipe(whole, v.description(description)));

/** What content says of itself, without judgment (C 29). What is not known is left out. */
export const Facts = v.object({
  format: text("Such as safetensors, gguf or onnx"),
  format_version: text("The version of the format"),
  tensors: count("How many tensors are stored"),
  tensor_bytes: count("The bytes of their elements"),
  parameters: count("The number of their elements"),
  dtypes: v.optional(v.pipe(
    v.record(v.pipe(v.string(), v.maxLength(MAX_FACT_LENGTH)), whole),
    v.check((it) => Object.keys(it).length <= MAX_FACT_ITEMS),
    v.description(
      "The number of elements of each type, such as float32, which has one name in all formats",
    ),
  )),
  quantization: text("Such as Q4_K_M, gptq or awq"),
  architecture: text("Such as llama or bert"),
  model_class: text("The class that a library loads it with, such as LlamaForCausalLM"),
  context_length: count("The most tokens that it reads at once"),
  tokenizer: text("The kind of its tokenizer"),
  title: text("What its author calls it"),
  license: text("As its author names it"),
  spdx_license: text("The SPDX identifier of the license, if it has one"),
  languages: texts("The languages it is for"),
  base_models: texts("The models that it was made from"),
  datasets: texts("The data sets that it was trained on"),
  library: text("The library that loads it"),
  task: text("What it does, such as text-generation"),
  tags: texts("What its author files it under"),
  card: v.optional(v.pipe(
    v.string(),
    v.maxLength(MAX_CARD_LENGTH),
    v.description("The first words of its card, each once, in lower case: for searches alone"),
  )),
});
export type Facts = Readonly<v.InferOutput<typeof Facts>>;

/** The facts that callers see, who need not be allowed to download: the words of a card are content. */
const ShownFacts = v.omit(Facts, ["card"]);

/** The facts by which models are told apart in a list. */
export const MainFacts = v.pick(Facts, [
  "format",
  "parameters",
  "dtypes",
  "quantization",
  "architecture",
  "license",
  "spdx_license",
  "library",
  "task",
]);
export type MainFacts = Readonly<v.InferOutput<typeof MainFacts>>;

/** The facts of a file, or of a directory those of its files put together (C 29). */
export const FactsEntry = v.object({
  path: v.string(),
  is_dir: v.boolean(),
  facts: ShownFacts,
  formats: v.pipe(v.array(v.string()), v.description("Of all its files, sorted")),
  complete: v.pipe(
    v.boolean(),
    v.description("Whether all its files have been read, and count; facts come with scans"),
  ),
});
export type FactsEntry = v.InferOutput<typeof FactsEntry>;
