import * as assert from "node:assert/strict";
import { mergeFacts, withinLimits } from "../../../schemas/merge_facts.ts";
import { memorySource, scan } from "../../../core/scanner/scan.ts";
import type { Facts } from "../../../schemas/facts.ts";
import { modelFile } from "../../support/models.ts";

const encoder = new TextEncoder();

function factsOf(name: string, content: string | Uint8Array<ArrayBuffer>): Facts | undefined {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  return scan(memorySource(bytes), { name }).facts;
}

Deno.test("C 29 formats say how many tensors of which types they have, and what they are", async () => {
  const cases: readonly (readonly [string, Facts])[] = [
    ["gguf/chat.gguf", {
      format: "gguf",
      format_version: "3",
      tensors: 1,
      tensor_bytes: 640,
      parameters: 160,
      dtypes: { float32: 160 },
      architecture: "llama",
      context_length: 16,
      tokenizer: "llama",
      title: "fixture",
      license: "mit",
      spdx_license: "MIT",
    }],
    ["onnx/perceptron.onnx", {
      format: "onnx",
      format_version: "10",
      tensors: 4,
      tensor_bytes: 104,
      parameters: 26,
      dtypes: { float32: 26 },
      library: "onnx",
    }],
    ["numpy/big_endian.npy", {
      format: "numpy",
      format_version: "1",
      tensors: 1,
      tensor_bytes: 16,
      parameters: 4,
      dtypes: { int32: 4 },
    }],
    ["keras/sequential.keras", {
      format: "keras",
      tensors: 10,
      tensor_bytes: 180,
      parameters: 44,
      dtypes: { float32: 43, int64: 1 },
      architecture: "Sequential",
      model_class: "Sequential",
      library: "keras",
    }],
    ["torch/state_dict.pt", {
      format: "pytorch",
      parameters: 26,
      dtypes: { float32: 26 },
      library: "pytorch",
    }],
    ["lightgbm/binary.txt", {
      format: "lightgbm",
      format_version: "v4",
      architecture: "boosted trees",
      library: "lightgbm",
    }],
  ];
  for (const [path, expected] of cases) {
    assert.deepEqual(factsOf(path.split("/").at(-1) ?? "", await modelFile(path)), expected, path);
  }
});

Deno.test("C 29 configurations and cards declare facts, by their names alone", () => {
  const config = JSON.stringify({
    model_type: "mistral",
    architectures: ["MistralForCausalLM", "Other"],
    n_positions: 512,
    max_position_embeddings: 32768,
    quantization_config: { quant_method: "awq", bits: 4 },
    transformers_version: "4.50.0",
  });
  assert.deepEqual(factsOf("config.json", config), {
    architecture: "mistral",
    model_class: "MistralForCausalLM",
    context_length: 32768,
    quantization: "awq",
    library: "transformers",
  });
  assert.equal(factsOf("other.json", config), undefined);
  assert.deepEqual(
    factsOf(
      "adapter_config.json",
      '{"peft_type":"LORA","base_model_name_or_path":"a/b","task_type":"CAUSAL_LM"}',
    ),
    { library: "peft", architecture: "LORA", base_models: ["a/b"], task: "CAUSAL_LM" },
  );
  const card = `---
license: other
license_name: tiny
language: [en, de]
base_model: a/b
datasets:
- c/d
library_name: transformers
pipeline_tag: text-generation
tags: [x, x]
model-index:
- name: a
  results: [{task: {type: t}}]
---
text
# A title
`;
  assert.deepEqual(factsOf("README.md", card), {
    title: "A title",
    license: "tiny",
    library: "transformers",
    task: "text-generation",
    languages: ["en", "de"],
    base_models: ["a/b"],
    datasets: ["c/d"],
    tags: ["x"],
    card: "text a title",
  });
  assert.equal(factsOf("notes.md", card), undefined);
});

Deno.test("C 29 facts are bounded, on one line, and without credentials", () => {
  const token = `hf_${"a1B2c3D4e5".repeat(4).slice(0, 34)}`;
  const facts = factsOf(
    "README.md",
    `---\nlicense: "a\\u001b[2J${"b".repeat(5000)}"\nlibrary_name: ${token}\ntags:\n${
      Array.from({ length: 500 }, (_, index) => `- t${index}\n`).join("")
    }---\n`,
  );
  assert.ok((facts?.license?.length ?? 0) <= 200);
  assert.doesNotMatch(facts?.license ?? "", /\p{Cc}/u);
  assert.ok(!facts?.library?.includes(token), facts?.library);
  assert.equal(facts?.tags?.length, 50);
});

Deno.test("C 29 the words of a card are kept once, without credentials, as far as there is room", () => {
  const token = `hf_${"a1B2c3D4e5".repeat(4).slice(0, 34)}`;
  const card = (body: string) => factsOf("README.md", body)?.card;
  assert.equal(
    card("Größe of llama-3.1: *llama-3.1*, GRÖSSE!\n<b>bold</b>"),
    "größe of llama-3.1 grösse b bold",
  );
  assert.ok(!card(`The key is ${token}.`)?.includes(token.toLowerCase()));
  assert.equal(card(`first ${"x".repeat(10_000)} last`), "first last");
  const many = card(Array.from({ length: 5000 }, (_, index) => `w${index}`).join(" ")) ?? "";
  assert.ok(many.length <= 1000 && many.length > 990, `${many.length}`);
  assert.match(many, /^w0 w1 .* w\d+$/);
  assert.equal(card("\ud800"), undefined);
});

Deno.test("C 29 of two parts, tensors are added up, lists joined, and otherwise the first counts", () => {
  const merged = mergeFacts(
    { format: "a", parameters: 1, dtypes: { float32: 1 }, tags: ["x"] },
    { format: "b", parameters: 2, tensors: 3, dtypes: { float32: 2, int8: 3 }, tags: ["y", "x"] },
  );
  assert.deepEqual(merged, {
    format: "a",
    parameters: 3,
    tensors: 3,
    dtypes: { float32: 3, int8: 3 },
    tags: ["x", "y"],
  });
  // Sums that are no longer exact are not known.
  const huge = { parameters: Number.MAX_SAFE_INTEGER };
  assert.deepEqual(mergeFacts(huge, huge), {});
});

Deno.test("C 29 types of elements have one name in all formats", () => {
  const named = (type: string) => Object.keys(withinLimits({ dtypes: { [type]: 1 } }).dtypes ?? {});
  assert.deepEqual(
    ["F32", "BF16", "I8", "U16", "C64", "F8_E4M3", "float16", "Q4_K", "BOOL"].flatMap(named),
    [
      "float32",
      "bfloat16",
      "int8",
      "uint16",
      "complex64",
      "float8_e4m3",
      "float16",
      "q4_k",
      "bool",
    ],
  );
  assert.deepEqual(withinLimits({ dtypes: { F32: 5, float32: 3, I8: 1 } }), {
    dtypes: { float32: 8, int8: 1 },
  });
});
