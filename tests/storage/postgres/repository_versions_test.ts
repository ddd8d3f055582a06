import * as assert from "node:assert/strict";
import type { RepositoryVersion } from "../../../core/hub/store.ts";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { withContents } from "../../support/referenced_contents.ts";
import { seed } from "../../support/seed.ts";

const startedPostgres = sharedPostgres();

const OWN = { userId: 1, everyone: false };
const ONE = { userId: 1, directory: "models/team/one" };

Deno.test({
  name: "C 31 changes in a repository raise its version, and none elsewhere does",
  ignore: !Postgres.isInstalled,
}, async (t) => {
  const engine = startedPostgres();
  await using plain = await openPostgresStore(await engine.createDatabase());
  const store = withContents(plain);
  const version = async () => (await store.hub.versionOf(ONE)).changes;
  const find = async (path: string) => {
    const found = (await store.findByPath(OWN, [path])).get(path);
    assert.ok(found, path);
    return found;
  };
  const remove = async (path: string) => {
    const found = await find(path);
    await store.write((transaction) => transaction.deleteSubtrees([found]));
  };
  const move = async (from: string, target: string) => {
    const source = await find(from);
    await store.write((transaction) => transaction.moveSubtrees([{ source, target }], 5));
  };
  const copy = async (from: string, target: string) => {
    const source = await find(from);
    await store.write((transaction) => transaction.copySubtrees([{ source, target }], 5));
  };
  const replace = async (path: string) => {
    const { id, hash, size, crc32 } = await find(path);
    await store.write((transaction) =>
      transaction.replaceFiles([{ id, userId: 1, hash, size, crc32, updatedAt: 9 }])
    );
  };
  await seed(store, ["d/", "d/f", "models/", "models/team/", "datasets/"]);
  assert.equal(await version(), 0);

  const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["it is made", () => seed(store, ["models/team/one/", "models/team/one/f"])],
    ["a file comes", () => seed(store, ["models/team/one/d/", "models/team/one/d/x"])],
    ["a file is replaced", () => replace("models/team/one/f")],
    ["a file moves", () => move("models/team/one/f", "models/team/one/g")],
    ["a file leaves", () => move("models/team/one/g", "d/g")],
    ["a directory is copied to it", () => copy("d", "models/team/one/d2")],
    ["a file is deleted", () => remove("models/team/one/d/x")],
    ["what is above it moves", () => move("models", "old")],
    ["what is above it comes back", () => move("old", "models")],
    ["it is deleted", () => remove("models/team")],
  ];
  for (const [name, change] of changes) {
    await t.step(`C 31 ${name}`, async () => {
      const before = await version();
      await change();
      assert.ok(await version() > before);
    });
  }
  await seed(store, ["models/team/", "models/team/one/", "models/team/one/f"]);
  const before = await version();
  const long = "n".repeat(255);
  await seed(store, [
    ...["models/f", "models/team/one2/", "models/team/one2/f", "models/team/two/"],
    ...["datasets/team/", "datasets/team/one/", "datasets/team/one/f"],
    ...[`models/${long}/`, `models/${long}/${long}/`, `models/${long}/${long}/f`],
  ]);
  const foreign = ["models/", "models/team/", "models/team/one/"];
  await seed(store, foreign.map((path) => ({ path, userId: 2 })));
  await move("models/team/one2", "models/team/three");
  await copy("models/team/one", "models/team/four");
  await replace("models/f");
  await remove("d");
  assert.equal(await version(), before);
});

Deno.test({
  name: "C 31 the revision of a repository is kept for all servers while it has its version",
  ignore: !Postgres.isInstalled,
}, async () => {
  const url = await startedPostgres().createDatabase();
  await using plain = await openPostgresStore(url);
  await using other = await openPostgresStore(url);
  const store = withContents(plain);
  const kept = async () => (await other.hub.versionOf(ONE)).revision;
  const keep = async (commitId: string, version: RepositoryVersion) => {
    await store.hub.keepRevision(ONE, version, { commitId, modifiedAt: 5 });
  };
  const unchanged = await store.hub.versionOf(ONE);
  assert.deepEqual(unchanged.revision, undefined);
  await keep("a", unchanged);
  assert.deepEqual(await kept(), { commitId: "a", modifiedAt: 5 });
  await seed(store, ["models/", "models/team/", "models/team/one/", "models/team/one/f"]);
  assert.deepEqual(await kept(), undefined);
  await keep("of before", unchanged);
  assert.deepEqual(await kept(), undefined);
  await keep("b", await store.hub.versionOf(ONE));
  await seed(store, ["models/team/two/", "elsewhere/"]);
  assert.deepEqual(await kept(), { commitId: "b", modifiedAt: 5 });
  // A repair of content changes no record.
  await plain.database.use(
    "writes",
    (session) => session.script("UPDATE contents SET sha256 = sha256('repaired')"),
  );
  assert.deepEqual(await kept(), undefined);
});
