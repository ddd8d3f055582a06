import * as assert from "node:assert/strict";
import * as v from "valibot";
import { FactsEntry } from "../../schemas/facts.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type Client, dataOf, refused } from "../support/client.ts";
import { modelFile } from "../support/models.ts";
import { TempDir } from "../support/temp_dir.ts";
import { TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { openDatabase } from "../support/test_database.ts";
import { until } from "../support/until.ts";
import { settledVerdicts } from "../support/verdicts.ts";

const WEIGHTS = await modelFile("safetensors/perceptron.safetensors");
const MODEL = {
  "README.md": await modelFile("huggingface/model/README.md"),
  "config.json": await modelFile("huggingface/model/config.json"),
  "tokenizer.json": await modelFile("huggingface/model/tokenizer.json"),
  "model.safetensors": WEIGHTS,
  // The same weights in another format count once.
  "model.onnx": await modelFile("onnx/perceptron.onnx"),
};

/** A server that scans what arrives. */
function marking(settings: Partial<Settings> = {}, options = {}) {
  return TestServer.start({ ...options, settings: { gate: "mark", ...settings } });
}

async function factsOf(client: Client, path: string, query = {}): Promise<FactsEntry> {
  const reply = await client.send("GET", "/resources/facts", { query: { path, ...query } });
  assert.equal(reply.status, 200, reply.text);
  return v.parse(FactsEntry, dataOf(reply));
}

Deno.test("C 29 facts of files come with their scans, those of a directory are put together", async () => {
  await using server = await marking();
  const one = await server.as(1);
  await one.upload("m", MODEL);
  await settledVerdicts(one);
  assert.deepEqual(await factsOf(one, "m/model.safetensors"), {
    path: "m/model.safetensors",
    is_dir: false,
    facts: {
      format: "safetensors",
      tensors: 4,
      tensor_bytes: 104,
      parameters: 26,
      dtypes: { float32: 26 },
    },
    formats: ["safetensors"],
    complete: true,
  });
  assert.deepEqual(await factsOf(one, "m"), {
    path: "m",
    is_dir: true,
    facts: {
      format: "safetensors",
      tensors: 4,
      tensor_bytes: 104,
      parameters: 26,
      dtypes: { float32: 26 },
      architecture: "llama",
      model_class: "LlamaForCausalLM",
      context_length: 16,
      tokenizer: "WordLevel",
      title: "A model that is none",
      license: "mit",
      spdx_license: "MIT",
      library: "transformers",
      task: "text-generation",
      tags: ["fixture"],
    },
    formats: ["onnx", "safetensors"],
    complete: true,
  });
});

Deno.test("C 29 the parts of a model count together, its other quantizations and what is below do not", async () => {
  await using server = await marking();
  const one = await server.as(1);
  const parts = ["model-00001-of-00002", "model-00002-of-00002"].map((name) =>
    `${name}.safetensors`
  );
  for (const name of parts) {
    await one.put(`m/${name}`, await modelFile(`safetensors/sharded/${name}`));
  }
  await one.put("m/below/other.safetensors", WEIGHTS);
  await one.put("q/a.gguf", await modelFile("gguf/quantized.gguf"));
  await one.put("q/b.gguf", await modelFile("gguf/big_endian.gguf"));
  await settledVerdicts(one);
  const { facts } = await factsOf(one, "m");
  assert.deepEqual([facts.parameters, facts.tensors, facts.tensor_bytes], [26, 4, 104]);
  assert.equal((await factsOf(one, "q")).facts.parameters, 776);

  await one.put(
    "p/model_index.json",
    '{"_class_name":"StableDiffusionPipeline","_diffusers_version":"0.30"}',
  );
  await one.put("p/unet/model.safetensors", WEIGHTS);
  await one.put("p/vae/model.safetensors", WEIGHTS);
  await settledVerdicts(one);
  const pipeline = (await factsOf(one, "p")).facts;
  assert.deepEqual(
    [pipeline.parameters, pipeline.model_class, pipeline.library],
    [52, "StableDiffusionPipeline", "diffusers"],
  );
});

Deno.test("C 29 nobody gets facts by the content of others, or of what is not theirs", async () => {
  // Content goes with its last record, not when history gives it up.
  await using server = await TestServer.start({ settings: { history: 0 } });
  const one = await server.as(1, ...USER_PRIVILEGES, "scans.run");
  const two = await server.as(2, ...USER_PRIVILEGES, "scans.run");
  await one.put("w.safetensors", WEIGHTS);
  await one.json("POST", "/scans/?wait=60", { path: "w.safetensors" });
  assert.equal((await factsOf(one, "w.safetensors")).facts.parameters, 26);
  const missing = await two.send("GET", "/resources/facts", { query: { path: "w.safetensors" } });
  refused(missing, 404, "ErrResourcesNotFound");
  await two.put("w.safetensors", WEIGHTS);
  const unknown = { path: "w.safetensors", is_dir: false, facts: {}, formats: [], complete: false };
  assert.deepEqual(await factsOf(two, "w.safetensors"), unknown);
  // What comes back may be other content with the same MD5.
  await one.remove({ path: "w.safetensors" });
  await one.put("w.safetensors", WEIGHTS);
  assert.deepEqual(await factsOf(one, "w.safetensors"), unknown);
  const blind = await server.as(1, "resources.download");
  refused(
    await blind.send("GET", "/resources/facts", { query: { path: "w.safetensors" } }),
    403,
    "ErrNotPermitted",
  );
  refused(await one.send("GET", "/resources/facts", {}), 400, "ErrResourcesInvalidRequest");
});

Deno.test("C 29 facts of a scan by some scanners are not kept", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1, ...USER_PRIVILEGES, "scans.run");
  await one.put("w.safetensors", WEIGHTS);
  await one.json("POST", "/scans/?wait=60", { path: "w.safetensors", scanners: ["safetensors"] });
  const { facts, complete } = await factsOf(one, "w.safetensors");
  assert.deepEqual([facts, complete], [{}, false]);
});

Deno.test("C 29 facts are of the version that is read", async () => {
  await using server = await marking({ history: 86_400_000 });
  const one = await server.as(1);
  await one.put("m/w.safetensors", WEIGHTS);
  await settledVerdicts(one);
  await one.put("m/w.safetensors", await modelFile("safetensors/dtypes.safetensors"));
  await settledVerdicts(one);
  for (const path of ["m", "m/w.safetensors"]) {
    assert.equal((await factsOf(one, path, { at: "1" })).facts.parameters, 26);
    assert.equal((await factsOf(one, path)).facts.parameters, 78);
  }
});

Deno.test("C 29 content that was scanned before there were facts is scanned again in the background", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  {
    await using server = await marking({}, { dataDir });
    const one = await server.as(1);
    await one.put("w.safetensors", WEIGHTS);
    await settledVerdicts(one);
    await using database = await openDatabase(dataDir);
    await database.script("DELETE FROM facts; UPDATE scan_results SET facts_version = 0");
    assert.equal((await factsOf(one, "w.safetensors")).complete, false);
  }
  await using server = await marking({}, { dataDir });
  const one = await server.as(1);
  // Its verdict counts meanwhile.
  assert.deepEqual(await settledVerdicts(one), ["w.safetensors clean"]);
  await until(async () => (await factsOf(one, "w.safetensors")).facts.parameters === 26);
});

/** What a file may say of itself at most, about: 40 KB. */
const LONG_FACTS = {
  format: "gguf",
  parameters: 1,
  ...Object.fromEntries(
    ["languages", "base_models", "datasets", "tags"].map((name) => [
      name,
      Array.from({ length: 50 }, (_, index) => `${name} ${index} `.padEnd(200, "x")),
    ]),
  ),
};

Deno.test("C 29 facts of a directory are put together in bounded memory", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  await using server = await TestServer.start({ dataDir });
  const one = await server.as(1);
  const names = Array.from({ length: 120 }, (_, index) => String(index + 1).padStart(5, "0"));
  const files = (nameOf: (number: string) => string) =>
    Object.fromEntries(names.map((number) => [nameOf(number), number]));
  await one.upload("parts", files((number) => `model-${number}-of-00120.gguf`));
  await one.upload("models", files((number) => `${number}.gguf`));
  await one.upload("some", { "00001.gguf": "00001", "00002.gguf": "00002" });
  await using database = await openDatabase(dataDir);
  const facts = JSON.stringify(LONG_FACTS).slice(1);
  await database.script(`INSERT INTO facts (hash, user_id, name, version, sha256, facts)
    SELECT DISTINCT records.hash, user_id, name, 1, sha256, '{"quantization":"' || name || '",${facts}'
    FROM records JOIN contents ON contents.hash = records.hash`);
  const some = await factsOf(one, "some");
  assert.deepEqual([some.complete, some.facts.quantization], [true, "00001.gguf, 00002.gguf"]);
  const parts = await factsOf(one, "parts");
  assert.deepEqual([parts.complete, parts.facts.parameters], [true, 120]);
  // Of so many models, the first ones count.
  const models = await factsOf(one, "models");
  assert.deepEqual([models.complete, models.facts.parameters], [false, 1]);
  assert.match(models.facts.quantization ?? "", /^00001\.gguf, 00002\.gguf, /);
});

Deno.test("C 29 facts have none of the words of a card: they are content, which needs resources.download", async () => {
  await using server = await marking();
  const one = await server.as(1);
  await one.upload("m", { "README.md": "# A title\n\nZanzibar has an inside.\n" });
  await settledVerdicts(one);
  const viewer = await server.as(1, "resources.view");
  for (const path of ["m", "m/README.md"]) {
    const reply = await viewer.send("GET", "/resources/facts", { query: { path } });
    assert.match(reply.text, /A title/);
    assert.doesNotMatch(reply.text, /zanzibar/i);
  }
});
