import * as assert from "node:assert/strict";
import type { NewLink } from "../../../core/links.ts";
import { SqliteResourceStore } from "../../../storage/database/sqlite_resource_store.ts";
import { TempDir } from "../../support/temp_dir.ts";

function newLink(changes: Partial<NewLink> = {}): NewLink {
  return {
    tokenSha256: crypto.randomUUID().replaceAll("-", "").repeat(2),
    userId: 7,
    recordId: 1,
    path: "a",
    createdBy: 3,
    createdAt: 1000,
    expiresAt: 2000,
    once: false,
    ...changes,
  };
}

Deno.test("C 19 a maker has a number of links at most, of which expired ones are forgotten", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const { links } = store;
  const first = await links.add(newLink(), 2);
  assert.ok(await links.add(newLink({ userId: 8 }), 2));
  assert.equal(await links.add(newLink(), 2), undefined);
  assert.ok(await links.add(newLink({ createdBy: 4 }), 2));
  const later = await links.add(newLink({ createdAt: 2000, expiresAt: 3000 }), 2);
  assert.notEqual(later?.id, first?.id);
  assert.deepEqual((await links.list({}, { limit: 10 }, 0)).map(({ id }) => id), [later?.id]);
});

Deno.test("C 19 a link is used once, and not after it has expired or was removed", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const { links } = store;
  const use = async (changes: Partial<NewLink>, now: number, times = 1) => {
    const { id } = await links.add(newLink(changes), 10) ?? { id: 0 };
    return await Promise.all(Array.from({ length: times }, () => links.use(id, now)));
  };
  assert.deepEqual((await use({ once: true }, 1000, 5)).sort(), [false, false, false, false, true]);
  assert.deepEqual(await use({ once: true }, 2000), [false]);
  assert.deepEqual(await use({ once: false }, 1000), [false]);
  const { id } = await links.add(newLink({ once: true }), 10) ?? { id: 0 };
  assert.equal(await links.remove({ userId: 8 }, id), undefined);
  assert.equal(await links.remove({ createdBy: 4 }, id), undefined);
  assert.equal((await links.remove({ userId: 7, createdBy: 3 }, id))?.id, id);
  assert.equal(await links.use(id, 1000), false);
});
