import * as assert from "node:assert/strict";
import { AppError } from "../../../core/errors.ts";
import { isBelow, parentOf } from "../../../core/paths.ts";
import type { ResourceStore, WriteTransaction } from "../../../core/ports.ts";
import { Postgres } from "../../support/postgres.ts";
import type { PostgresResourceStore } from "../../../storage/postgres/postgres_resource_store.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { type Random, seededRandom } from "../../support/random.ts";
import { withContents } from "../../support/referenced_contents.ts";
import { newRecord, seed } from "../../support/seed.ts";

const OWN = { userId: 1, everyone: false };

Deno.test({ name: "PostgresResourceStores", ignore: !Postgres.isInstalled }, async (t) => {
  await using engine = await Postgres.start({ settings: { deadlock_timeout: "50ms" } });
  const url = await engine.createDatabase();
  await using one = await openPostgresStore(url);
  await using two = await openPostgresStore(url);

  const runWriters = async (stores: readonly PostgresResourceStore[], seed: number) => {
    await one.write(async (transaction) => {
      const found = await transaction.findByPath(OWN, NAMES);
      await transaction.deleteSubtrees([...found.values()]);
    });
    const model = new TreeModel();
    const random = seededRandom(seed);
    const writers = [...stores, ...stores, ...stores].map((store) => withContents(store));
    await Promise.all(writers.map(async (store) => {
      for (let round = 0; round < 100; round++) {
        const change = randomChange(random);
        const isLocal = change.kind !== "add" && change.kind !== "addDirectory";
        const work = (it: WriteTransaction) => apply(it, model, change);
        const changed = await store.write(work, { isLocal })
          .catch((error) => {
            if (error instanceof AppError) return undefined;
            throw error;
          });
        if (changed !== undefined) model.commit(changed, change);
      }
    }));
    const expected = model.replay();
    const records = (await Array.fromAsync(two.list({
      scope: OWN,
      recursive: true,
      directories: [],
      chain: [],
    }))).flat();
    assert.deepEqual(new Map(records.map(({ path, isDir }) => [path, isDir])), expected);
    const { records: count, files } = await one.usage(OWN);
    assert.deepEqual([count, files], [
      expected.size,
      [...expected.values()].filter((isDir) => !isDir).length,
    ]);
    assert.ok(model.size > 60, "too few changes succeeded");
  };
  await t.step(
    "C 23 writers of one tree at two servers run one after the other",
    () => runWriters([one, two], 7),
  );
  await t.step(
    "C 31 so do changes that take turns with none but those of the same records",
    async () => {
      await using three = await openPostgresStore(url, { maxDirectRecords: 1 });
      await using four = await openPostgresStore(url, { maxDirectRecords: 1 });
      await runWriters([one, three, four], 8);
    },
  );
  await t.step("C 23 a collection that another server removes fails no new one", async () => {
    await one.database.use(
      "writes",
      (session) => session.run("INSERT INTO collections (files, read_at) VALUES (0, '-infinity')"),
    );
    const removing = await two.database.connect("writes");
    await removing.session.script("BEGIN; DELETE FROM collections WHERE read_at = '-infinity'");
    const collected = one.collectFiles({ userId: 1, byPath: [], byId: [] });
    // In vain, if it waits for the other one.
    await Promise.race([collected, new Promise((resolve) => setTimeout(resolve, 500))]);
    await removing.session.script("COMMIT");
    await removing[Symbol.asyncDispose]();
    await using collection = await collected;
    assert.deepEqual(await Array.fromAsync(collection.pages()), []);
  });
  await t.step("C 23 writers of different trees do not wait for each other", async () => {
    const first = Promise.withResolvers<void>();
    const waiting = one.write(async (transaction) => {
      await transaction.usage(11);
      await first.promise;
    });
    await two.write((transaction) => transaction.usage(12));
    await one.write((transaction) => transaction.usage(13));
    first.resolve();
    await waiting;
  });
  await t.step(
    "C 23 who writes to all trees waits for writers of one, and they for it",
    async () => {
      const order: string[] = [];
      const entered = Promise.withResolvers<void>();
      const leave = Promise.withResolvers<void>();
      const single = one.write(async (transaction) => {
        await transaction.usage(21);
        entered.resolve();
        await leave.promise;
        order.push("one tree");
      });
      await entered.promise;
      const all = two.write(async (transaction) => {
        await transaction.findByPath({ userId: 22, everyone: true }, ["a"]);
        order.push("all trees");
      });
      leave.resolve();
      await Promise.all([single, all]);
      assert.deepEqual(order, ["one tree", "all trees"]);
    },
  );
  await t.step("C 23 work runs again after a deadlock", async () => {
    let attempts = 0;
    const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const cross = (store: ResourceStore, mine: number, other: number) =>
      store.write(async (transaction) => {
        attempts++;
        await transaction.usage(31 + mine);
        met[mine]?.resolve();
        await met[other]?.promise;
        await transaction.usage(31 + other);
      });
    await Promise.all([cross(one, 0, 1), cross(two, 1, 0)]);
    assert.ok(attempts >= 3);
  });
  await t.step(
    "C 23 work runs again if the content that it shares was removed meanwhile",
    async () => {
      let attempts = 0;
      const record = newRecord({ path: "shared", userId: 41, content: "shared" });
      const { hash, size, crc32 } = record;
      await one.write(async (transaction) => {
        if (++attempts > 1) {
          const sha256 = new Uint8Array(32);
          await transaction.contents.put([{ hash, size, crc32, sha256, bytes: undefined }]);
        }
        await transaction.insert([record]);
      });
      assert.equal(attempts, 2);
    },
  );
  await t.step(
    "C 23 work runs again after a serialization failure, and only so often",
    async () => {
      await using plain = await openPostgresStore(url);
      await failUsage(plain.database, "serialization_failure", 2);
      let attempts = 0;
      await seed(one, [{ path: "again/", userId: 51 }]).then(() => attempts++);
      await failUsage(plain.database, "serialization_failure", 1000);
      const counted = one.write((transaction) => {
        attempts++;
        return transaction.insert([newRecord({ path: "never/", userId: 51 })]);
      });
      await assert.rejects(counted, { kind: "ErrUnavailable", retryAfterS: 1 });
      assert.ok(attempts > 5 && attempts < 50);
      await failUsage(plain.database, "division_by_zero", 1000);
      attempts = 0;
      await assert.rejects(one.write((transaction) => {
        attempts++;
        return transaction.insert([newRecord({ path: "never/", userId: 51 })]);
      }));
      assert.equal(attempts, 1);
      await failUsage(plain.database, "serialization_failure", 0);
      await seed(one, [{ path: "at last/", userId: 51 }]);
    },
  );
  await t.step("C 23 content is not removed while a record of it is added", async () => {
    const record = newRecord({ path: "kept", userId: 61, content: "kept" });
    const { hash, size, crc32 } = record;
    const put = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const adding = one.write(async (transaction) => {
      const sha256 = new Uint8Array(32);
      await transaction.contents.put([{ hash, size, crc32, sha256, bytes: undefined }]);
      put.resolve();
      await leave.promise;
      await transaction.insert([record]);
    });
    await put.promise;
    const ask = () => two.write((transaction) => transaction.unreferenced([hash]));
    const asked = ask();
    leave.resolve();
    assert.deepEqual(await asked, []);
    await adding;
    assert.deepEqual(await ask(), []);
    const [found] = (await two.findByPath({ userId: 61, everyone: false }, ["kept"])).values();
    assert.ok(found);
    await two.write((transaction) => transaction.deleteSubtrees([found]));
    await one.write(async (transaction) => {
      const sha256 = new Uint8Array(32);
      await transaction.contents.put([{ hash, size, crc32, sha256, bytes: undefined }]);
      // Who asks does not wait for a row that is there.
      assert.deepEqual(await ask(), []);
    });
    const added = Promise.withResolvers<void>();
    await two.write(async (transaction) => {
      assert.deepEqual(await transaction.unreferenced([hash]), [hash]);
      await transaction.contents.remove([hash]);
      // It waits for the removal, and then adds the row again.
      withContents(one).write((other) => other.insert([record])).then(
        () => added.resolve(),
        added.reject,
      );
    }, { alone: true });
    await added.promise;
  });
});

/** Makes the next changes of what trees hold fail. */
async function failUsage(
  database: { use(purpose: "writes", work: (session: Scripts) => Promise<void>): Promise<void> },
  condition: string,
  times: number,
): Promise<void> {
  await database.use("writes", (session) =>
    session.script(`
      DROP SEQUENCE IF EXISTS failures CASCADE;
      CREATE SEQUENCE failures;
      CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('failures') <= ${times} THEN RAISE ${condition}; END IF;
        RETURN NULL;
      END $$;
      CREATE OR REPLACE TRIGGER fail AFTER INSERT OR UPDATE ON usage
        FOR EACH STATEMENT EXECUTE FUNCTION fail()`));
}

interface Scripts {
  script(sql: string): Promise<void>;
}

interface Change {
  readonly kind: "add" | "addDirectory" | "delete" | "move" | "copy";
  readonly path: string;
  readonly target: string;
}

const NAMES = ["a", "b", "c"];

function randomChange(random: Random): Change {
  const path = () =>
    Array.from({ length: 3 - Math.floor(Math.sqrt(random(9))) }, () => pick(random, NAMES)).join(
      "/",
    );
  const kinds = ["add", "addDirectory", "addDirectory", "delete", "move", "copy"] as const;
  return { kind: pick(random, kinds), path: path(), target: path() };
}

function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[random(values.length)];
  assert.ok(value !== undefined);
  return value;
}

/** Carries a change out if it makes sense. Returns its turn among the changes of the tree. */
async function apply(
  transaction: WriteTransaction,
  model: TreeModel,
  { kind, path, target }: Change,
): Promise<number | undefined> {
  const added = kind === "add" || kind === "addDirectory";
  const above = parentOf(added ? path : target);
  const found = await transaction.findByPath(OWN, [path, target, above]);
  /** Takes the turn under the lock of the tree, which is held until the commit. */
  const turn = async () => {
    await transaction.usage(OWN.userId);
    return model.nextTurn();
  };
  const source = found.get(path);
  if (added) {
    if (source !== undefined || above !== "" && found.get(above)?.isDir !== true) return undefined;
    await transaction.insert([
      newRecord(kind === "add" ? { path, content: path } : `${path}/`),
    ]);
    return await turn();
  }
  if (source === undefined) return undefined;
  if (kind === "delete") {
    await transaction.deleteSubtrees([source]);
    return await turn();
  }
  const isInside = path === target || isBelow(target, path) || isBelow(path, target);
  if (isInside || above !== "" && found.get(above)?.isDir !== true) return undefined;
  const operation = kind === "move" ? "moveSubtrees" : "copySubtrees";
  await transaction[operation]([{ source, target }], 5000);
  return await turn();
}

/** What the paths of a tree are after changes that ran one after the other: whether each is a directory. */
class TreeModel {
  #turns = 0;
  readonly #committed = new Map<number, Change>();

  nextTurn(): number {
    return ++this.#turns;
  }

  commit(turn: number, change: Change): void {
    this.#committed.set(turn, change);
  }

  get size(): number {
    return this.#committed.size;
  }

  replay(): Map<string, boolean> {
    const tree = new Map<string, boolean>();
    for (const [, change] of [...this.#committed].sort(([a], [b]) => a - b)) {
      const { kind, path, target } = change;
      if (kind === "add" || kind === "addDirectory") tree.set(path, kind === "addDirectory");
      else {
        const subtree = [...tree].filter(([it]) => it === path || isBelow(it, path));
        if (kind !== "copy") { for (const [it] of subtree) tree.delete(it); }
        if (kind === "delete") continue;
        for (const [it, isDir] of subtree) tree.set(target + it.slice(path.length), isDir);
      }
    }
    return tree;
  }
}
