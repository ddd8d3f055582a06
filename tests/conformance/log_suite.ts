import * as assert from "node:assert/strict";
import type { LogPlace, TreeChange } from "../../core/history.ts";
import type { NewRecord, ResourceRecord, WriteTransaction } from "../../core/ports.ts";
import { compareBytewise } from "../../core/paths.ts";
import { type OpenedStores, type StoresEngine, storesTest } from "../support/stores.ts";

const USER = 1;
const SCOPE = { userId: USER, everyone: false };
const FILES = 10_500;

let contents = 0;

function newRecord(path: string, isDir = false): NewRecord {
  const hash = isDir ? "" : (++contents).toString(16).padStart(32, "0");
  const facts = { hash, size: isDir ? 0 : 1, crc32: 0, isDir };
  return { userId: USER, path, ...facts, createdAt: 1, updatedAt: 1 };
}

/** A change in a few words. */
const words = ({ version, action, path, formerPath }: TreeChange) =>
  `${version} ${action} ${formerPath === null ? path : `${formerPath} > ${path}`}`;

/** A change that a version is expected to have: its path, and what is told of it. */
type Told = readonly [path: string, text: string];

/** A tree, and what its history tells. */
class Watched {
  /** All changes in words, newest first, and those of a version by path. */
  readonly told: string[] = [];
  readonly #opened: OpenedStores;
  #version = 0;

  constructor(opened: OpenedStores) {
    this.#opened = opened;
  }

  async work(
    run: (transaction: WriteTransaction) => Promise<unknown>,
    told: readonly Told[],
  ): Promise<void> {
    await this.#opened.store.write(run, { userId: USER });
    const version = ++this.#version;
    const sorted = told.toSorted(([a], [b]) => compareBytewise(a, b));
    this.told.unshift(...sorted.map(([, text]) => `${version} ${text}`));
  }

  insert(...files: readonly NewRecord[]): Promise<void> {
    const told = files.map(({ path }): Told => [path, `added ${path}`]);
    return this.work((transaction) => transaction.insert(files), told);
  }

  async at(transaction: WriteTransaction, path: string): Promise<ResourceRecord> {
    const record = (await transaction.findByPath(SCOPE, [path])).get(path);
    assert.ok(record, path);
    return record;
  }

  /** All pages of a path. */
  async log(path: string, limit: number): Promise<string[]> {
    const texts: string[] = [];
    let place: LogPlace | undefined;
    do {
      const page = await this.#opened.store.history.log({ userId: USER, path, place, limit });
      assert.ok(page.changes.length <= limit);
      texts.push(...page.changes.map(words));
      place = page.next;
    } while (place !== undefined);
    return texts;
  }
}

/** What all engines tell of many changes (C 26). See docs/design/past.md. */
export function logSuite(engine: StoresEngine): void {
  storesTest(engine)(
    "C 26 the history of many records is told in pages, each after a bounded search",
    async (opened) => {
      const { store } = opened;
      await store.history.turn(true);
      const tree = new Watched(opened);
      await tree.insert(newRecord("d", true), newRecord("few", true));
      const name = (index: number) => String(index).padStart(5, "0");
      for (let start = 0; start < FILES; start += FILES / 3) {
        const indexes = Array.from({ length: FILES / 3 }, (_, index) => start + index);
        await tree.insert(...indexes.map((index) => newRecord(`d/${name(index)}`)));
      }
      await tree.insert(newRecord("few/a"), newRecord("few/b"));
      const indexes = Array.from({ length: FILES }, (_, index) => index);
      await tree.work(async (transaction) => {
        const source = await tree.at(transaction, "d");
        await transaction.moveSubtrees([{ source, target: "e" }], 2);
      }, [
        ["e", "moved d > e"],
        ...indexes.map((index): Told => [
          `e/${name(index)}`,
          `moved d/${name(index)} > e/${name(index)}`,
        ]),
      ]);
      // Some of what changes have kept gets into order.
      await store.history.settle();
      for (let work = 0; work < 70; work++) {
        const at = (index: number) => `e/${name(index)}`;
        const [moved, replaced, deleted] = [at(work), at(100 + work), at(200 + work)];
        const [target, added] = [`few/${work}`, `e/new${work}`];
        await tree.work(async (transaction) => {
          const source = await tree.at(transaction, moved);
          await transaction.moveSubtrees([{ source, target }], 3);
          const { id } = await tree.at(transaction, replaced);
          await transaction.replaceFiles([{ ...newRecord(replaced), id }]);
          await transaction.deleteSubtrees([await tree.at(transaction, deleted)]);
          await transaction.insert([newRecord(added)]);
        }, [
          [target, `moved ${moved} > ${target}`],
          [replaced, `replaced ${replaced}`],
          [deleted, `deleted ${deleted}`],
          [added, `added ${added}`],
        ]);
      }
      assert.deepEqual(await tree.log("", FILES), tree.told);
      while (!await store.history.settle());
      for (const limit of [1500, FILES]) {
        assert.deepEqual(await tree.log("", limit), tree.told, `pages of ${limit}`);
      }
      const few = tree.told.filter((text) => text.includes("few"));
      assert.deepEqual(await tree.log("few", 50), few);
      const own = tree.told.filter((text) => !/ (?:added|moved|replaced|deleted) few/.test(text));
      // What has left it is told where it was.
      assert.deepEqual((await tree.log("e", 2000)).sort(), own.sort());
      // A version with few thousand changes is read at once, not by what others had at all paths.
      const third = { version: 4, after: "", path: "" };
      const whole = { userId: USER, path: "", place: third, limit: FILES / 3 };
      assert.equal((await store.history.log(whole)).changes.length, FILES / 3);
      // A page ends before it has found anything, and says where the next one goes on.
      const place = { version: 6, after: "", path: "" };
      const page = await store.history.log({ userId: USER, path: "", place, limit: 1 });
      assert.deepEqual(page.changes, []);
      assert.ok(page.next);
    },
  );
}
