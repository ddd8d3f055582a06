import * as assert from "node:assert/strict";
import * as v from "valibot";
import { hubTest } from "../support/hub_clients.ts";

const Names = v.record(v.string(), v.string());
const Report = v.object({
  ids: v.array(v.string()),
  on_branch: v.string(),
  refs: v.object({ branches: Names, tags: Names }),
  commits: v.array(v.tuple([v.string(), v.string(), v.string(), v.array(v.string())])),
  earlier: v.array(v.string()),
  on_dev: v.array(v.string()),
  snapshots: v.record(v.string(), v.unknown()),
  tree: v.array(v.string()),
  info: v.string(),
  paths: v.array(v.string()),
  file: v.string(),
  "same tag": v.number(),
  "same branch": v.number(),
  squash: v.number(),
  "commit to the past": v.number(),
  models: v.array(v.string()),
  left: v.record(v.string(), v.array(v.string())),
});

hubTest("C 26 commits, tags and branches of the hub", async ({ server, client }) => {
  const report = v.parse(Report, await client.program("history"));
  const { ids, refs, snapshots, on_branch: onBranch } = report;
  assert.equal(new Set(ids).size, 4);
  const content = (text: string) => [text, text.repeat(9)];
  assert.deepEqual(snapshots, {
    ...Object.fromEntries(ids.map((id, index) => [id, content(String(index))])),
    v1: content("1"),
    now: content("3"),
    dev: content("dev"),
    next: content("3"),
    [onBranch]: content("dev"),
    ["0".repeat(40)]: "RevisionNotFound",
  });
  assert.deepEqual(refs, {
    branches: { main: ids[3], dev: onBranch, next: ids[3] },
    tags: { v1: ids[1], now: ids[3] },
  });
  const newest = ids.toReversed();
  assert.deepEqual(report.commits.slice(0, 4).map(([id]) => id), newest);
  assert.deepEqual(report.commits[0]?.slice(1), ["Commit 3", "Body 3", ["user-1"]]);
  assert.deepEqual(report.earlier.slice(0, 2), [ids[1], ids[0]]);
  assert.equal(report.on_dev[0], "On a branch");
  assert.deepEqual(report.tree, ["config.json", "w.bin"]);
  assert.deepEqual([report.info, report.paths, report.file], [ids[0], ["w.bin"], "0".repeat(9)]);
  assert.deepEqual(
    [report["same tag"], report["same branch"], report.squash, report["commit to the past"]],
    [409, 409, 501, 404],
  );
  assert.deepEqual(report.models, ["team/past"]);
  assert.deepEqual(report.left, { branches: ["dev", "main"], tags: ["now"] });
  // Every other door sees branches as directories.
  const one = await server.as(1);
  assert.equal((await one.file("GET", "models/team/past@dev/config.json")).text, "dev");
}, { settings: { history: 86_400_000 } });

hubTest("C 26 tags and branches of the hub without history", async ({ server, client }) => {
  const one = await server.as(1);
  const isFormer = client.version.version.startsWith("0.");
  await one.put("models/team/past/config.json", "{}");
  assert.match(
    await client.succeed(isFormer ? "repo" : "repos", "tag", "create", "team/past", "v1"),
    /v1/,
  );
  await one.put("models/team/past/config.json", '{"newer": 1}');
  const path = (await client.succeed("download", "team/past", "config.json", "--revision", "v1"))
    .trim().split("\n").at(-1)?.replace(/^\s*path: /, "") ?? "";
  assert.equal(await Deno.readTextFile(path), "{}");
});
