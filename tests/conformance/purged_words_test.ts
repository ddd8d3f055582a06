import * as assert from "node:assert/strict";
import * as v from "valibot";
import { FoundList } from "../../schemas/verdicts.ts";
import { type Client, dataOf } from "../support/client.ts";
import { IN_SQLITE } from "../support/engines.ts";
import { TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { openDatabase, type TestDatabase } from "../support/test_database.ts";
import { until } from "../support/until.ts";
import { settledVerdicts } from "../support/verdicts.ts";

async function page(client: Client, q: string): Promise<FoundList> {
  const reply = await client.send("GET", "/resources/search", { query: { q } });
  assert.equal(reply.status, 200, reply.text);
  return v.parse(FoundList, dataOf(reply));
}

async function found(client: Client, q: string): Promise<string[]> {
  return (await page(client, q)).items.map(({ path }) => path);
}

/** Where the database has a word, which each document that has it has a part of. */
async function placesOf(database: TestDatabase, word: string): Promise<Record<string, number>> {
  const count = async (sql: string) => Number((await database.get(sql))?.count);
  return {
    facts: await count(`SELECT count(*) AS count FROM facts WHERE facts LIKE '%${word}%'`),
    directories: await count(
      `SELECT count(*) AS count FROM ${
        IN_SQLITE ? "directory_facts" : "directory_facts_with_cards"
      } WHERE facts LIKE '%${word}%'`,
    ),
    documents: await count(
      IN_SQLITE
        ? `SELECT count(*) AS count FROM search_terms WHERE search_terms MATCH '"1x${
          word.slice(0, 3)
        }"'`
        : `SELECT count(*) AS count FROM search_documents LEFT JOIN search_cards
             ON search_cards.id = card WHERE path LIKE '%${word}%' OR words LIKE '%${word}%'`,
    ),
    cards: IN_SQLITE
      ? 0
      : await count(`SELECT count(*) AS count FROM search_cards WHERE words LIKE '%${word}%'`),
  };
}

Deno.test("C 26, C 29: words of purged content are found no more, and kept nowhere, at once", async () => {
  await using server = await TestServer.start({ settings: { gate: "mark", history: 86_400_000 } });
  const one = await server.as(1, ...USER_PRIVILEGES);
  const settled = () => until(async () => (await page(one, "none of this")).complete);
  await using database = await openDatabase(server.dataDir);
  const nowhere = { facts: 0, directories: 0, documents: 0, cards: 0 };
  const purges: readonly (() => Promise<unknown>)[] = [
    () => one.remove({ path: "pipe/README.md", purge: "true" }),
    async () => {
      await one.remove({ path: "pipe/README.md" });
      return await one.send("DELETE", "/resources/trash", { query: { path: "pipe/README.md" } });
    },
  ];
  await one.upload("pipe", { "model_index.json": '{"_class_name":"Pipe"}' });
  for (const purge of purges) {
    await one.put("pipe/README.md", "---\nlicense: mit\n---\nIt knows Zanzibar.");
    await settledVerdicts(one);
    await settled();
    assert.deepEqual(await found(one, "zanzibar"), ["pipe", "pipe/README.md"]);
    assert.deepEqual(await placesOf(database, "zanzibar"), {
      facts: 1,
      directories: 1,
      documents: 2,
      cards: IN_SQLITE ? 0 : 1,
    });
    await purge();
    assert.deepEqual(await placesOf(database, "zanzibar"), nowhere);
    assert.deepEqual(await found(one, "zanzibar"), []);
    await settled();
    assert.deepEqual(await placesOf(database, "zanzibar"), nowhere);
    assert.deepEqual(await found(one, "pipe"), ["pipe", "pipe/model_index.json"]);
  }
});
