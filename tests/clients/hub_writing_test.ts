import * as assert from "node:assert/strict";
import * as v from "valibot";
import { hubTest } from "../support/hub_clients.ts";

const Oid = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/));
const Repository = v.object({ url: v.string(), id: v.string(), type: v.string() });
const Commit = v.object({ url: v.string(), oid: Oid, repository: v.string() });
/** The class, status and text of an error. */
const Raised = v.tuple([v.string(), v.nullable(v.number()), v.string()]);

const Writing = v.object({
  created: Repository,
  again: Repository,
  taken: Raised,
  own: Repository,
  dataset: Repository,
  empty: v.tuple([Oid, v.number()]),
  first: Commit,
  after_first: v.array(v.string()),
  again_oid: Oid,
  second: Commit,
  after_second: v.array(v.string()),
  stale: Raised,
  missing_deletion: Raised,
  onto_a_folder: Raised,
  outside: Raised,
  missing_repository: Raised,
  other_revision: Raised,
  unchanged: v.array(v.string()),
  deleted_file: Commit,
  deleted_folder: Commit,
  after_deletions: v.array(v.string()),
  many: Commit,
  after_many: v.number(),
  dataset_commit: Commit,
  dataset_files: v.array(v.string()),
  onto_another: Raised,
  after_move: v.number(),
  before_move: Raised,
  deleted: Raised,
});

/** Bytes as the program makes them. */
const LARGE = Uint8Array.from({ length: 256_000 }, (_, index) => index % 256);

hubTest("C 20 HfApi creates and changes models and data sets", async (test) => {
  const { server, client, step } = test;
  const one = await server.as(1);
  const found = v.parse(Writing, await client.program("writing"));
  const { origin } = server;

  await step("C 20 repositories", async () => {
    const created = { url: `${origin}/hub/models/team/written`, id: "team/written", type: "model" };
    assert.deepEqual(found.created, created);
    assert.deepEqual(found.again, created);
    assert.deepEqual(found.taken.slice(0, 2), ["HfHubHTTPError", 409]);
    assert.equal(found.own.id, "user-1/mine");
    assert.deepEqual(found.dataset, {
      url: `${origin}/hub/datasets/team/written`,
      id: "team/written",
      type: "dataset",
    });
    assert.equal(found.empty[1], 0);
    assert.ok((await one.tree()).includes("models/user-1/mine"));
  });
  await step("C 20 a commit adds, replaces, copies and deletes", () => {
    const { first, second } = found;
    assert.equal(first.repository, "team/written");
    assert.equal(first.url, `${origin}/hub/models/team/written/commit/${first.oid}`);
    assert.deepEqual(found.after_first, [
      "config.json",
      "empty.txt",
      "same/large.bin",
      "weights/large.bin",
      "weights/small.bin",
    ]);
    assert.equal(found.again_oid, first.oid);
    assert.notEqual(second.oid, first.oid);
    assert.deepEqual(found.after_second, [
      "config.json",
      "copies/large.bin",
      "copies/small.bin",
      "empty.txt",
      "weights/large.bin",
    ]);
  });
  await step("C 20 a refused commit changes nothing and says why", () => {
    assert.deepEqual(found.unchanged, found.after_second);
    const { stale, missing_deletion, onto_a_folder, outside } = found;
    assert.equal(stale[1], 412);
    assert.match(stale[2], /A commit has happened since/);
    assert.equal(missing_deletion[1], 404);
    assert.match(missing_deletion[2], /missing\.txt/);
    assert.equal(onto_a_folder[1], 409);
    assert.match(onto_a_folder[2], /copies/);
    assert.match(outside[0], /^(?:ValueError|BadRequestError)$/);
    assert.deepEqual(found.missing_repository.slice(0, 2), ["RepositoryNotFoundError", 404]);
    assert.deepEqual(found.other_revision.slice(0, 2), ["RevisionNotFoundError", 404]);
  });
  await step("C 20 deletions, many files at once, and a data set", async () => {
    assert.deepEqual(found.after_deletions, ["empty.txt", "weights/large.bin"]);
    assert.equal(found.after_many, 602);
    assert.equal(found.dataset_commit.repository, "team/written");
    assert.deepEqual(found.dataset_files, ["rows/train.bin"]);
    assert.deepEqual(await one.bytes({ path: "datasets/team/written/rows/train.bin" }), LARGE);
  });
  await step("C 31 a model is moved, then deleted", async () => {
    assert.match(found.onto_another[2], /exists already/);
    assert.equal(found.after_move, 602);
    assert.deepEqual(found.before_move.slice(0, 2), ["RepositoryNotFoundError", 404]);
    assert.deepEqual(found.deleted.slice(0, 2), ["RepositoryNotFoundError", 404]);
    const group = (await one.tree()).filter((path) => path.startsWith("models/group"));
    assert.deepEqual(group, ["models/group"]);
  });
}, { versions: "all" });
