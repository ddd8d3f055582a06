import * as assert from "node:assert/strict";
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
}
