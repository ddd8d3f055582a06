const CHATML =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] }}{% endfor %}";

const LLAMA_TOKENIZER = {
  added_tokens_decoder: {
    "128000": { content: "<|begin_of_text|>", lstrip: false, normalized: false, special: true },
    "128009": { content: "<|eot_id|>", lstrip: false, normalized: false, special: true },
  },
  bos_token: "<|begin_of_text|>",
  chat_template: CHATML,
  clean_up_tokenization_spaces: true,
  eos_token: "<|eot_id|>",
  model_max_length: 1000000000000000019884624838656,
  tokenizer_class: "PreTrainedTokenizerFast",
};

const CONFIG = {
  _name_or_path: "meta-llama/Llama-3-8B",
  _commit_hash: "0e9e39f249a16976918f6564b8830bc894c89659",
  architectures: ["LlamaForCausalLM"],
  auto_map: null,
  hidden_size: 4096,
  id2label: { "0": "LABEL_0" },
  torch_dtype: "bfloat16",
  transformers_version: "4.40.0",
  trust_remote_code: false,
};

const MODULES = [
  { idx: 0, name: "0", path: "", type: "sentence_transformers.models.Transformer" },
  { idx: 1, name: "1", path: "1_Pooling", type: "sentence_transformers.models.Pooling" },
];

const MODEL_INDEX = {
  _class_name: "StableDiffusionPipeline",
  _diffusers_version: "0.6.0",
  safety_checker: ["stable_diffusion", "StableDiffusionSafetyChecker"],
  unet: ["diffusers", "UNet2DConditionModel"],
  tokenizer: ["transformers", "CLIPTokenizer"],
};

const NEMO = `# NeMo
name: &name stt_en_conformer
trainer: {devices: 1, accelerator: gpu}
model:
  tokenizer:
    dir: ???
  preprocessor:
    _target_: nemo.collections.asr.modules.AudioToMelSpectrogramPreprocessor
    sample_rate: \${model.sample_rate}
  optim:
    _target_: torch.optim.AdamW
    betas: !!python/tuple
    - 0.9
    - 0.98
exp: {name: *name}
`;

const PYPROJECT = `[project]
name = "model"
license = "MIT"
version = "1.0"
dependencies = ["torch>=2", 'numpy']
[tool.x]
text = """
several
lines"""
`;

/** Manifests that ship with models, by name. */
export const BENIGN: readonly (readonly [string, string])[] = [
  [
    "chain.json",
    '{"lc": 1, "type": "constructor", "id": ["langchain", "prompts", "prompt", "PromptTemplate"],' +
    '"kwargs": {"llm": {"lc": 1, "type": "secret", "id": ["OPENAI_API_KEY"]}}}',
  ],
  [
    "state.json",
    '{"x": {"lc": 2, "type": "constructor", "id": ["collections", "deque"], "args": [[1]]},' +
    '"y": {"lc": 2, "type": "constructor", "id": ["langgraph", "types", "Send"], "args": ["a", 1]}}',
  ],
  ["model.yaml", "class_name: Sequential\nconfig:\n  layers:\n  - class_name: Dense\n"],
  ["records.json", '[{"id": ["os", "system"], "name": "no object of LangChain"}]'],
  ["config.json", '{"_attn_implementation": "flash_attention_2", "attn_implementation": null}'],
  ["config.json", '{"attn_implementation": {"text_config": "sdpa", "vision_config": "eager"}}'],
  ["MLmodel", "flavors:\n  python_function:\n    loader_module: mlflow.sklearn\nrun_id: 1\n"],
  ["MLmodel", "flavors:\n  python_function:\n    loader_module: mlflow.pyfunc.model\n"],
  [
    "MLmodel",
    "flavors:\n  python_function:\n    loader_module: mlflow.pyfunc.model\n    code: code\n" +
    "    data: data/model.pth\n    model_code_path: null\n    python_model: python_model.pkl\n",
  ],
  [
    "state.json",
    '{"py/object": "collections.OrderedDict", "a": {"py/tuple": [1, 2]}, "b": {"py/set": [1]}}',
  ],
  [
    "tsconfig.json",
    '// see "docs"\n{\n  /* options * / */ "compilerOptions": {"strict": true, }, // x\n "a": [1, 2,],\n}',
  ],
  [
    "model.safetensors.index.json",
    '{"metadata": {"total_size": 1}, "weight_map": {"a": "model-00001-of-00002.safetensors"}}',
  ],
  [
    "adapter_config.json",
    '{"auto_mapping": {"base_model_class": "LlamaModel", ' +
    '"parent_library": "transformers.models.llama.modeling_llama"}}',
  ],
  [
    "adapter_config.json",
    '{"auto_mapping": {"base_model_class": "Net", "parent_library": "__main__"}}',
  ],
  [
    "MAR-INF/MANIFEST.json",
    '{"model": {"modelName": "m", "serializedFile": "m.pt", "handler": "image_classifier"}}',
  ],
  ["tokenizer_config.json", JSON.stringify(LLAMA_TOKENIZER, null, 2)],
  ["config.json", JSON.stringify(CONFIG, null, 2)],
  ["config.json", '{"rms_norm_eps": 1e-05, "scale": NaN, "max": -Infinity}\n'],
  ["modules.json", JSON.stringify(MODULES)],
  ["model_index.json", JSON.stringify(MODEL_INDEX)],
  ["generation_config.json", '{"eos_token_id": [128001, 128009], "temperature": 0.6}'],
  ["sentence_bert_config.json", '{"max_seq_length": 512, "do_lower_case": false}'],
  ["config.json", '\ufeff{"a": "b"}'],
  ["model.safetensors.index.json", '{"metadata": {"total_size": 1}, "weight_map": {"a": "b"}}'],
  ["model_config.yaml", NEMO],
  ["data.yaml", "text: 'a !!python/object in a string'\n# !!python/object in a comment\n"],
  ["diffusion.yaml", "? target\n: ldm.models.Diffusion\n? params\n: {target: code.py}\n"],
  ["hydra.yml", "x:\n  _target_: os.path.join\n  _args_: [a, b]\n"],
  ["pyproject.toml", PYPROJECT],
  ["quotes.toml", 'a = """"b"""""\nc = \'\'\'\'d\'\'\'\'\'\ne = "f"\n'],
  ["pattern.json", JSON.stringify({ pattern: "^https://[a-zA-Z0-9.-]+(:[0-9]+)?/" })],
  ["empty.json", ""],
  ["empty.yaml", ""],
  ["one.yaml", "a"],
  [
    "ids.json",
    '{"id": "123e4567-e89b-12d3-a456-426614174000", "token": "<s>", "pad_token": "[PAD]"}',
  ],
  ["hashes.json", `{"sha256": "${"9f86d081".repeat(8)}", "blob_id": "${"2fd4e1c6".repeat(5)}"}`],
  ["charsmap.json", JSON.stringify({ precompiled_charsmap: btoa("abcdefgh".repeat(20_000)) })],
  ["local.json", '{"endpoint": "http://127.0.0.1:8000/v1", "home": "http://localhost:3000"}'],
  [
    "urls.json",
    '{"homepage": "https://huggingface.co/x", "licence_link": "https://example.org/a?b=c"}',
  ],
  ["form.json", '{"password": "string", "api_key": "${API_KEY}", "secret": "<your secret>"}'],
];

/** A vocabulary of more than 2 MB, with the odd tokens of real ones. */
export function vocabulary(): string {
  const odd = [
    "{{",
    "{%",
    "{#",
    "}}",
    "{{}}",
    "{{{",
    "://",
    "http",
    "https://",
    "AKIA",
    "file:///",
    "javascript:",
  ];
  const vocab: Record<string, number> = {};
  for (const token of odd) vocab[token] = Object.keys(vocab).length;
  for (let id = 0; id < 65_000; id++) vocab[`Ġtoken_${id.toString(36)}`] = id;
  const merges = Array.from({ length: 60_000 }, (_, id) => `Ġto ken_${id.toString(36)}`);
  const unigrams = odd.map((token) => [token, -12.5]);
  return JSON.stringify({
    version: "1.0",
    added_tokens: odd.map((content, id) => ({ id, content, special: false })),
    model: { type: "BPE", vocab, merges, unigrams },
  });
}
