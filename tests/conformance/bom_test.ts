import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cycloneDxFaults } from "../support/json_schemas.ts";
import { type Client, refused } from "../support/client.ts";
import { modelFile } from "../support/models.ts";
import { seed } from "../support/seed.ts";
import { TestServer } from "../support/server.ts";
import { settledVerdicts } from "../support/verdicts.ts";

const WEIGHTS = await modelFile("safetensors/perceptron.safetensors");
const CARD = `---
license: apache-2.0
base_model: [a/b, c/d]
datasets: [e/f]
pipeline_tag: text-generation
---
# A small model
`;

async function bomOf(client: Client, query: Record<string, string>) {
  const { status, text, headers } = await client.send("GET", "/resources/bom", { query });
  assert.equal(status, 200, text);
  assert.equal(headers.get("Content-Type"), "application/vnd.cyclonedx+json");
  const bom = JSON.parse(text);
  assert.deepEqual(await cycloneDxFaults(bom), []);
  return bom;
}

Deno.test("C 29 a bill of materials is valid, and says what facts and the last scans say", async () => {
  await using server = await TestServer.start({
    settings: { gate: "mark", history: 86_400_000 },
  });
  const one = await server.as(1);
  await one.upload("models/tiny", {
    "README.md": CARD,
    "config.json": '{"model_type":"llama","architectures":["LlamaForCausalLM"]}',
    "model.safetensors": WEIGHTS,
  });
  await one.put("models/tiny/below/évil.pkl", await modelFile("pickle/hostile/eval.pkl"));
  await settledVerdicts(one);
  const bom = await bomOf(one, { path: "models/tiny" });
  const { component } = bom.metadata;
  assert.equal(component.type, "machine-learning-model");
  assert.deepEqual([component.name, component.description], ["tiny", "A small model"]);
  assert.deepEqual(component.licenses, [{ license: { id: "Apache-2.0" } }]);
  assert.deepEqual(component.modelCard.modelParameters, {
    task: "text-generation",
    architectureFamily: "llama",
    modelArchitecture: "LlamaForCausalLM",
    datasets: [{ type: "dataset", name: "e/f" }],
  });
  assert.deepEqual(
    component.pedigree.ancestors.map(({ name }: { name: string }) => name),
    ["a/b", "c/d"],
  );
  const parts = bom.components.map(({ type, name }: Record<string, string>) => [type, name]);
  assert.deepEqual(parts, [
    ["file", "README.md"],
    ["file", "below/évil.pkl"],
    ["file", "config.json"],
    ["machine-learning-model", "model.safetensors"],
  ]);
  const weights = bom.components[3];
  assert.deepEqual(weights.hashes, [
    { alg: "MD5", content: createHash("md5").update(WEIGHTS).digest("hex") },
    { alg: "SHA-256", content: createHash("sha256").update(WEIGHTS).digest("hex") },
  ]);
  const [finding] = bom.vulnerabilities;
  assert.deepEqual(
    [finding.id, finding.ratings[0].severity, finding.affects[0].ref],
    ["S104", "critical", "file:below/évil.pkl"],
  );
  assert.deepEqual(bom.dependencies[0].dependsOn.length, 4);

  // As it was: without the file that came later, and whose finding it is.
  const former = await bomOf(one, { path: "models/tiny", at: "1" });
  assert.deepEqual([former.components.length, former.vulnerabilities], [3, []]);
  assert.equal(former.metadata.component.version, "1");
  // Of one file.
  const single = await bomOf(one, { path: "models/tiny/model.safetensors" });
  assert.deepEqual(single.components.map(({ name }: { name: string }) => name), [
    "model.safetensors",
  ]);
});

Deno.test("C 29 bills of materials are of what the caller may see, whatever content says", async () => {
  await using server = await TestServer.start({ settings: { gate: "mark" } });
  const one = await server.as(1);
  // No license, no type and no name of a data set that the format of bills knows.
  const odd = "---\nlicense: <b>my own</b>\ndatasets: ['\"', '<i>']\nbase_model: ' '\n---\n";
  await one.put("m/README.md", odd);
  await settledVerdicts(one);
  const bom = await bomOf(one, { path: "m" });
  assert.deepEqual(bom.metadata.component.licenses, [{ license: { name: "<b>my own</b>" } }]);
  const two = await server.as(2);
  refused(
    await two.send("GET", "/resources/bom", { query: { path: "m" } }),
    404,
    "ErrResourcesNotFound",
  );
  const blind = await server.as(1, "resources.download");
  refused(
    await blind.send("GET", "/resources/bom", { query: { path: "m" } }),
    403,
    "ErrNotPermitted",
  );
});

Deno.test("C 29 a bill of materials of many files has each of them", async () => {
  await using server = await TestServer.start({ settings: { gate: "mark" } });
  const one = await server.as(1);
  const hostile = await modelFile("pickle/hostile/eval.pkl");
  const names = Array.from({ length: 70 }, (_, index) => `${index + 10}.pkl`);
  await one.upload("m", Object.fromEntries(names.map((name) => [name, hostile])));
  await settledVerdicts(one);
  const bom = await bomOf(one, { path: "m" });
  assert.deepEqual(bom.components.map(({ name }: { name: string }) => name), names);
  const refs = names.map((name) => `file:${name}`);
  assert.deepEqual(bom.dependencies, [{ ref: "model", dependsOn: refs }]);
  const affected = bom.vulnerabilities.map(({ affects: [it] }: { affects: { ref: string }[] }) =>
    it?.ref
  );
  assert.deepEqual([...new Set(affected)], refs);
});

Deno.test("C 29 a bill of materials of files with too long paths is refused", async () => {
  await using server = await TestServer.start();
  const deep = Array.from({ length: 15 }, () => "d".repeat(250));
  const directories = deep.map((_, index) => `${deep.slice(0, index + 1).join("/")}/`);
  const files = Array.from({ length: 1150 }, (_, index) => `${deep.join("/")}/${index}`);
  await seed(server.tree.records, [...directories, ...files]);
  const one = await server.as(1);
  const reply = await one.send("GET", "/resources/bom", { query: { path: "d".repeat(250) } });
  assert.match(
    refused(reply, 400, "ErrResourcesInvalidRequest"),
    /it has more than 10000 files, or their paths are too long together$/,
  );
});
