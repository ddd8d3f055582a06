import * as assert from "node:assert/strict";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { withContents } from "../../support/referenced_contents.ts";
import { seed } from "../../support/seed.ts";

const OWN = { userId: 1, everyone: false };

Deno.test({
  name: "C 31 what a change of many records checks for each of them does not grow with them",
  ignore: !Postgres.isInstalled,
}, async (t) => {
  await using engine = await Postgres.start({ settings: { track_functions: "all" } });
  await using plain = await openPostgresStore(await engine.createDatabase());
  const store = withContents(plain);
  const find = async (path: string) => {
    const found = (await store.findByPath(OWN, [path])).get(path);
    assert.ok(found, path);
    return found;
  };
  /** How often functions of triggers have been called. */
  const calls = async () => {
    // Each connection reports what it has done when it has nothing to do.
    await store.database.use(
      "writes",
      (session) => session.get("SELECT pg_stat_force_next_flush()"),
    );
    const row = await store.database.get(
      "SELECT coalesce(sum(calls), 0) AS calls FROM pg_stat_user_functions",
    );
    return Number(row?.calls);
  };
  const changes = {
    move: async () => {
      const source = await find("d");
      await store.write((it) => it.moveSubtrees([{ source, target: "moved" }], 5));
    },
    copy: async () => {
      const source = await find("moved");
      await store.write((it) => it.copySubtrees([{ source, target: "copied" }], 5));
    },
    delete: async () => {
      const roots = [await find("moved"), await find("copied")];
      await store.write((it) => it.deleteSubtrees(roots));
    },
  };
  const counted: Record<string, number>[] = [];
  for (const count of [10, 1000]) {
    await seed(store, ["d/", ...Array.from({ length: count }, (_, index) => `d/${index}`)]);
    const counts: Record<string, number> = {};
    for (const [name, change] of Object.entries(changes)) {
      const before = await calls();
      await change();
      counts[name] = await calls() - before;
    }
    counted.push(counts);
  }
  assert.deepEqual(counted[1], counted[0]);

  await seed(store, ["d/", "d/e/", "d/e/f"]);
  const refused = [
    "DELETE FROM records WHERE path = 'd/e'",
    "UPDATE records SET path = 'x', parent = NULL, name = 'x' WHERE path = 'd/e'",
    "UPDATE records SET path = 'x/f', parent = 'x', name = 'f' WHERE path = 'd/e/f'",
    `INSERT INTO records (user_id, path, parent, name, size, crc32, is_dir, created_at, updated_at)
     VALUES (1, 'x/y', 'x', 'y', 0, 0, TRUE, 0, 0)`,
  ];
  for (const planned of ["on", "off"]) {
    for (const sql of refused) {
      await t.step(
        `C 5 no change leaves a record without its parent: ${planned}, ${sql}`,
        async () => {
          const change = store.database.use(
            "writes",
            (session) =>
              session.script(`BEGIN; SET LOCAL strongroom.planned = ${planned}; ${sql}; COMMIT`),
          );
          await assert.rejects(change, { code: "23503", constraint: "records_parent" });
        },
      );
    }
  }
});
