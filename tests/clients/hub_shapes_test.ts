import * as assert from "node:assert/strict";
import * as v from "valibot";
import { hubTest } from "../support/hub_clients.ts";

const Names = v.array(v.string());

/** What classes of the client look for in replies, and did not find. */
const Shapes = v.looseObject({
  "ModelInfo": Names,
  "DatasetInfo": Names,
  "listed ModelInfo": Names,
  "listed DatasetInfo": Names,
  RepoFile: Names,
  CommitInfo: Names,
  unknown: v.record(v.string(), v.tuple([v.number(), v.nullable(v.string()), v.boolean()])),
});

/** The names but for those that the server does not have. */
function beyond(names: readonly string[], ...unknown: readonly string[]): string[] {
  return names.filter((name) => !unknown.includes(name));
}

/** What every version reads of a model or data set that we have, whatever else it looks for. */
const INFO = ["id", "author", "sha", "last_modified", "private", "siblings", "tags"];

hubTest("C 20 the client finds in each reply what it reads", async ({ server, client, step }) => {
  const one = await server.as(1);
  await one.put("models/team/tiny/a.bin", "content");
  await one.put("models/team/tiny/d/b.bin", "content");
  await one.put("datasets/team/tiny/a.bin", "content");
  const { endpoint, token } = client.options;
  const found = v.parse(Shapes, await client.program("shapes", endpoint, token));

  await step("C 20 models and data sets", () => {
    for (const kind of ["ModelInfo", "DatasetInfo"] as const) {
      assert.deepEqual(INFO.filter((name) => found[kind].includes(name)), [], kind);
      const listed = INFO.filter((name) => found[`listed ${kind}`].includes(name));
      assert.deepEqual(beyond(listed, "sha", "siblings"), [], `listed ${kind}`);
    }
    assert.equal(found.ModelInfo.includes("security_repo_status"), false);
    // Files of Git, such as those of the commit, have none (C 31).
    assert.deepEqual(found.siblings, ["lfs"]);
  });
  await step(
    "C 20 files and folders, but for the storage and the history of another server",
    () => {
      assert.deepEqual(beyond(found.RepoFile, "xet_hash"), []);
      assert.deepEqual(found.RepoFolder, []);
      assert.deepEqual(found.resolve, []);
    },
  );
  await step("C 20 what writing replies", () => {
    const pullRequest = ["pr_num", "pr_revision", "pr_url"];
    assert.deepEqual(beyond(found.CommitInfo, "_endpoint", "_url", ...pullRequest), []);
    assert.deepEqual(found.commit, ["commitOid", "commitUrl", "hookOutput", "success"]);
    assert.deepEqual(found.create, ["id", "name", "url"]);
    assert.equal(found.RepoUrl, "team/made");
    assert.deepEqual(found.batch, ["hash_algo", "objects", "transfer"]);
    assert.equal(found.transfer, "basic");
    assert.deepEqual(found.modes, ["regular", "lfs", "lfs"]);
    assert.deepEqual(found.preupload, ["oid", "path", "shouldIgnore", "uploadMode"]);
  });
  await step("C 20 unknown routes are errors in the form that the client reads", () => {
    for (const [path, [status, code, hasMessage]] of Object.entries(found.unknown)) {
      assert.deepEqual([status, code, hasMessage], [501, null, true], path);
    }
  });
}, { versions: "all" });
