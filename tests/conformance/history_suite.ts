import * as assert from "node:assert/strict";
import { HISTORY_ROW_BYTES, type HistoryBounds } from "../../core/history.ts";
import type { NewRecord, ResourceRecord, WriteTransaction } from "../../core/ports.ts";
import { ancestorsOf, isBelow } from "../../core/paths.ts";
import type { SqlRow } from "../../storage/tables/dialect.ts";
import { seededRandom } from "../support/random.ts";
import { type OpenedStores, type StoresEngine, storesTest } from "../support/stores.ts";

/** Path, and hash or "" for a directory, of each record of a tree. */
type State = ReadonlyMap<string, string>;

const USER = 1;
const SCOPE = { userId: USER, everyone: false };
const md5 = (number: number) => number.toString(16).padStart(32, "0");

/** A version as reads resolve it: a negative number is that of a large change. */
const RESOLVED = (column: string, isPostgres: boolean) =>
  isPostgres
    ? `(CASE WHEN ${column} >= 0 THEN ${column} ELSE (
         SELECT version FROM tree_changes WHERE tree_changes.user_id = ${USER} AND change = -${column}
       ) END)`
    : column;

/** Works that fail on purpose. */
class Failed extends Error {}

/** A tree, and its states by version as maps. */
class Model {
  readonly kept = new Map<number, State>([[0, new Map()]]);
  readonly #opened: OpenedStores;
  #contents = 0;

  constructor(opened: OpenedStores) {
    this.#opened = opened;
  }

  get #isPostgres(): boolean {
    return this.#opened.dialect.recordTables.length === 2;
  }

  async records(): Promise<ResourceRecord[]> {
    const listed: ResourceRecord[] = [];
    const query = { scope: SCOPE, recursive: true, directories: [], chain: [] };
    for await (const page of this.#opened.store.list(query)) listed.push(...page);
    return listed;
  }

  async version(): Promise<number> {
    const rows = await this.#opened.rows(
      `SELECT version FROM tree_versions WHERE user_id = ${USER}`,
    );
    return Number(rows[0]?.version ?? 0);
  }

  /** Runs a work, and remembers what the tree is then. Each that changes something makes one version. */
  async work(run: (transaction: WriteTransaction) => Promise<unknown>): Promise<void> {
    const before = { version: await this.version(), state: stateOf(await this.records()) };
    await this.#opened.store.write(run, { userId: USER }).catch((error) => {
      if (!(error instanceof Failed) && !("kind" in error)) throw error;
    });
    const version = await this.version();
    const state = stateOf(await this.records());
    if (version === before.version) assert.deepEqual(sorted(state), sorted(before.state));
    else assert.equal(version, before.version + 1);
    this.kept.set(version, state);
  }

  newFile(path: string): NewRecord {
    const hash = md5(++this.#contents);
    const facts = { hash, size: this.#contents % 7, crc32: 0, isDir: false };
    return { userId: USER, path, ...facts, createdAt: 1, updatedAt: 1 };
  }

  async at(version: number): Promise<State> {
    const since = RESOLVED("since", this.#isPostgres);
    const until = RESOLVED("until", this.#isPostgres);
    const rows: SqlRow[] = await this.#opened.rows(
      `SELECT path, hash FROM records WHERE user_id = ${USER} AND ${since} <= ${version}
       UNION ALL SELECT path, hash FROM former_states
       WHERE user_id = ${USER} AND ${since} <= ${version} AND ${until} > ${version}`,
    );
    assert.equal(new Set(rows.map(({ path }) => path)).size, rows.length, "a path has two records");
    return new Map(rows.map(({ path, hash }) => [String(path), String(hash ?? "")]));
  }

  /** All that the store reads of a version is what the tree was. */
  async #read(version: number, state: State): Promise<void> {
    const past = await this.#opened.store.history.at(USER, { version });
    const paths = [...state.keys()];
    const found = await past.findByPath(SCOPE, [...paths, "none"]);
    assert.deepEqual(sorted(stateOf([...found.values()])), sorted(state), `paths of ${version}`);
    const ids = [...found.values()].map(({ id }) => id);
    assert.deepEqual([...(await past.findById(SCOPE, ids)).keys()].sort(), ids.sort());
    const list = async (directories: readonly string[], recursive: boolean) => {
      const chain = [...new Set(directories.flatMap((path) => [...ancestorsOf(path), path]))];
      const listed: ResourceRecord[] = [];
      for await (const page of past.list({ scope: SCOPE, recursive, directories, chain })) {
        listed.push(...page);
      }
      const texts: string[] = [];
      for await (
        const { json } of past.listJson({ scope: SCOPE, recursive, directories, chain })
      ) texts.push(decoder.decode(json));
      assert.equal(JSON.parse(`[${texts.join("").slice(1)}]`).length, listed.length);
      return sorted(stateOf(listed));
    };
    const directories = paths.filter((path) => state.get(path) === "");
    const inside = (path: string, recursive: boolean) => (it: string) =>
      it === path || isBelow(path, it) ||
      (recursive ? isBelow(it, path) : parentOf(it) === path);
    const among = (is: (path: string) => boolean) =>
      sorted(new Map([...state].filter(([path]) => is(path))));
    for (const recursive of [true, false]) {
      assert.deepEqual(await list([], recursive), among((it) => recursive || parentOf(it) === ""));
      for (const path of directories) {
        assert.deepEqual(await list([path], recursive), among(inside(path, recursive)), path);
      }
      if (directories.length > 1) {
        assert.deepEqual(
          await list(directories, recursive),
          among((it) => directories.some((path) => inside(path, recursive)(it))),
        );
      }
    }
    const roots = [...found.values()].filter(({ path }) => parentOf(path) === "");
    await using files = await past.collectFiles({ userId: USER, byPath: roots, byId: [] });
    const collected = new Map<string, string>();
    for await (const page of files.pages()) {
      for (const { path, hash } of page) collected.set(path, hash);
    }
    assert.deepEqual(sorted(collected), among((path) => state.get(path) !== ""));
  }

  /** Each version reads back, and each content of one is referenced. */
  async check(): Promise<void> {
    const { dialect } = this.#opened;
    const referenced = new Set<string>();
    for (const table of dialect.recordTables) {
      const rows = await this.#opened.rows(`SELECT DISTINCT hash FROM ${table}`);
      for (const { hash } of rows) referenced.add(String(hash));
    }
    for (const [version, state] of this.kept) {
      assert.deepEqual(sorted(await this.at(version)), sorted(state), `version ${version}`);
      await this.#read(version, state);
      for (const hash of state.values()) {
        if (hash !== "") assert.ok(referenced.has(hash), `content of version ${version}`);
      }
    }
    const named = new Set([...this.kept.values()].flatMap((state) => [...state.values()]));
    referenced.delete("");
    referenced.delete("null");
    assert.deepEqual([...referenced].filter((hash) => !named.has(hash)), []);
  }
}

const decoder = new TextDecoder();
const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf("/"), 0));

/** One random step of a work. */
async function step(
  transaction: WriteTransaction,
  model: Model,
  roll: (below: number) => number,
): Promise<void> {
  const paths = ["a", "b", "c", "a/a", "a/b", "b/a", "b/b", "a/a/a", "b/a/a", "c/a", "c/b", "a/c"];
  const found = await transaction.findByPath(SCOPE, paths);
  const records = [...found.values()];
  const record = records[roll(records.length)];
  const free = paths.filter((path) => {
    const parent = path.slice(0, Math.max(path.lastIndexOf("/"), 0));
    return !found.has(path) && (parent === "" || found.get(parent)?.isDir === true);
  });
  const target = paths.filter((path) => {
    const parent = path.slice(0, Math.max(path.lastIndexOf("/"), 0));
    return parent === "" || found.get(parent)?.isDir === true;
  })[roll(8)];
  const place = free[roll(free.length)];
  switch (roll(7)) {
    case 0:
    case 1:
      if (place === undefined) return;
      await transaction.insert([{ ...model.newFile(place), hash: "", size: 0, isDir: true }]);
      return;
    case 2:
      if (place !== undefined) await transaction.insert([model.newFile(place)]);
      return;
    case 3:
      if (record === undefined || record.isDir) return;
      await transaction.replaceFiles([{ ...model.newFile(record.path), id: record.id }]);
      return;
    case 4:
      if (record !== undefined) await transaction.deleteSubtrees([record]);
      return;
    default: {
      if (record === undefined || target === undefined || target === record.path) return;
      if (isBelow(target, record.path)) return;
      const placements = [{ source: record, target }];
      if (roll(3) === 0) await transaction.copySubtrees(placements, 2);
      else await transaction.moveSubtrees(placements, 2);
    }
  }
}

function stateOf(records: readonly ResourceRecord[]): State {
  return new Map(records.map(({ path, hash }) => [path, hash]));
}

const sorted = (state: State) => [...state].sort(([a], [b]) => a < b ? -1 : 1);

/** Puts what changes have kept into order. */
async function settle({ store }: OpenedStores): Promise<void> {
  while (!await store.history.settle());
}

/** Nothing reads a version. */
async function isGone({ store }: OpenedStores, version: number): Promise<void> {
  const past = await store.history.at(USER, { version });
  const reads = [
    past.findByPath(SCOPE, ["none"]),
    past.findById(SCOPE, [1]),
    Array.fromAsync(past.list({ scope: SCOPE, directories: [], chain: [], recursive: false })),
  ];
  await Promise.all(
    reads.map((read) => assert.rejects(read, { kind: "ErrVersionsNotFound" })),
  );
}

/** What all engines do with the versions of trees (C 26). See docs/design/history.md. */
export function historySuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 26 every version reads back exactly, whatever works changed or failed", async (opened) => {
    await opened.store.history.turn(true);
    const roll = seededRandom(26);
    const model = new Model(opened);
    for (let work = 0; work < 60; work++) {
      const steps = 1 + roll(4);
      const fails = roll(6) === 0;
      await model.work(async (transaction) => {
        for (let index = 0; index < steps; index++) await step(transaction, model, roll);
        if (fails) throw new Failed();
      });
      // Half of the versions are read from what changes have written, which is in no order yet.
      if (work < 30) await settle(opened);
    }
    assert.ok(model.kept.size > 25, `${model.kept.size} versions`);
    await model.check();
    // Off, nothing is kept, and what was kept is gone; on again, history begins there.
    const { history } = opened.store;
    const version = await model.version();
    await history.turn(false);
    await isGone(opened, version);
    for (let done = false; !done;) {
      ({ done } = await history.giveUp({ before: 0, maxBytes: Infinity }));
    }
    const rows = await opened.rows(
      "SELECT path FROM former_states",
    );
    assert.deepEqual(rows, []);
    await opened.store.write((transaction) => transaction.insert([model.newFile("new")]));
    await history.turn(true);
    await isGone(opened, version);
    assert.equal(await model.version(), version + 1);
    const past = await history.at(USER, { version: version + 1 });
    assert.ok((await past.findByPath(SCOPE, ["new"])).has("new"));
  });

  test("C 26 a version reads back exactly while many rows are in no order yet", async (opened) => {
    await opened.store.history.turn(true);
    const model = new Model(opened);
    const files = Array.from({ length: 250 }, (_, at) => model.newFile(`${at}`));
    await model.work((transaction) => transaction.insert(files));
    const records = await model.records();
    await model.work((transaction) => transaction.deleteSubtrees(records));
    await model.check();
    await settle(opened);
    await model.check();
  });

  test("C 26 what is restored or tagged of the past was there to the end", async (opened) => {
    const { store } = opened;
    const model = new Model(opened);
    await store.write((transaction) => transaction.insert([model.newFile("before")]));
    await store.history.turn(true);
    // Nobody knows what the tree was before.
    await assert.rejects(store.history.at(USER, { time: 1 }), { kind: "ErrVersionsNotFound" });
    const version = await model.version();
    const [source] = await model.records();
    assert.ok(source);
    const tag = {
      userId: USER,
      name: "t",
      path: "",
      message: null,
      createdBy: 1,
      createdAt: 1,
    };
    // A tag that is gone, and a version that is.
    for (const point of [{ version, tag: 99 }, { version: version - 1 }]) {
      await assert.rejects(
        store.write(({ history }) => history.addTag(tag, point), { userId: USER }),
        { kind: "ErrVersionsNotFound" },
      );
      const placements = [{ source, target: "after" }];
      await assert.rejects(
        store.write(({ history }) => history.restoreSubtrees(placements, point, 2), {
          userId: USER,
        }),
        // Nothing is to be copied of a tag that is gone.
        { kind: /^Err(?:VersionsNotFound|ResourcesInvalidRequest)$/ },
      );
    }
    assert.deepEqual([...stateOf(await model.records()).keys()], ["before"]);
  });

  test("C 26 no more versions are given up than hold bytes beyond the bound", async (opened) => {
    const { store } = opened;
    await store.history.turn(true);
    const model = new Model(opened);
    const files = Array.from(
      { length: 2500 },
      (_, at) => ({ ...model.newFile(`${at}`), size: 1000 }),
    );
    await store.write((transaction) => transaction.insert(files));
    const records = await model.records();
    await store.write((transaction) => transaction.deleteSubtrees(records));
    const deleted = await model.version();
    const early = await store.history.at(USER, { version: deleted - 1 });
    for (let work = 0; work < 40; work++) {
      await store.write((transaction) => transaction.insert([model.newFile(`new${work}`)]));
    }
    for (let done = false; !done;) {
      ({ done } = await store.history.giveUp({ before: 0, maxBytes: 1_000_000 }));
    }
    await isGone(opened, deleted - 1);
    await (await store.history.at(USER, { version: deleted + 12 })).findByPath(SCOPE, ["a"]);
    const all = { scope: SCOPE, directories: [], chain: [], recursive: true };
    for (const form of ["list", "listJson"] as const) {
      // It is not taken for an empty one.
      await assert.rejects(Array.fromAsync<unknown>(early[form](all)), {
        kind: "ErrVersionsNotFound",
      });
    }
  });

  test("C 26 rows of history count, also those of empty files and directories", async (opened) => {
    const { store } = opened;
    await store.history.turn(true);
    const empty = (path: string) => ({ ...new Model(opened).newFile(path), size: 0 });
    const d = { ...empty("d"), hash: "", isDir: true };
    await store.write((transaction) => transaction.insert([d, ...["d/a", "d/b"].map(empty)]));
    const kept = async () => (await store.history.kept()).bytes;
    for (let work = 0; work < 40; work++) {
      await store.write(async (transaction) => {
        const [source] = (await transaction.findByPath(SCOPE, ["d", "e"])).values();
        assert.ok(source);
        const target = source.path === "d" ? "e" : "d";
        return await transaction.moveSubtrees([{ source, target }], 2);
      }, { userId: USER });
    }
    assert.equal(await kept(), 40 * 3 * HISTORY_ROW_BYTES);
    const give = async (bounds: HistoryBounds) => {
      for (let done = false; !done;) ({ done } = await store.history.giveUp(bounds));
    };
    const maxBytes = 30 * HISTORY_ROW_BYTES;
    await give({ before: 0, maxBytes });
    const rows = await opened.rows("SELECT path FROM former_states");
    assert.equal(await kept(), rows.length * HISTORY_ROW_BYTES);
    assert.ok(rows.length > 0 && await kept() <= maxBytes, `${rows.length} rows`);
    await give({ before: Number.MAX_SAFE_INTEGER, maxBytes });
    assert.equal(await kept(), 0);
  });

  test("C 26 content that one work moves, and then removes or replaces, is kept", async (opened) => {
    await opened.store.history.turn(true);
    const model = new Model(opened);
    await model.work((transaction) => transaction.insert([model.newFile("a"), model.newFile("b")]));
    const at = async (transaction: WriteTransaction, path: string) => {
      const record = (await transaction.findByPath(SCOPE, [path])).get(path);
      assert.ok(record, path);
      return record;
    };
    await model.work(async (transaction) => {
      for (const path of ["a", "b"]) {
        const placements = [{ source: await at(transaction, path), target: `${path}2` }];
        await transaction.moveSubtrees(placements, 2);
      }
      await transaction.deleteSubtrees([await at(transaction, "a2")]);
      const { id } = await at(transaction, "b2");
      await transaction.replaceFiles([{ ...model.newFile("b2"), id }]);
    });
    await model.check();
  });

  test("C 26 a file that gets the content that it has is as it was in the versions before", async (opened) => {
    const { store } = opened;
    await store.history.turn(true);
    const model = new Model(opened);
    const file = model.newFile("a");
    await model.work((transaction) => transaction.insert([file]));
    const [record] = await model.records();
    assert.ok(record);
    const { id } = record;
    const others = [file, model.newFile("a")];
    for (const [index, other] of others.entries()) {
      await model.work((it) => it.replaceFiles([{ ...other, id, updatedAt: 2 + index }]));
    }
    await model.check();
    const version = await model.version();
    for (const [index, updatedAt] of [1, 2, 3].entries()) {
      const past = await store.history.at(USER, { version: version - 2 + index });
      assert.equal((await past.findByPath(SCOPE, ["a"])).get("a")?.updatedAt, updatedAt);
    }
    // Content counts with each state that has it.
    assert.equal((await store.history.kept()).bytes, 2 * (HISTORY_ROW_BYTES + file.size));
  });
}
