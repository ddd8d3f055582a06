import * as assert from "node:assert/strict";
import { AppError } from "../../../core/errors.ts";
import { compareBytewise } from "../../../core/paths.ts";
import type { ListQuery, ResourceStore, Scope } from "../../../core/ports.ts";
import { batchesOf } from "../../../core/record_lists.ts";
import { databaseAddress } from "../../../schemas/database_url.ts";
import { Database } from "../../../storage/postgres/database.ts";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { withContents } from "../../support/referenced_contents.ts";
import { newRecord, seed } from "../../support/seed.ts";

const startedPostgres = sharedPostgres();

const OWN = { userId: 1, everyone: false };

async function listed(store: ResourceStore, query: Partial<ListQuery>): Promise<string[]> {
  const whole = { scope: OWN, recursive: false, directories: [], chain: [], ...query };
  return (await Array.fromAsync(store.list(whole))).flat().map(({ path }) => path);
}

Deno.test({ name: "PostgresResourceStore", ignore: !Postgres.isInstalled }, async (t) => {
  const engine = startedPostgres();
  const open = async (options = {}) => openPostgresStore(await engine.createDatabase(), options);

  await t.step(
    "C 4 paths are in the order of their bytes, whatever the database's order is",
    async () => {
      await using plain = await open();
      const store = withContents(plain);
      const [row] = await plain.database.values("SELECT 'a' < 'B', 'a' COLLATE \"C\" < 'B'");
      assert.deepEqual(row, [true, false]);
      const names = [
        "a",
        "B",
        "_",
        "ä",
        "-",
        "a.b",
        "a-b",
        "\u{10000}",
        "\uffee",
        "Z",
        "z",
        "0",
        "ß",
      ];
      await seed(store, ["d/", ...names.map((name) => `d/${name}/`)]);
      await seed(store, names.flatMap((name) => names.map((child) => `d/${name}/${child}`)));
      const paths = names.map((name) => `d/${name}`).sort(compareBytewise);
      assert.deepEqual(await listed(store, { directories: ["d"], chain: ["d"] }), ["d", ...paths]);
      const everything = await listed(store, { directories: ["d"], chain: ["d"], recursive: true });
      assert.deepEqual(everything, everything.toSorted(compareBytewise));
      assert.equal(everything.length, 1 + names.length + names.length ** 2);
      const several = await listed(store, { directories: paths, chain: ["d", ...paths] });
      assert.deepEqual(several, everything);
    },
  );
  await t.step("C 4 paths may be longer than what an index entry holds", async () => {
    await using plain = await open();
    const store = withContents(plain);
    const segment = "ж".repeat(127);
    const above = Array.from(
      { length: 15 },
      (_, depth) => Array.from({ length: depth + 1 }, () => segment).join("/"),
    );
    const last = above.at(-1) ?? "";
    const names = ["b", "a", "ab", "B"].map((name) => `${last}/${name}`);
    await seed(store, [...above.map((path) => `${path}/`), ...names]);
    const sorted = names.toSorted(compareBytewise);
    assert.deepEqual(await listed(store, { directories: [last], chain: above }), [
      ...above,
      ...sorted,
    ]);
    assert.deepEqual(
      await listed(store, { directories: [segment], chain: [segment], recursive: true }),
      [...above, ...sorted],
    );
    assert.deepEqual([...(await store.findByPath(OWN, names)).keys()].sort(), names.toSorted());
    await assert.rejects(seed(store, [names[0] ?? ""]), (error) => {
      assert.ok(error instanceof AppError);
      return error.kind === "ErrResourcesAlreadyExists";
    });
    await assert.rejects(seed(store, [`${last}/missing/x`]));
    const [first] = (await store.findByPath(OWN, [segment])).values();
    assert.ok(first);
    await store.write((transaction) =>
      transaction.moveSubtrees([{ source: first, target: "short" }], 9)
    );
    const moved = await listed(store, {
      directories: ["short"],
      chain: ["short"],
      recursive: true,
    });
    assert.equal(moved.length, above.length + names.length);
    assert.deepEqual(moved, moved.toSorted(compareBytewise));
    const [source] = (await store.findByPath(OWN, ["short"])).values();
    assert.ok(source);
    const gone = await store.write((transaction) => transaction.deleteSubtrees([source]));
    assert.equal(gone.length, moved.length);
  });
  await t.step(
    "C 8 a slow reader of a list keeps no connection, and others list meanwhile",
    async () => {
      await using store = await open({ connections: 1, listIdleMs: 50 });
      const names = Array.from(
        { length: 1200 },
        (_, index) => `d/${String(index).padStart(4, "0")}/`,
      );
      await seed(store, ["d/", ...names]);
      const query = { scope: OWN, recursive: true, directories: ["d"], chain: ["d"] };
      const slow: string[] = [];
      for await (const batch of store.list(query)) {
        slow.push(...batch.map(({ path }) => path));
        assert.equal((await listed(store, query)).length, 1201);
        assert.equal((await listed(store, { recursive: true })).length, 1201);
      }
      assert.deepEqual(slow, ["d", ...names.map((name) => name.slice(0, -1))]);
      const root: string[] = [];
      for await (const batch of store.list({ ...query, directories: [], chain: [] })) {
        root.push(...batch.map(({ path }) => path));
        await listed(store, query);
      }
      assert.equal(new Set(root).size, 1201);
      const [first] = await Array.fromAsync({
        async *[Symbol.asyncIterator]() {
          for await (const batch of store.list(query)) return yield batch;
        },
      });
      assert.ok(first);
      assert.equal((await listed(store, query)).length, 1201);
    },
  );
  await t.step(
    "C 23 a request that gets no connection in time is refused, and others go on",
    async () => {
      await using store = await open({ connections: 2, connectMs: 2000 });
      const leave = Promise.withResolvers<void>();
      const held = [11, 12].map((userId) =>
        store.write(async (transaction) => {
          await transaction.usage(userId);
          await leave.promise;
        })
      );
      const refused = store.write((transaction) => transaction.usage(13));
      await assert.rejects(refused, { kind: "ErrUnavailable", retryAfterS: 1 });
      await store.usage(OWN);
      leave.resolve();
      await Promise.all(held);
      await store.write((transaction) => transaction.usage(13));
    },
  );
  await t.step(
    "C 23 a statement that takes too long is given up, and its transaction with it",
    async () => {
      const url = await engine.createDatabase();
      await using one = await openPostgresStore(url);
      await using two = await openPostgresStore(url, { statementMs: 2000 });
      const leave = Promise.withResolvers<void>();
      const entered = Promise.withResolvers<void>();
      const holding = one.write(async (transaction) => {
        await transaction.usage(1);
        entered.resolve();
        await leave.promise;
      });
      await entered.promise;
      await assert.rejects(seed(two, ["late/"]), { kind: "ErrUnavailable" });
      leave.resolve();
      await holding;
      assert.deepEqual(await listed(two, {}), []);
      await seed(two, ["late/"]);
    },
  );
  await t.step("shares() counts each content once, and can be aborted", async () => {
    await using plain = await open();
    const store = withContents(plain);
    const storedBytes = async (scope: Scope, signal: AbortSignal) =>
      (await store.shares({ by: "content", scope, limit: 0 }, signal)).total.bytes;
    await seed(
      store,
      ["a", "b", "c"].map((path) => ({ path, content: path === "c" ? "cc" : "x" })),
    );
    assert.equal(await storedBytes(OWN, new AbortController().signal), 3);
    await assert.rejects(storedBytes(OWN, AbortSignal.abort(new Error("enough"))), /enough/);
    const stop = new AbortController();
    const counted = storedBytes({ userId: 1, everyone: true }, stop.signal);
    stop.abort(new Error("enough"));
    await assert.rejects(counted, /enough/);
    assert.equal(await storedBytes(OWN, new AbortController().signal), 3);
  });
  await t.step("C 23 large changes are all or nothing, and do not block other trees", async () => {
    const url = await engine.createDatabase();
    await using store = await openPostgresStore(url);
    await using filling = await Database.open(databaseAddress(url));
    await seed(store, ["big/", "there/", "there/big/"]);
    await filling.use("long", (session) =>
      session.run(`INSERT INTO records
        (user_id, path, parent, name, size, crc32, is_dir, created_at, updated_at)
        SELECT 1, 'big/' || n, 'big', n::text, 0, 0, TRUE, 1, 1 FROM generate_series(1, 20000) AS n`));
    const [source] = (await store.findByPath(OWN, ["big"])).values();
    assert.ok(source);
    let moved = false;
    const moving = store.write((transaction) =>
      transaction.moveSubtrees([{ source, target: "there/big" }], 77)
    ).finally(() => moved = true);
    let others = 0;
    while (!moved) {
      await store.write((transaction) =>
        transaction.insert([newRecord({ path: `o${others++}/`, userId: 2 })])
      );
    }
    const { updated, merged } = await moving;
    assert.deepEqual([updated.length, merged.length], [20000, 1]);
    assert.ok(others > 2);
    let position = 0;
    for await (const batch of batchesOf([updated])) {
      for (const { path, updatedAt } of batch) {
        if (position++ === 0) assert.equal(path, "there/big/1");
        assert.equal(updatedAt, 77);
      }
    }
    assert.equal(position, 20000);
    assert.equal((await store.usage(OWN)).records, 20002);
  });
});
