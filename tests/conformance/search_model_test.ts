import * as assert from "node:assert/strict";
import * as v from "valibot";
import type { Facts, FactsEntry } from "../../schemas/facts.ts";
import { FactsEntry as Entry } from "../../schemas/facts.ts";
import { FoundList } from "../../schemas/verdicts.ts";
import { type Client, dataOf } from "../support/client.ts";
import { type Random, seededRandom } from "../support/random.ts";
import { TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { IN_SQLITE } from "../support/engines.ts";
import { openDatabase, type TestDatabase } from "../support/test_database.ts";
import { until } from "../support/until.ts";

const NAMES = [
  "a-model.gguf",
  "Weights.safetensors",
  "config.json",
  "README.md",
  "straße.bin",
  "b",
  // A model that consists of the models below it.
  "model_index.json",
];
const DIRECTORIES = [
  "models/Qwen/q2",
  "models/meta/Llama-8B",
  "datasets/x/y",
  "deep/er/models",
  "pipe",
  "pipe/unet",
  "pipe/vae/parts",
  "",
];

type Query = Readonly<Record<string, string>>;

/** What a search may ask for: its condition, and what meets it. */
const CONDITIONS: readonly (readonly [Query, (it: Item) => boolean])[] = [
  [{ q: "LLAMA" }, (it) => has(it, "llama")],
  [{ q: "8b" }, (it) => has(it, "8b")],
  [{ q: "model" }, (it) => has(it, "model")],
  [{ q: "straßE" }, (it) => has(it, "straße")],
  [{ q: "mistral" }, (it) => has(it, "mistral")],
  [{ q: "a b" }, (it) => has(it, "a") && has(it, "b")],
  [{ kind: "file" }, (it) => !it.is_dir],
  [
    { kind: "model" },
    (it) => it.is_dir && (it.facts.format !== undefined || /^models\/[^/]+\/[^/]+$/.test(it.path)),
  ],
  [
    { kind: "dataset" },
    (it) => it.is_dir && it.facts.format === undefined && /^datasets\/[^/]+\/[^/]+$/.test(it.path),
  ],
  [{ format: "GGUF" }, (it) => it.facts.format === "gguf"],
  [{ architecture: "mistral" }, (it) => it.facts.architecture === "mistral"],
  [{ license: "mit" }, (it) => [it.facts.license, it.facts.spdx_license].includes("MIT")],
  [{ parameters: "1e9..8e9" }, (it) => within(it.facts.parameters, 1e9, 8e9)],
  [{ parameters: "..1K" }, (it) => within(it.facts.parameters, 0, 1000)],
  [{ dtype: "q4_k_m" }, (it) => it.facts.quantization?.split(", ").includes("Q4_K_M") === true],
  [{ dtype: "float16" }, (it) => it.facts.dtypes?.float16 !== undefined],
  [{ base_model: "x/base" }, (it) => it.facts.base_models?.includes("x/Base") === true],
  [{ tag: "license:mit" }, (it) => [it.facts.license, it.facts.spdx_license].includes("MIT")],
  [{ tag: "gguf" }, (it) => it.facts.format === "gguf" || it.facts.tags?.includes("gguf") === true],
  [{ path: "models" }, (it) => it.path.startsWith("models/")],
];

/** An entry of a listing, with its facts. */
interface Item {
  readonly path: string;
  readonly is_dir: boolean;
  readonly updated_at: string;
  readonly size: number;
  readonly facts: Facts;
}

function has({ path, facts }: Item, word: string): boolean {
  const texts = Object.values(facts).flat().filter((it) => typeof it === "string");
  return [path, ...texts].some((it) => it.toLowerCase().includes(word));
}

function within(value: number | undefined, min: number, max: number): boolean {
  return value !== undefined && value >= min && value <= max;
}

function someFacts(random: Random): Facts {
  const maybe = <T>(value: T): T | undefined => random(3) === 0 ? undefined : value;
  const facts: Facts = {
    format: maybe(["gguf", "safetensors"][random(2)]),
    architecture: maybe(["llama", "mistral"][random(2)]),
    license: maybe(["MIT", "apache-2.0", "other"][random(3)]),
    spdx_license: maybe("MIT"),
    parameters: maybe([7, 999, 1e9, 8e9, 8e9 + 1][random(5)]),
    quantization: maybe("Q4_K_M"),
    dtypes: maybe({ float16: 5 }),
    base_models: maybe(["x/Base"]),
    tags: maybe(["gguf", 'odd "tag"']),
    title: maybe("A Llama that Mistral made"),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, it]) => it !== undefined));
}

/** Changes a tree, or what is known of its files, in one way or another. */
async function change(client: Client, database: TestDatabase, user: number, random: Random) {
  const pick = <T>(items: readonly T[]): T => {
    const item = items[random(items.length)];
    assert.ok(item !== undefined);
    return item;
  };
  const place = () => pick(DIRECTORIES);
  const paths = (await itemsOf(client)).map(({ path }) => path);
  switch (random(paths.length < 10 ? 1 : 6)) {
    case 0: {
      const files = Object.fromEntries(
        NAMES.filter(() => random(2) === 0).map((it) => [it, `content ${random(4)}`]),
      );
      return await client.upload(place(), files);
    }
    case 1:
      return await client.move({ source: pick(paths), destination: place(), force: true });
    case 2:
      return await client.copy({ source: pick(paths), destination: `copies/c${random(3)}` });
    case 3:
      return await client.remove({ path: pick(paths) });
    case 4:
      return await database.run(
        `DELETE FROM facts WHERE user_id = ${user} AND name = '${pick(NAMES)}'`,
      );
    default:
      return await database.run(
        `INSERT INTO facts (hash, user_id, name, version, sha256, facts)
         SELECT DISTINCT records.hash, user_id, name, 1, contents.sha256, :facts
         FROM records JOIN contents ON contents.hash = records.hash
         WHERE user_id = ${user} AND name = '${pick(NAMES)}'
         ON CONFLICT (hash, user_id, name) DO UPDATE SET facts = excluded.facts`,
        { facts: JSON.stringify(someFacts(random)) },
      );
  }
}

async function itemsOf(client: Client): Promise<Omit<Item, "facts">[]> {
  const reply = await client.send("GET", "/resources/", { query: { recursive: "true" } });
  assert.equal(reply.status, 200, reply.text);
  return v.parse(
    v.object({
      items: v.array(
        v.object({
          path: v.string(),
          is_dir: v.boolean(),
          updated_at: v.string(),
          size: v.number(),
        }),
      ),
    }),
    dataOf(reply),
  ).items;
}

async function factsOf(client: Client, path: string): Promise<FactsEntry> {
  return v.parse(
    Entry,
    dataOf(await client.send("GET", "/resources/facts", { query: { path } })),
  );
}

async function searchPage(client: Client, query: Query) {
  const reply = await client.send("GET", "/resources/search", { query });
  assert.equal(reply.status, 200, reply.text);
  return v.parse(FoundList, dataOf(reply));
}

async function searched(client: Client, query: Query) {
  const items: string[] = [];
  const limit = "3";
  let page = await searchPage(client, { ...query, limit });
  items.push(...page.items.map(({ path }) => path));
  while (page.next !== null) {
    page = await searchPage(client, { ...query, limit, after: page.next });
    items.push(...page.items.map(({ path }) => path));
  }
  return items;
}

function byPath(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

Deno.test("C 29 a search finds what a filter of the whole listing does, whatever has changed", async () => {
  await using server = await TestServer.start();
  await using database = await openDatabase(server.dataDir);
  // Triggers mark what changes.
  if (!IN_SQLITE) await database.script("SET session_replication_role = origin");
  const seed = Number(Deno.env.get("SEED") ?? 20261127);
  const random = seededRandom(seed);
  const clients = [await server.as(1, ...USER_PRIVILEGES), await server.as(2, ...USER_PRIVILEGES)];
  for (let round = 0; round < 6; round++) {
    for (const [index, client] of clients.entries()) {
      for (let step = 0; step < 12; step++) await change(client, database, index + 1, random);
    }
    for (const client of clients) {
      const settled = round % 2 === 1;
      if (settled) await until(async () => (await searchPage(client, { q: "zzz" })).complete);
      const items: Item[] = [];
      for (const item of await itemsOf(client)) {
        items.push({ ...item, facts: (await factsOf(client, item.path)).facts });
      }
      for (let search = 0; search < 12; search++) {
        const chosen = CONDITIONS.filter(() => random(8) === 0);
        const query = Object.assign({}, ...chosen.map(([query]) => query));
        if (Object.keys(query).every((it) => it === "path")) continue;
        // A condition that another one of the same name has replaced does not count.
        const counted = chosen.filter(([own]) =>
          Object.entries(own).every(([name, value]) => query[name] === value)
        );
        const isMeant = (item: Item) =>
          (settled || !item.is_dir) &&
          counted.every(([own, meets]) =>
            meets(own.q === undefined ? item : { ...item, path: below(item.path, query.path) })
          );
        const expected = items.filter(isMeant).map(({ path }) => path).sort(byPath);
        const found = (await searched(client, query)).filter((path) =>
          settled || items.find((it) => it.path === path)?.is_dir === false
        );
        assert.deepEqual({ seed, query, found }, { seed, query, found: expected });
        if (!settled) continue;
        const sorted = await searched(client, { ...query, sort: "-size" });
        assert.deepEqual(sorted.sort(byPath), expected);
        const { facets } = await searchPage(client, { ...query, facets: "true" });
        assert.equal(facets?.matches, expected.length);
        // What is counted and what is not comes in the same order, page by page.
        for (const sort of ["path", "-size", "updated"]) {
          const counted = await searched(client, { ...query, sort, facets: "true" });
          assert.deepEqual(counted, await searched(client, { ...query, sort }));
        }
      }
    }
  }
});

function below(path: string, directory: string | undefined): string {
  return directory === undefined ? path : path.slice(directory.length + 1);
}
