import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { HubStore, PageRequest } from "../../core/hub/store.ts";
import { newRecord } from "../support/seed.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

const PATHS = [
  "models/",
  "models/a/",
  "models/a/r/",
  "models/a/r/d/",
  "models/a/r/d!",
  "models/a/r/d/x",
  "models/a/r/d/é",
  "models/a/r/d0",
  "models/a/r!/",
  "models/a/r!/outside",
  "models/a/r0",
  "models/a-b/",
  "models/a-b/r/",
  "models/b/",
  "models/b/file",
];

/** The conformance suite for every {@link HubStore}. */
export function hubStoreSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test(
    "C 20 pages of a repository have what is below a directory of its owner, in order",
    async ({ store: records, rows }, t) => {
      for (const userId of [1, 2]) {
        const own = userId === 1 ? PATHS : [...PATHS.slice(0, 3), "models/a/r/foreign"];
        await records.write((transaction) =>
          transaction.insert(own.map((path) => newRecord({ path, userId })))
        );
      }
      await rows("UPDATE contents SET sha256 = NULL");
      const store: HubStore = records.hub;
      const read = async (request: Partial<PageRequest>) => {
        const { text, next } = await store.page({
          userId: 1,
          directory: "models/a/r",
          form: { kind: "tree", unscannedAs: "unscanned" },
          below: "models/a/r",
          recursive: true,
          after: "",
          limit: 100,
          ...request,
        });
        const items: unknown = JSON.parse(`[${new TextDecoder().decode(text).slice(1)}]`);
        assert.ok(Array.isArray(items));
        return { paths: items.map(({ path }) => path), next };
      };
      const all = ["d", "d!", "d/x", "d/é", "d0"];

      await t.step("C 20 all of it, or one level", async () => {
        assert.deepEqual(await read({}), { paths: all, next: undefined });
        assert.deepEqual((await read({ recursive: false })).paths, ["d", "d!", "d0"]);
        assert.deepEqual((await read({ below: "models/a/r/d" })).paths, ["d/x", "d/é"]);
        assert.deepEqual((await read({ userId: 2 })).paths, ["foreign"]);
        assert.deepEqual((await read({ userId: 3 })).paths, []);
      });
      await t.step("C 20 page by page, from wherever one begins", async () => {
        for (const recursive of [true, false]) {
          const found: string[] = [];
          let after: string | undefined = "";
          while (after !== undefined) {
            const page: Awaited<ReturnType<typeof read>> = await read({
              recursive,
              after,
              limit: 1,
            });
            found.push(...page.paths);
            after = page.next;
          }
          assert.deepEqual(found, (await read({ recursive })).paths);
        }
        for (const after of ["a", "models/a/r!", "models/a", "models/a/r"]) {
          assert.deepEqual((await read({ after })).paths, all, after);
        }
        for (const after of ["models/a/r0", "models/b", "z", "\u{10ffff}"]) {
          assert.deepEqual((await read({ after })).paths, [], after);
        }
      });
      await t.step("C 20 named records, whatever else is named", async () => {
        const page = await store.at({
          userId: 1,
          directory: "models/a/r",
          form: { kind: "siblings", blobs: false, security: false, unscannedAs: "unscanned" },
          paths: ["models/a/r/d0", "models/a/r/foreign", "models/a/r/d", "models/a/r/d!"],
        });
        const text = new TextDecoder().decode(page.text);
        assert.equal(text, ',{"rfilename":"d!"},{"rfilename":"d0"}');
        assert.deepEqual([page.count, page.next, page.withoutSha256], [2, undefined, "d!"]);
      });
      await t.step("C 31 the ids of blobs in Git, of content that is in the database", async () => {
        const bytes = new TextEncoder().encode("hello");
        const file = newRecord({ path: "models/a/r/hello.txt", userId: 4, content: "hello" });
        const { hash, size, crc32 } = file;
        const shown = async () => {
          const { text } = await store.page({
            ...{ userId: 4, directory: "models/a/r", below: "models/a/r" },
            ...{ recursive: true, after: "", limit: 100 },
            form: { kind: "siblings", blobs: true, security: false, unscannedAs: "unscanned" },
          });
          return JSON.parse(new TextDecoder().decode(text.subarray(1)));
        };
        // An earlier version kept small content in files, too: then it is taken for one of Git LFS.
        const directories = PATHS.slice(0, 3).map((path) => newRecord({ path, userId: 4 }));
        await records.write((transaction) => transaction.insert([...directories, file]));
        assert.deepEqual(await store.blobIds([hash]), new Map());
        assert.equal(Object.hasOwn(await shown(), "lfs"), true);
        const content = { hash, size, crc32, sha256: new Uint8Array(32), bytes };
        await records.write((transaction) => transaction.contents.replace(content));
        const blobId = createHash("sha1").update("blob 5\0hello").digest("hex");
        assert.deepEqual(await store.blobIds([hash, "f".repeat(32)]), new Map([[hash, blobId]]));
        assert.deepEqual(await shown(), { rfilename: "hello.txt", size, blobId });
      });
      await t.step("C 20 repositories by namespace and name, page by page", async () => {
        const list = async (query: { namespace?: string; after?: string; limit?: number } = {}) => {
          const found = await store.repositories({
            userId: 1,
            root: "models",
            limit: 100,
            ...query,
          });
          return found.map(({ id }) => id);
        };
        const ids = ["a/r", "a/r!", "a-b/r"];
        assert.deepEqual(await list(), ids);
        assert.deepEqual(await list({ namespace: "a" }), ["a/r", "a/r!"]);
        assert.deepEqual(await list({ limit: 1 }), ["a/r"]);
        for (const [index, after] of ids.entries()) {
          assert.deepEqual(await list({ after }), ids.slice(index + 1));
        }
      });
    },
  );
}
