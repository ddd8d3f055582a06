import * as assert from "node:assert/strict";
import type { WriteTransaction } from "../../../core/ports.ts";
import { busyChange } from "../../../storage/postgres/failures.ts";
import { forgetLargeChange, noteLargeChange } from "../../../storage/postgres/large_changes.ts";
import type { PostgresResourceStore } from "../../../storage/postgres/postgres_resource_store.ts";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { withContents } from "../../support/referenced_contents.ts";
import { newRecord, seed } from "../../support/seed.ts";

const startedPostgres = sharedPostgres();

const OWN = { userId: 1, everyone: false };
const FILES = 20;

Deno.test({ name: "Large changes", ignore: !Postgres.isInstalled }, async (t) => {
  const engine = startedPostgres();
  const url = await engine.createDatabase();
  await using one = await openPostgresStore(url, { maxDirectRecords: 10 });
  await using two = await openPostgresStore(url, { maxDirectRecords: 10 });

  const find = async (store: PostgresResourceStore, path: string) => {
    const found = (await store.findByPath(OWN, [path])).get(path);
    assert.ok(found, path);
    return found;
  };
  const pathsOf = async (store: PostgresResourceStore, directory: string) => {
    const batches = await Array.fromAsync(store.list({
      scope: OWN,
      recursive: true,
      directories: [directory],
      chain: [],
    }));
    return batches.flat().map(({ path }) => path);
  };
  const fill = async (directory: string, files = FILES) => {
    await seed(withContents(one), [
      `${directory}/`,
      ...Array.from({ length: files }, (_, index) => `${directory}/${index}`),
    ]);
    return await find(one, directory);
  };
  const add = (store: PostgresResourceStore, path: string) =>
    withContents(store).write((it) => it.insert([newRecord({ path, content: path })]));

  /** Begins a large change, which has done its work, and waits. */
  const begin = async (work: (transaction: WriteTransaction) => Promise<unknown>) => {
    const done = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const ended = one.write(async (transaction) => {
      await work(transaction);
      done.resolve();
      await leave.promise;
    }, { isLocal: true });
    await Promise.race([done.promise, ended]);
    return {
      end: async () => {
        leave.resolve();
        await ended;
      },
      fail: async (error: Error) => {
        leave.reject(error);
        await assert.rejects(ended, error);
      },
    };
  };
  const kinds = {
    move: (directory: string) => async (it: WriteTransaction) => {
      const source = (await it.findByPath(OWN, [directory])).get(directory);
      assert.ok(source);
      await it.moveSubtrees([{ source, target: `${directory}-target` }], 5);
    },
    copy: (directory: string) => async (it: WriteTransaction) => {
      const source = (await it.findByPath(OWN, [directory])).get(directory);
      assert.ok(source);
      await it.copySubtrees([{ source, target: `${directory}-target` }], 5);
    },
    remove: (directory: string) => async (it: WriteTransaction) => {
      const source = (await it.findByPath(OWN, [directory])).get(directory);
      assert.ok(source);
      await it.deleteSubtrees([source]);
    },
  };
  for (const [name, kind] of Object.entries(kinds)) {
    await t.step(`C 31 others change the same tree during a ${name} of many records`, async () => {
      await fill(name);
      const before = await one.usage(OWN);
      const change = await begin(kind(name));
      for (const [index, store] of [one, two].entries()) {
        await seed(withContents(store), [`${name} ${index}/`, `${name} ${index}/f`]);
        const found = await find(store, `${name} ${index}`);
        await store.write((it) => it.moveSubtrees([{ source: found, target: `${name} x` }], 5));
        const moved = await find(store, `${name} x`);
        await store.write((it) => it.deleteSubtrees([moved]), { isLocal: true });
      }
      await add(two, `${name} stays`);
      // C 7: nobody sees a part of it.
      assert.equal((await pathsOf(two, name)).length, FILES);
      assert.deepEqual(await pathsOf(two, `${name}-target`), []);
      await change.end();
      assert.equal((await pathsOf(two, name)).length, name === "copy" ? FILES : 0);
      assert.equal((await pathsOf(two, `${name}-target`)).length, name === "remove" ? 0 : FILES);
      const after = await two.usage(OWN);
      const more = { move: 1, copy: FILES + 2, remove: -FILES }[name];
      assert.equal(after.records, before.records + Number(more));
    });
  }
  await t.step("C 31 who changes what a large change changes waits for its end", async () => {
    const source = await fill("d");
    await seed(withContents(one), ["above/"]);
    const change = await begin((it) => it.moveSubtrees([{ source, target: "above/d" }], 5));
    const order: string[] = [];
    const file = await find(one, "d/1");
    const waiting = [
      add(two, "above/d/new").then(() => order.push("a file below the target")),
      two.write((it) => it.replaceFiles([{ ...file, updatedAt: 6 }])).then(([replaced]) =>
        order.push(`a file that is ${replaced?.path} now`)
      ),
    ];
    await add(one, "elsewhere");
    await add(two, "elsewhere too");
    order.push("the large change");
    await change.end();
    await Promise.all(waiting);
    assert.deepEqual([order[0], ...order.slice(1).sort()], [
      "the large change",
      "a file below the target",
      "a file that is above/d/1 now",
    ]);
    const above = await find(one, "above");
    const second = await begin(kinds.copy("above/d"));
    const moved = two.write((it) => it.moveSubtrees([{ source: above, target: "up" }], 7));
    await add(two, "meanwhile");
    assert.equal((await pathsOf(two, "up")).length, 0);
    await second.end();
    await moved;
    assert.equal((await pathsOf(two, "up/d-target")).length, FILES + 1);
  });
  await t.step("C 31 two large changes of the same records run one after the other", async () => {
    await fill("twice");
    const change = await begin(kinds.move("twice"));
    const second = two.write(async (it) => {
      const found = (await it.findByPath(OWN, ["twice", "twice-target"])).get("twice-target");
      if (found !== undefined) await it.deleteSubtrees([found]);
      return found?.path;
    }, { isLocal: true });
    await add(two, "between");
    await change.end();
    // It is after the first one, or before.
    const deleted = await second;
    assert.equal((await pathsOf(two, "twice-target")).length, deleted === undefined ? FILES : 0);
  });
  await t.step(
    "C 31 a large change that finds another one when it is noted waits for it",
    async () => {
      await fill("late");
      const change = await begin(kinds.copy("late"));
      const roots = [{ userId: 1, path: "late/1" }];
      await assert.rejects(
        noteLargeChange(two.database, roots),
        (error) => busyChange(error) !== undefined,
      );
      await change.end();
      const number = await noteLargeChange(two.database, roots);
      await forgetLargeChange(two.database, number);
      await add(one, "late/new");
    },
  );
  await t.step("C 31 a large change that fails has changed nothing, and nobody waits", async () => {
    await fill("failing");
    const before = await one.usage(OWN);
    const change = await begin(kinds.copy("failing"));
    await change.fail(new Error("as a test wants"));
    await add(two, "failing/new");
    assert.equal((await pathsOf(two, "failing-target")).length, 0);
    assert.equal((await two.usage(OWN)).records, before.records + 1);
  });
  await t.step("C 31 the end of a server ends its large change", async () => {
    await fill("killed");
    const dying = await openPostgresStore(url, { maxDirectRecords: 10 });
    const begun = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<never>();
    const broken = dying.write(async (it) => {
      await kinds.move("killed")(it);
      begun.resolve();
      await leave.promise;
    }, { isLocal: true });
    const ended = assert.rejects(broken);
    await begun.promise;
    const waiting = add(two, "killed/new");
    await two.database.get(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE state = 'idle in transaction' AND datname = current_database()
       ORDER BY xact_start LIMIT 1`,
    );
    // It might still have been about to begin.
    await two.database.use(
      "writes",
      (session) =>
        session.script("UPDATE large_changes SET noted_at = noted_at - interval '1 minute'"),
    );
    await waiting;
    assert.equal((await pathsOf(two, "killed")).length, FILES + 1);
    const left = await two.database.all("SELECT change FROM large_changes");
    assert.deepEqual(left, []);
    leave.reject(new Error("its connection is gone"));
    await ended;
    await dying[Symbol.asyncDispose]();
  });
  await t.step(
    "C 31 a repository's version is raised at the end of a large change in it",
    async () => {
      await seed(withContents(one), ["models/", "models/ns/", "models/ns/name/"]);
      await fill("models/ns/name/d");
      const repository = { userId: 1, directory: "models/ns/name" };
      const version = async () => (await two.hub.versionOf(repository)).changes;
      const change = await begin(kinds.copy("models/ns/name/d"));
      const before = await version();
      await add(two, "models/ns/name/f");
      const between = await version();
      assert.ok(between > before);
      await change.end();
      assert.ok(await version() > between);
    },
  );
  await t.step(
    "C 31 a server of the version before changes nothing of a large change",
    async () => {
      await fill("held");
      const change = await begin(kinds.move("held"));
      const old = await two.database.connect("writes");
      // It takes the lock of the tree, and does not ask.
      await assert.rejects(
        old.session.script(
          `BEGIN; INSERT INTO records
           (user_id, path, parent, name, size, crc32, is_dir, created_at, updated_at)
         VALUES (1, 'held/new', 'held', 'new', 0, 0, TRUE, 0, 0)`,
        ),
        { code: "40001" },
      );
      await old[Symbol.asyncDispose]();
      await change.end();
    },
  );

  await t.step(
    "C 7 a restore of many records lets others change the rest of the tree",
    async () => {
      await one.history.turn(true);
      const source = await fill("deleted");
      await one.write((it) => it.deleteSubtrees([source]));
      const [entry] = (await one.history.trash({ userId: 1, limit: 1 })).entries;
      assert.equal(entry?.path, "deleted");
      const restore = await begin((it) =>
        it.history.restoreSubtrees(
          [{ source, target: "restored" }],
          { version: entry.version - 1 },
          5,
        )
      );
      await add(two, "beside a restore");
      await restore.end();
      assert.ok((await pathsOf(two, "restored")).length >= FILES);
      await find(two, "beside a restore");
      await one.history.turn(false);
    },
  );

  await t.step("C 26 a restore of many records to one of them brings that back, too", async () => {
    await one.history.turn(true);
    const source = await fill("whole");
    const [file] = await pathsOf(one, "whole");
    const { point } = await one.history.at(1, { time: Date.now() + 60_000 });
    const target = file ?? assert.fail();
    const replaced = await find(one, target);
    const restore = await begin(async (it) => {
      await it.deleteSubtrees([replaced]);
      await it.history.restoreSubtrees([{ source, target }], point, 5);
    });
    await restore.end();
    const restored = await pathsOf(one, target);
    assert.ok(restored.includes(target.replace("whole", target)), restored.join());
    assert.equal(restored.length, FILES);
    await one.history.turn(false);
  });
});
