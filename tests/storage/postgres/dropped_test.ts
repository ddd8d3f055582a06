import * as assert from "node:assert/strict";
import type { ResourceRecord } from "../../../core/ports.ts";
import type { PostgresResourceStore } from "../../../storage/postgres/postgres_resource_store.ts";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { withContents } from "../../support/referenced_contents.ts";
import { newRecord, seed } from "../../support/seed.ts";

const startedPostgres = sharedPostgres();

const MAX = 100;

Deno.test(
  { name: "contents that have lost a record", ignore: !Postgres.isInstalled },
  async (t) => {
    const engine = startedPostgres();
    const url = await engine.createDatabase();
    await using one = await openPostgresStore(url);
    await using two = await openPostgresStore(url);

    await t.step("C 5.4 and 23: each change of records notes what it drops", async () => {
      const [file, moved, target] = await addFiles(one, ["deleted", "moved", "overwritten"]);
      await remove(one, file);
      assert.deepEqual(await one.contents.dropped(MAX), [file.hash]);
      await one.write((transaction) =>
        transaction.moveSubtrees([{ source: moved, target: target.path }], 2000)
      );
      assert.deepEqual(await droppedBy(one), [file.hash, target.hash].sort());
      const other = newRecord({ path: "other", content: "other" });
      await withContents(one).write((transaction) =>
        transaction.replaceFiles([{ ...other, id: moved.id, updatedAt: 3000 }])
      );
      assert.deepEqual(await droppedBy(one), [file.hash, target.hash, moved.hash].sort());
    });
    await t.step("C 5.5 and 23: a change that fails notes nothing", async () => {
      const [file] = await addFiles(one, ["stays"]);
      const before = await droppedBy(one);
      await assert.rejects(
        one.write(async (transaction) => {
          await transaction.deleteSubtrees([file]);
          throw new Error("refused");
        }),
        /refused/,
      );
      assert.deepEqual(await droppedBy(one), before);
    });
    await t.step("C 5.4 and C 23 any server finds them, once", async () => {
      const dropped = await droppedBy(two);
      assert.equal(dropped.length, 3);
      assert.deepEqual((await collect(two, dropped)).sort(), dropped);
      assert.deepEqual(await droppedBy(one), []);
    });
    await t.step("C 31 what one server is looking at, another one leaves to it", async () => {
      const files = await addFiles(one, ["looked at", "left"]);
      const [looked, left] = files;
      for (const file of files) await remove(one, file);
      await one.write(async (transaction) => {
        assert.deepEqual(await transaction.unreferenced([looked.hash]), [looked.hash]);
        assert.deepEqual(await droppedBy(two), [left.hash]);
        await transaction.contents.remove([looked.hash]);
      });
      assert.deepEqual(await collect(two, [left.hash]), [left.hash]);
      assert.deepEqual(await droppedBy(one), []);
    });
    await t.step(
      "C 5.4 and 23: content that another record has stays, and is done with",
      async () => {
        const [first] = await addFiles(one, ["shared"]);
        await seed(withContents(two), [{ path: "again", content: "shared", userId: 2 }]);
        await remove(one, first);
        assert.deepEqual(await collect(two, [first.hash]), []);
        assert.deepEqual(await droppedBy(one), []);
      },
    );
    await t.step(
      "C 5.4 and 23: content that a failing server has locked is not forgotten",
      async () => {
        const [file] = await addFiles(one, ["locked"]);
        const { hash, size, crc32 } = file;
        const failing = one.write(async (transaction) => {
          const sha256 = new Uint8Array(32);
          await transaction.contents.put([{ hash, size, crc32, sha256, bytes: undefined }]);
          await remove(two, file);
          assert.deepEqual(await collect(two, [hash]), []);
          throw new Error("died");
        });
        await assert.rejects(failing, /died/);
        assert.deepEqual(await two.contents.dropped(MAX), [hash]);
        assert.deepEqual(await collect(two, [hash]), [hash]);
      },
    );
    await t.step(
      "C 5.4 and 23: a record deleted after the look for it is not forgotten",
      async () => {
        const [file] = await addFiles(one, ["late"]);
        const [copy] = await addFiles(one, ["late copy"], "late");
        await remove(one, copy);
        await one.write(async (transaction) => {
          assert.deepEqual(await transaction.unreferenced([file.hash]), []);
          await remove(two, file);
        });
        assert.deepEqual(await one.contents.dropped(MAX), [file.hash]);
      },
    );
  },
);

async function droppedBy(store: PostgresResourceStore): Promise<string[]> {
  return (await store.contents.dropped(MAX)).sort();
}

/** Removes those of the contents that no record has. */
function collect(store: PostgresResourceStore, hashes: readonly string[]): Promise<string[]> {
  return store.write(async (transaction) => {
    const unreferenced = await transaction.unreferenced(hashes);
    await transaction.contents.remove(unreferenced);
    return unreferenced;
  });
}

async function remove(store: PostgresResourceStore, record: ResourceRecord): Promise<void> {
  await store.write((transaction) => transaction.deleteSubtrees([record]));
}

/** Adds files at the root. @param content that of all of them. @default their paths */
async function addFiles<Paths extends readonly string[]>(
  store: PostgresResourceStore,
  paths: readonly [...Paths],
  content?: string,
): Promise<{ readonly [Index in keyof Paths]: ResourceRecord }> {
  const files = paths.map((path) => ({ path, content: content ?? path }));
  const records = await seed(withContents(store), files);
  assert.equal(records.length, paths.length);
  return records as { readonly [Index in keyof Paths]: ResourceRecord };
}
