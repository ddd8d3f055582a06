import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { OPTIONAL_SCANNER_IDS } from "../../../core/scanner/mod.ts";
import type { ResourceRecord } from "../../../core/ports.ts";
import { plainScan } from "../../core/scanner/plain_scan.ts";
import { openPostgresStores } from "../../support/stores.ts";
import { Postgres } from "../../support/postgres.ts";
import { WHOLE_TREE } from "../../support/search_query.ts";
import { seed } from "../../support/seed.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";

const startedPostgres = sharedPostgres();

const CARD = "it knows zanzibar";
const FACTS = { license: "mit", card: CARD };

Deno.test({ name: "The words of cards", ignore: !Postgres.isInstalled }, async (t) => {
  await using opened = await openPostgresStores(await startedPostgres().createDatabase());
  const { store, rows } = opened;
  const found = async (...words: string[]) => {
    const page = await store.search({ ...WHOLE_TREE, words });
    return page?.records.map(({ path }) => path);
  };
  const cards = async () =>
    (await rows("SELECT words FROM search_cards")).map(({ words }) => words);
  /** Makes the documents of all that is marked, and those of directories that have the facts of their card. */
  const index = async (...directories: readonly ResourceRecord[]) => {
    for (let marks = await store.searchIndex.marks(0, 100);;) {
      await store.searchIndex.settle(
        marks,
        directories.map(({ id }) => ({ id, facts: FACTS })),
        [],
      );
      marks = await store.searchIndex.marks(0, 100);
      if (marks.length === 0) return;
    }
  };

  const [a, b, one, two] = await seed(store, [
    ...["a/", "b/"],
    ...["a", "b"].map((it) => ({ path: `${it}/README.md`, content: CARD })),
  ]);
  assert.ok(a && b && one && two);
  const key = {
    userId: 1,
    hash: createHash("md5").update(CARD).digest("hex"),
    name: "README.md",
    skip: OPTIONAL_SCANNER_IDS.toSorted(),
  };
  const scan = { ...plainScan(1), hashes: { sha256: "00".repeat(32) }, facts: FACTS };
  assert.ok(await store.scans.keepContentResult(key, scan));
  await index(a, b);

  await t.step("C 29 are kept once for all that have them", async () => {
    assert.deepEqual(await cards(), [CARD]);
    const facts = await rows("SELECT facts FROM directory_facts");
    assert.deepEqual(facts.map(({ facts }) => facts), Array(2).fill('{"license":"mit"}'));
  });
  await t.step("C 29 find files and directories, each with words of its path", async () => {
    assert.deepEqual(await found("Zanzi"), ["a", "a/README.md", "b", "b/README.md"]);
    assert.deepEqual(await found("zanzibar", "readme"), ["a/README.md", "b/README.md"]);
    const many = ["zanzibar", "knows", "readme", "mit", "zan", "md"];
    assert.deepEqual(await found(...many), ["a/README.md", "b/README.md"]);
    assert.deepEqual(await found(...many, "nowhere"), []);
  });
  await t.step("C 29 are facts of directories", async () => {
    const whole = await rows("SELECT facts FROM directory_facts_with_cards");
    assert.deepEqual(whole.map(({ facts }) => JSON.parse(String(facts))), [FACTS, FACTS]);
  });
  await t.step("C 29 go with the last that has them", async () => {
    await store.write((it) => it.deleteSubtrees([a]));
    await index();
    assert.deepEqual(await cards(), [CARD]);
    assert.deepEqual(await found("zanzibar"), ["b", "b/README.md"]);
    await store.write((it) => it.deleteSubtrees([b]));
    await index();
    assert.deepEqual(await cards(), []);
    assert.deepEqual(await found("zanzibar"), []);
  });
  await t.step("C 31 are found in what the former release has kept", async () => {
    const [c] = await seed(store, ["c/"]);
    assert.ok(c);
    await index();
    await rows(`INSERT INTO directory_facts VALUES (${c.id}, '${JSON.stringify(FACTS)}')`);
    await rows(
      `UPDATE search_documents SET path = E'c\\n${CARD}', facts = E'mit' WHERE id = ${c.id}`,
    );
    assert.deepEqual(await found("zanzibar"), ["c"]);
  });
});
