import * as assert from "node:assert/strict";
import * as v from "valibot";
import { FoundList } from "../../schemas/verdicts.ts";
import { type Client, dataOf } from "../support/client.ts";
import { HubClient } from "../support/hub.ts";
import { modelFile } from "../support/models.ts";
import { RemoteClient } from "../support/remote_client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { openDatabase } from "../support/test_database.ts";
import { until } from "../support/until.ts";
import { settledVerdicts } from "../support/verdicts.ts";

const MODEL = {
  "README.md": await modelFile("huggingface/model/README.md"),
  "config.json": await modelFile("huggingface/model/config.json"),
  "model.safetensors": await modelFile("safetensors/perceptron.safetensors"),
};

type Query = Readonly<Record<string, string | readonly string[]>>;

/** The parameters of a query, of which some are given several times. */
function queryText(query: Query): string {
  return Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}=${encodeURIComponent(value)}`)
  ).join("&");
}

async function page(client: Client, query: Query): Promise<FoundList> {
  const reply = await client.send("GET", `/resources/search?${queryText(query)}`);
  assert.equal(reply.status, 200, reply.text);
  return v.parse(FoundList, dataOf(reply));
}

async function paths(client: Client, query: Query): Promise<string[]> {
  return (await page(client, query)).items.map(({ path }) => path);
}

function settled(client: Client): Promise<void> {
  return until(async () => (await page(client, { q: "none of this" })).complete);
}

Deno.test("C 29 a model is found by what its files say together", async (t) => {
  await using server = await TestServer.start({ settings: { gate: "mark" } });
  const one = await server.as(1, ...USER_PRIVILEGES);
  await one.upload("models/ns/small", MODEL);
  await one.upload("models/ns/other", {
    "weights.pkl": await modelFile("pickle/hostile/eval.pkl"),
  });
  await one.upload("datasets/ns/rows", { "rows.csv": "a,b\n1,2\n" });
  await settledVerdicts(one);
  await settled(one);
  const found: [Query, string[]][] = [
    [{ kind: "model" }, ["models/ns/other", "models/ns/small"]],
    [{ kind: "dataset" }, ["datasets/ns/rows"]],
    [{ kind: "model", license: "MIT" }, ["models/ns/small"]],
    [{ kind: "model", format: ["gguf", "SafeTensors"] }, ["models/ns/small"]],
    [{ kind: "model", architecture: "llama", dtype: "float32", parameters: "20..1K" }, [
      "models/ns/small",
    ]],
    [{ kind: "model", parameters: "27.." }, []],
    [{ kind: "model", tag: ["transformers", "text-generation"] }, ["models/ns/small"]],
    [{ kind: "model", tag: ["transformers", "gguf"] }, []],
    [{ kind: "model", verdict: "dangerous" }, ["models/ns/other"]],
    [{ kind: "model", verdict: "clean", license: "mit", parameters: "..1B" }, ["models/ns/small"]],
    [{ verdict: "dangerous", kind: "file" }, ["models/ns/other/weights.pkl"]],
    // Words are in facts, too, but what facts are called is not.
    [{ q: "that is none" }, ["models/ns/small", "models/ns/small/README.md"]],
    [{ q: "model_class" }, []],
    // So is the text of cards.
    [{ q: "KNOWS noth" }, ["models/ns/small", "models/ns/small/README.md"]],
    [{ q: "eight words", kind: "model", format: "safetensors" }, ["models/ns/small"]],
    [{ kind: "model", updated: "2001-01-01..2001-12-31" }, []],
    [{ kind: "model", updated: "2001-01-01.." }, ["models/ns/other", "models/ns/small"]],
  ];
  for (const [query, expected] of found) {
    await t.step(`C 29 ${queryText(query)}`, async () => {
      assert.deepEqual(await paths(one, query), expected);
    });
  }
  await t.step("C 29 facets count all that is found", async () => {
    const { items, facets } = await page(one, { kind: "model", facets: "true", limit: "1" });
    assert.equal(items.length, 1);
    assert.equal(facets?.matches, 2);
    assert.deepEqual(facets.license, [{ value: "MIT", count: 1 }]);
    assert.deepEqual(facets.kind, [{ value: "model", count: 2 }]);
    assert.deepEqual(facets.dtype, [{ value: "float32", count: 1 }]);
    assert.deepEqual(facets.parameters, [{ value: "0..9999999", count: 1 }]);
    assert.deepEqual(await paths(one, { kind: "model", parameters: "0..9999999" }), [
      "models/ns/small",
    ]);
  });
  await t.step(
    "C 29 facets count what a word of two letters finds, which the index does not know",
    async () => {
      const all = await page(one, { q: "ns", facets: "true" });
      assert.equal(all.facets?.matches, all.items.length);
      assert.deepEqual(all.facets.license, [{ value: "MIT", count: 2 }]);
      const below = await page(one, {
        q: "ns",
        path: "datasets",
        facets: "true",
        sort: "-updated",
      });
      assert.equal(below.facets?.matches, 3);
      assert.deepEqual(await paths(one, { q: "sm", kind: "file", sort: "-size" }), [
        "models/ns/small/config.json",
        "models/ns/small/model.safetensors",
        "models/ns/small/README.md",
      ]);
    },
  );
  await t.step("C 29 what is known of each is told on request", async () => {
    const { items } = await page(one, { path: "models", kind: ["model"], known: "true" });
    assert.deepEqual(items.map(({ known }) => [known?.kind, known?.worst, known?.facts.license]), [
      ["model", "dangerous", undefined],
      ["model", "clean", "mit"],
    ]);
    const { items: [file] } = await page(one, { q: "perceptron", format: "safetensors" });
    assert.equal(file, undefined);
    const { items: [weights] } = await page(one, {
      kind: "file",
      format: "safetensors",
      known: "1",
    });
    assert.equal(weights?.known?.kind, "file");
    assert.equal(weights.known.worst, null);
    assert.deepEqual([weights.known.facts.parameters, weights.known.facts.dtypes], [26, {
      float32: 26,
    }]);
    assert.equal((await page(one, { kind: "model" })).items[0]?.known, undefined);
  });
  await t.step("C 29 lists of the hub take tags and numbers of parameters", async () => {
    const hub = new HubClient(server, one);
    const ids = async (kind: string, query: string) => {
      const reply = await hub.send("GET", `/api/${kind}?${query}`);
      assert.equal(reply.status, 200, reply.text);
      return v.parse(v.array(v.object({ id: v.string() })), JSON.parse(reply.text))
        .map(({ id }) => id);
    };
    assert.deepEqual(await ids("models", "filter=transformers&filter=license:mit"), ["ns/small"]);
    assert.deepEqual(await ids("models", "pipeline_tag=text-generation&author=ns"), ["ns/small"]);
    assert.deepEqual(await ids("models", "filter=transformers&search=other"), []);
    assert.deepEqual(await ids("models", "num_parameters=min:1,max:1K&sort=createdAt"), [
      "ns/small",
    ]);
    assert.deepEqual(await ids("models", "num_parameters=min:1K"), []);
    assert.deepEqual(await ids("datasets", "filter=transformers"), []);
  });
  await t.step("C 29 in the order of a fact", async () => {
    assert.deepEqual(await paths(one, { kind: "model", sort: "-parameters" }), [
      "models/ns/small",
      "models/ns/other",
    ]);
    assert.deepEqual(await paths(one, { kind: "file", path: "models", sort: "size", limit: "1" }), [
      "models/ns/other/weights.pkl",
    ]);
  });
  await t.step("C 29 a copy has facts at once, what was is not found", async () => {
    assert.equal(
      (await one.copy({ source: "models/ns/small", destination: "models/ns/copy" })).status,
      200,
    );
    assert.deepEqual(await paths(one, { kind: "file", format: "safetensors" }), [
      "models/ns/copy/model.safetensors",
      "models/ns/small/model.safetensors",
    ]);
    assert.equal(
      (await one.remove({ path: "models/ns/small" })).status,
      200,
    );
    assert.deepEqual(await paths(one, { kind: "file", format: "safetensors" }), [
      "models/ns/copy/model.safetensors",
    ]);
    await settled(one);
    assert.deepEqual(await paths(one, { kind: "model", license: "mit" }), ["models/ns/copy"]);
  });
  await t.step("C 29 strongroom find", async () => {
    await using home = await TempDir.make();
    const command = new RemoteClient({
      HOME: home.path,
      STRONGROOM_URL: server.origin,
      STRONGROOM_TOKEN: await mintToken({ userId: 1, privileges: USER_PRIVILEGES }),
    });
    const find = (...args: string[]) => command.run(["find", ...args]);
    const options = ["--kind", "model", "--license", "mit", "--parameters", "..1B", "models"];
    assert.deepEqual(await find(...options, "--format", "gguf", "--format", "safetensors"), {
      code: 0,
      stdout: "models/ns/copy\n",
      stderr: "",
    });
    const named = await find("--text", "copy", "--name", "*.json", "--type", "file");
    assert.deepEqual([named.stdout, named.stderr], ["models/ns/copy/config.json\n", ""]);
    assert.equal((await find("--sort", "updated")).code, 2);
    const refused = await find("--parameters", "many");
    assert.deepEqual([refused.code, refused.stderr.includes("1e9..8e9")], [1, true]);
  });
});

Deno.test("C 29 nobody finds or counts what others have, but administrators who ask for all", async () => {
  await using server = await TestServer.start({ settings: { gate: "mark" } });
  const [one, two] = [
    await server.as(1, ...USER_PRIVILEGES),
    await server.as(2, ...USER_PRIVILEGES),
  ];
  for (const user of [one, two]) {
    await user.upload("models/ns/small", MODEL);
    await settledVerdicts(user);
    await settled(user);
  }
  await one.upload("models/ns/more", MODEL);
  await settledVerdicts(one);
  await settled(one);
  const all = { q: "safetensors", scope: "all" };
  const { facets } = await page(two, { kind: "file", format: "safetensors", facets: "true" });
  assert.equal(facets?.matches, 1);
  const admin = await server.admin(3);
  assert.deepEqual(await paths(admin, { q: "safetensors" }), []);
  const items: string[] = [];
  for (let after: string | null = ""; after !== null;) {
    const found: FoundList = await page(admin, { ...all, limit: "1", after });
    items.push(...found.items.map(({ user_id, path }) => `${user_id} ${path}`));
    after = found.next;
  }
  assert.deepEqual(items, [
    "1 models/ns/more",
    "1 models/ns/more/model.safetensors",
    "1 models/ns/small",
    "1 models/ns/small/model.safetensors",
    "2 models/ns/small",
    "2 models/ns/small/model.safetensors",
  ]);
  assert.equal((await two.send("GET", `/resources/search?${queryText(all)}`)).status, 403);
});

Deno.test("C 29 a model of models is found while its index is there, though nothing is known of that", async () => {
  await using server = await TestServer.start({ settings: { gate: "mark" } });
  const one = await server.as(1, ...USER_PRIVILEGES);
  await one.upload("pipe/unet", { "model.safetensors": MODEL["model.safetensors"] });
  await settledVerdicts(one);
  await settled(one);
  const models = async () => {
    await settled(one);
    return await paths(one, { kind: "model", format: "safetensors" });
  };
  assert.deepEqual(await models(), ["pipe/unet"]);
  // What is empty says nothing.
  await one.put("pipe/model_index.json", "");
  assert.deepEqual(await models(), ["pipe", "pipe/unet"]);
  await one.move({ source: "pipe/model_index.json", destination: "pipe/other.json" });
  assert.deepEqual(await models(), ["pipe/unet"]);
  await one.move({ source: "pipe/other.json", destination: "pipe/model_index.json" });
  assert.deepEqual(await models(), ["pipe", "pipe/unet"]);
  await one.remove({ path: "pipe/model_index.json" });
  assert.deepEqual(await models(), ["pipe/unet"]);
});

Deno.test("C 29 conditions that no search can have are refused", async () => {
  await using server = await TestServer.start();
  const client = await server.as(1);
  const wrong = [
    "kind=folder",
    "parameters=",
    "parameters=8e9..1e9",
    "parameters=1e99",
    "parameters=1..2..3",
    "updated=yesterday",
    "verdict=good",
    "format=",
    `format=${"x".repeat(257)}`,
    "format=a%00b",
    "kind=file&sort=-path",
    "kind=file&sort=size&after=models/x",
    "kind=file&sort=size&after=1e9/Infinity",
    "kind=file&scope=all&sort=size",
    "sort=path",
    Array.from({ length: 51 }, () => "tag=x").join("&"),
  ];
  for (const query of wrong) {
    const { status } = await client.send("GET", `/resources/search?${query}`);
    assert.ok([400, 403].includes(status), `${status} for ${query}`);
  }
});

Deno.test("C 29 what was there before the index is found at once, and indexed in the background", async () => {
  await using directory = await TempDir.make();
  {
    await using server = await TestServer.start({ dataDir: directory.path });
    await (await server.as(1)).upload("models", { "llama.gguf": "x", "b.txt": "y" });
  }
  {
    await using database = await openDatabase(directory.path);
    // As if it had been given up.
    await database.script(
      `DELETE FROM search_marks; UPDATE storage_state SET unindexed = ${Number.MAX_SAFE_INTEGER}`,
    );
  }
  await using server = await TestServer.start({ dataDir: directory.path });
  const client = await server.as(1);
  assert.deepEqual(await paths(client, { q: "llama" }), ["models/llama.gguf"]);
  await settled(client);
  assert.deepEqual(await paths(client, { q: "llama" }), ["models/llama.gguf"]);
});
