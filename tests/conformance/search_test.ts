import * as assert from "node:assert/strict";
import * as v from "valibot";
import { FoundList } from "../../schemas/verdicts.ts";
import { Client, type QueryParameters } from "../support/client.ts";
import { mintToken, TestServer } from "../support/server.ts";

async function page(client: Client, query: QueryParameters) {
  const { status, text } = await client.send("GET", "/resources/search", { query });
  assert.equal(status, 200, text);
  const { items, total, next } = v.parse(FoundList, JSON.parse(text).data);
  assert.equal(total, items.length);
  return { paths: items.map(({ path }) => path), next };
}

/** All pages of a search, as one. */
async function found(client: Client, q: string, query: QueryParameters = {}): Promise<string[]> {
  const paths: string[] = [];
  let after: string | undefined;
  do {
    const { paths: more, next } = await page(client, { ...query, q, after });
    paths.push(...more);
    after = next ?? undefined;
  } while (after !== undefined);
  return paths;
}

Deno.test("C 24 a search finds what has all words in its path below a directory", async (t) => {
  await using server = await TestServer.start();
  const client = await server.as(1);
  const text = "content";
  const special = "odd [x]^$.+-{2}(a)b.txt";
  const uploads = [
    await client.upload("models/Llama-3", {
      "Model-Q4.gguf": text,
      "README.md": text,
      [special]: text,
    }),
    await client.upload("models/Ärger", { "ÉTÉ.txt": text, "straße": text }),
    await client.upload("models0", { "llama.txt": text }),
  ];
  for (const { status, text } of uploads) assert.equal(status, 200, text);

  await t.step("in path order, folders too, whatever the case", async () => {
    assert.deepEqual(await found(client, "LLAMA"), [
      "models/Llama-3",
      "models/Llama-3/Model-Q4.gguf",
      "models/Llama-3/README.md",
      `models/Llama-3/${special}`,
      "models0/llama.txt",
    ]);
    assert.deepEqual(await found(client, " q4\tllama "), ["models/Llama-3/Model-Q4.gguf"]);
  });
  await t.step("below the directory alone, whose own path does not count", async () => {
    assert.deepEqual(await found(client, "models", { path: "models" }), []);
    assert.deepEqual(await found(client, "readme", { path: "models/" }), [
      "models/Llama-3/README.md",
    ]);
    assert.deepEqual(await found(client, "readme", { path: "missing" }), []);
    assert.deepEqual(await found(client, "txt", { path: "models/Ärger" }), [
      "models/Ärger/ÉTÉ.txt",
    ]);
  });
  await t.step("letters beyond ASCII, whatever their case", async () => {
    assert.deepEqual(await found(client, "ÄRGER/été"), ["models/Ärger/ÉTÉ.txt"]);
    assert.deepEqual(await found(client, "STRAßE"), ["models/Ärger/straße"]);
  });
  await t.step("characters of patterns stand for themselves", async () => {
    for (const part of ["[", "]", "^", "$", ".+-", "{2}", "(a)b", "[x]^$"]) {
      assert.ok((await found(client, part)).includes(`models/Llama-3/${special}`), part);
    }
    for (const none of ["[o]dd", "o.d", "%", "od*", "o?d", "\\w", "x|y"]) {
      assert.deepEqual(await found(client, none), []);
    }
  });
  await t.step("page by page", async () => {
    const first = await page(client, { q: "llama", limit: "2" });
    assert.deepEqual(first, {
      paths: ["models/Llama-3", "models/Llama-3/Model-Q4.gguf"],
      next: "models/Llama-3/Model-Q4.gguf",
    });
    const { next, paths } = await page(client, { q: "llama", limit: "2", after: first.next ?? "" });
    assert.equal(paths.length, 2);
    assert.deepEqual(await page(client, { q: "llama", limit: "2", after: next ?? "" }), {
      paths: ["models0/llama.txt"],
      next: null,
    });
  });
  await t.step("nothing without words, and no words that cannot be in a path", async () => {
    for (const q of [undefined, " ", "a\0b", "x".repeat(257)]) {
      const reply = await client.send("GET", "/resources/search", { query: { q } });
      assert.equal(reply.status, 400, reply.text);
    }
    const { status } = await client.send("GET", "/resources/search", {
      query: { q: "a", limit: "0" },
    });
    assert.equal(status, 400);
  });
});

Deno.test("C 19 a search finds only what the caller may see", async () => {
  await using server = await TestServer.start();
  await (await server.as(1)).upload("", { "secret.txt": "content" });
  const other = await server.as(2);
  await other.upload("", { "other secret.txt": "content" });
  assert.deepEqual(await found(other, "secret"), ["other secret.txt"]);
  assert.equal(
    (await other.inTree(1).send("GET", "/resources/search", { query: { q: "secret" } })).status,
    403,
  );
  const guest = new Client(
    server.url,
    await mintToken({ userId: 2, privileges: [], trees: { 1: ["resources.view"] } }),
  );
  assert.deepEqual(await found(guest.inTree(1), "secret"), ["secret.txt"]);
  assert.deepEqual(
    await found(await server.admin(3), "secret"),
    [],
  );
  const blind = await server.as(1, "resources.upload");
  assert.equal(
    (await blind.send("GET", "/resources/search", { query: { q: "secret" } })).status,
    403,
  );
});

Deno.test("C 24 a page of a search looks at 10000 records at most, whatever it finds", async () => {
  await using server = await TestServer.start({ limits: { maxUploadFiles: 50_000 } });
  const client = await server.as(1);
  const files = Array.from({ length: 10_010 }, (_, index) => [`${10_000 + index}.txt`, ""]);
  await client.upload("many", Object.fromEntries(files));
  await client.upload("", { "zebra.md": "content" });
  // The directory is the first one.
  // The index knows no words of two letters.
  assert.deepEqual(await page(client, { q: "ze" }), { paths: [], next: "many/19998.txt" });
  assert.deepEqual(await found(client, "ze"), ["zebra.md"]);
  assert.deepEqual(await found(client, "zebra"), ["zebra.md"]);
  assert.deepEqual(await found(client, "20009"), ["many/20009.txt"]);
  await client.copy({ source: "many", destination: "more" });
  // All that is below a directory is counted and sorted, if that is not more than 20 000 records.
  const asked = async (query: Record<string, string>) => {
    const reply = await client.send("GET", "/resources/search", { query });
    return [reply.status, /"facets":(null|\{"matches":\d+)/.exec(reply.text)?.[1]];
  };
  assert.deepEqual(await asked({ q: "9.", path: "many", facets: "true" }), [
    200,
    '{"matches":1001',
  ]);
  assert.deepEqual(await asked({ q: "9.", path: "many", sort: "size" }), [200, "null"]);
  assert.deepEqual(await asked({ q: "9.", facets: "true" }), [200, "null"]);
  assert.deepEqual(await asked({ q: "9.", sort: "size" }), [400, undefined]);
});
