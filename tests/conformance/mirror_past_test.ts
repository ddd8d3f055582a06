import * as assert from "node:assert/strict";
import * as v from "valibot";
import { type HubClient, hubRefused, jsonOf } from "../support/hub.ts";
import { mirroring } from "../support/mirroring.ts";

const References = v.object({
  branches: v.array(v.object({ name: v.string(), ref: v.string(), targetCommit: v.string() })),
  tags: v.array(v.unknown()),
});
const Commits = v.array(v.object({
  id: v.string(),
  title: v.string(),
  date: v.string(),
  authors: v.array(v.object({ user: v.string() })),
}));

async function branches(hub: HubClient) {
  const reply = await hub.send("GET", "/api/models/org/model/refs");
  const { branches } = v.parse(References, jsonOf(reply));
  const named = Object.fromEntries(branches.map(({ name, targetCommit }) => [name, targetCommit]));
  return { named, isStale: reply.headers.has("X-Mirror-Stale") };
}

/** All commits of a revision, page by page. */
async function commits(hub: HubClient, revision: string): Promise<string[]> {
  const found: string[] = [];
  let path: string | undefined = `/api/models/org/model/commits/${revision}`;
  while (path !== undefined) {
    const reply = await hub.send("GET", path);
    found.push(...v.parse(Commits, jsonOf(reply)).map(({ id }) => id));
    const [, next] = /<([^>]+)>/.exec(reply.headers.get("Link") ?? "") ?? [];
    assert.ok(next === undefined || next.startsWith(hub.url), next);
    path = next?.slice(hub.url.length);
  }
  return found;
}

Deno.test("C 28 branches and commits of a mirrored repository are those of the other hub", async (t) => {
  await using parts = await mirroring({
    settings: { ownNamespaces: ["acme"] },
    upstream: { restMs: 1 },
  });
  const { double, hub } = parts;
  const ids = ["one", "two", "three", "four", "five"].map((f) => double.add("org/model", { f }));
  const [first = "", last = ""] = [ids[0], ids.at(-1)];
  const dev = double.add("org/model", { f: "dev" }, { branch: "dev" });

  await t.step("C 28 branches", async () => {
    assert.deepEqual(await branches(hub), { named: { main: last, dev }, isStale: false });
  });
  await t.step("C 28 commits, in pages", async () => {
    assert.deepEqual(await commits(hub, "main"), [dev, ...ids.toReversed()]);
  });
  await t.step("C 28 a cursor leads nowhere else", async () => {
    double.taken();
    const cursor = encodeURIComponent("p=1#/../../../api/whoami-v2?x=@elsewhere.example/");
    jsonOf(await hub.send("GET", `/api/models/org/model/commits/${first}?cursor=${cursor}`));
    const asked = double.taken().map(({ path }) => path).filter((path) => /commits/.test(path));
    assert.deepEqual(asked, [`/api/models/org/model/commits/${first}`]);
  });
  await t.step("C 28 namespaces of one's own are not asked for", async () => {
    double.add("acme/model", { f: "x" });
    double.taken();
    hubRefused(await hub.send("GET", "/api/models/acme/model/refs"), 404, "RepoNotFound");
    hubRefused(await hub.send("GET", "/api/models/acme/model/commits/main"), 404, "RepoNotFound");
    assert.deepEqual(double.taken(), []);
  });
  await t.step("C 28 of a repository that is gone there, what is known", async () => {
    double.fault = ({ path }) => /refs|commits/.test(path) ? { status: 404 } : undefined;
    assert.deepEqual(await branches(hub), { named: { main: last }, isStale: true });
    assert.deepEqual(await commits(hub, "main"), [last]);
  });
  await t.step("C 28 with the cable cut, what is known", async () => {
    double.fault = () => ({ status: 503 });
    assert.deepEqual(await branches(hub), { named: { main: last }, isStale: true });
    assert.deepEqual(await commits(hub, "main"), [last]);
    assert.deepEqual(await commits(hub, first), [first]);
  });
});
