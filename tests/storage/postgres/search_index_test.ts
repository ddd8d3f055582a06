import * as assert from "node:assert/strict";
import type { SearchMark } from "../../../core/search.ts";
import { TO_ROWS } from "../../../storage/postgres/search_engine.ts";
import { STATEMENTS } from "../../../storage/postgres/statements.ts";
import { settleMarks } from "../../../storage/tables/search_index.ts";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { withContents } from "../../support/referenced_contents.ts";
import { WHOLE_TREE } from "../../support/search_query.ts";
import { newRecord } from "../../support/seed.ts";
import { until } from "../../support/until.ts";

Deno.test({
  name: "C 29 two servers that make the documents of a record at once leave the last one",
  ignore: !Postgres.isInstalled,
}, async () => {
  await using engine = await Postgres.start();
  const url = await engine.createDatabase();
  await using one = await openPostgresStore(url);
  await using two = await openPostgresStore(url);
  const [record] = await withContents(one).write((it) => it.insert([newRecord("former")]));
  assert.ok(record);
  const former = await one.searchIndex.marks(0, 10);
  assert.deepEqual(former.map(({ id }) => id), [record.id]);
  const mayGoOn = Promise.withResolvers<void>();
  const hasRead = Promise.withResolvers<void>();
  const slow = one.database.use("writes", async (session) => {
    await session.begin();
    await settleMarks(
      async (name, parameters) => {
        const rows = await session.all(STATEMENTS.search[name], parameters);
        if (name === "searched") {
          hasRead.resolve();
          await mayGoOn.promise;
        }
        return rows;
      },
      TO_ROWS,
      ...[former, [], []] as const,
    );
    await session.commit();
  });
  await hasRead.promise;
  await two.write((it) => it.moveSubtrees([{ source: record, target: "renamed" }], 1));
  const isNew = ({ position }: SearchMark) => former.every((it) => it.position !== position);
  const latter = (await two.searchIndex.marks(0, 10)).filter(isNew);
  let isSettled = false;
  const quick = two.searchIndex.settle(latter, [], []).finally(() => isSettled = true);
  const waits = async () => {
    const rows = await two.database.all(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    return rows.length > 0;
  };
  await until(async () => isSettled || await waits());
  mayGoOn.resolve();
  await Promise.all([slow, quick]);
  assert.deepEqual(await two.searchIndex.marks(0, 10), []);
  const page = await two.search({ ...WHOLE_TREE, words: ["renamed"] });
  assert.deepEqual(page?.records.map(({ path }) => path), ["renamed"]);
});
