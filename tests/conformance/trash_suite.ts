import * as assert from "node:assert/strict";
import type { TrashQuery } from "../../core/history.ts";
import type { NewRecord } from "../../core/ports.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

const USER = 1;
const SCOPE = { userId: USER, everyone: false };
const FILES = 6000;

/** What all engines do with much in the trash (C 26). See docs/design/past.md. */
export function trashSuite(engine: StoresEngine): void {
  storesTest(engine)(
    "C 26 the trash of many records is listed without a search of all for each",
    async ({ store }) => {
      await store.history.turn(true);
      const file = (path: string, index: number): NewRecord => ({
        ...{ userId: USER, path, hash: index.toString(16).padStart(32, "0"), size: 2, crc32: 0 },
        ...{ isDir: false, createdAt: 1, updatedAt: 1 },
      });
      const directory = { ...file("d", 0), hash: "", size: 0, isDir: true };
      await store.write((transaction) =>
        transaction.insert([
          directory,
          ...Array.from({ length: FILES }, (_, index) => file(`d/${index}`, index + 1)),
          ...Array.from({ length: FILES }, (_, index) => file(`${index}`, index + 1)),
        ])
      );
      const roots = async (
        paths: readonly string[],
      ) => [...(await store.findByPath(SCOPE, paths)).values()];
      for (const paths of [["d"], Array.from({ length: FILES }, (_, index) => `${index}`)]) {
        const records = await roots(paths);
        await store.write((transaction) => transaction.deleteSubtrees(records), { userId: USER });
      }
      const check = async () => {
        const { entries, next } = await store.history.trash({ userId: USER, limit: 10_000 });
        assert.equal(next, undefined);
        assert.equal(entries.length, FILES + 1);
        const { path, files, size } = entries.at(-1) ?? {};
        assert.deepEqual({ path, files, size }, { path: "d", files: FILES, size: 2 * FILES });
      };
      // In no order yet, and then in order.
      await check();
      while (!await store.history.settle());
      await check();
    },
  );

  storesTest(engine)(
    "C 26 the trash has what was deleted before many changes of other files",
    async ({ store }) => {
      await store.history.turn(true);
      const file = (path: string, content: number): NewRecord => ({
        ...{ userId: USER, path, hash: content.toString(16).padStart(32, "0"), size: 2, crc32: 0 },
        ...{ isDir: false, createdAt: 1, updatedAt: 1 },
      });
      const paths = Array.from({ length: 1000 }, (_, index) => `${index}`);
      await store.write((transaction) =>
        transaction.insert(["old", "older", ...paths].map((path, index) => file(path, index + 1)))
      );
      const found = await store.findByPath(SCOPE, ["old", "older", ...paths]);
      for (const path of ["older", "old"]) {
        const record = found.get(path);
        assert.ok(record);
        await store.write((transaction) => transaction.deleteSubtrees([record]), { userId: USER });
      }
      const replace = (version: number) =>
        paths.flatMap((path, index) => {
          const id = found.get(path)?.id;
          return id === undefined ? [] : [{ ...file(path, version * 10_000 + index), id }];
        });
      for (let version = 1; version <= 12; version++) {
        await store.write((transaction) => transaction.replaceFiles(replace(version)));
      }
      const list = async (limit: number) => {
        const paths: string[] = [];
        let place: TrashQuery["place"];
        do {
          const { entries, next } = await store.history.trash({ userId: USER, limit, place });
          paths.push(...entries.map(({ path }) => path));
          place = next;
        } while (place !== undefined);
        return paths;
      };
      const check = async () => {
        const { entries } = await store.history.trash({ userId: USER, limit: 1 });
        assert.deepEqual(entries.map(({ path }) => path), ["old"]);
        for (const limit of [1, 2, 10]) assert.deepEqual(await list(limit), ["old", "older"]);
      };
      // In no order yet, and then in order.
      await check();
      while (!await store.history.settle());
      await check();
    },
  );
}
