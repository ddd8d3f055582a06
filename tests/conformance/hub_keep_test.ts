import * as assert from "node:assert/strict";
import {
  batch,
  commit,
  committed,
  fetchBare,
  HubClient,
  hubRefused,
  jsonOf,
  lfsObject,
  lines,
  park,
  postLfs,
} from "../support/hub.ts";
import { Client } from "../support/client.ts";
import { auditOf } from "../support/audit.ts";
import { mintToken, TestServer } from "../support/server.ts";

const REPOSITORY = "team/one";
const DIRECTORY = `models/${REPOSITORY}`;
const BATCH = `/${REPOSITORY}.git/info/lfs/objects/batch`;
const KEEP = `/${REPOSITORY}.git/info/lfs/keep`;
const CONTENT = "content that git sends";

Deno.test("C 31 a repository keeps what git sends it, where clients of the hub do not see it", async (t) => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  await hub.create(REPOSITORY);
  const before = committed(await commit(hub, REPOSITORY, lines.file("a.txt", "a")));
  const object = lfsObject(CONTENT);
  const kept = `${DIRECTORY}/.lfs/${object.oid}`;
  const isKept = async (path = kept) => (await user.file("HEAD", path)).status === 200;
  const asGit = (
    objects: readonly unknown[],
    transfers = ["basic", "ssh"],
    agent = "git-lfs/3.3",
  ) => hub.post(BATCH, { operation: "upload", transfers, objects }, { "User-Agent": agent });

  await t.step("C 31 what is sent is kept once git asks whether it has come", async () => {
    const { objects: [{ actions }] } = JSON.parse((await asGit([object])).text);
    assert.equal(actions.verify.href, hub.url + KEEP);
    assert.equal((await postLfs(hub, KEEP, object)).status, 404);
    await fetchBare(actions.upload.href, { method: "PUT", body: CONTENT });
    assert.equal(await isKept(), false);
    assert.deepEqual(jsonOf(await postLfs(hub, KEEP, object)), object);
    assert.ok(await isKept());
    const [entry] = (await auditOf(server)).filter(({ action }) => action === "hub.keep").slice(-1);
    assert.equal(entry?.outcome, "ok");
    assert.deepEqual(jsonOf(await postLfs(hub, KEEP, object)), object);
  });
  await t.step("C 31 the hub shows nothing of it", async () => {
    const info = jsonOf(await hub.send("GET", `/api/models/${REPOSITORY}`));
    assert.ok(typeof info === "object" && info !== null && "sha" in info && "siblings" in info);
    assert.equal(info.sha, before);
    assert.deepEqual(info.siblings, [{ rfilename: "a.txt" }]);
    for (const query of ["", "?recursive=true", "?recursive=true&limit=1"]) {
      const tree = jsonOf(await hub.send("GET", `/api/models/${REPOSITORY}/tree/main${query}`));
      assert.ok(Array.isArray(tree));
      assert.deepEqual(tree.map(({ path }) => path), ["a.txt"], query);
    }
    for (const path of [".lfs", `.lfs/${object.oid}`, `./.lfs/${object.oid}`]) {
      const asked = await hub.post(`/api/models/${REPOSITORY}/paths-info/main`, { paths: [path] });
      assert.deepEqual(jsonOf(asked), []);
      const address = `/${REPOSITORY}/resolve/main/${encodeURIComponent(path)}`;
      hubRefused(await hub.send("GET", address), 404, "EntryNotFound");
      hubRefused(
        await hub.send("GET", `/api/models/${REPOSITORY}/tree/main/${encodeURIComponent(path)}`),
        404,
        "EntryNotFound",
      );
      const refused = await commit(hub, REPOSITORY, lines.deletedFile(path));
      assert.match(hubRefused(refused, 400), /\.lfs has the objects that Git LFS has sent/);
    }
    committed(await commit(hub, REPOSITORY, lines.file(".lfs-notes", "b")));
    const tree = jsonOf(await hub.send("GET", `/api/models/${REPOSITORY}/tree/main`));
    assert.ok(Array.isArray(tree));
    assert.deepEqual(tree.map(({ path }) => path), [".lfs-notes", "a.txt"]);
  });
  await t.step("C 31 what git need not send is kept, too", async () => {
    await user.put(`${DIRECTORY}/held.bin`, "held");
    await park(hub, REPOSITORY, "waiting");
    for (const content of ["held", "waiting"]) {
      const { objects } = JSON.parse((await asGit([lfsObject(content)])).text);
      assert.deepEqual(objects, [lfsObject(content)]);
    }
    await user.remove({ path: `${DIRECTORY}/held.bin` });
    for (const content of ["held", "waiting"]) {
      const [item] = await batch(hub, REPOSITORY, "download", lfsObject(content));
      const reply = await fetchBare(item?.actions?.download?.href ?? "");
      assert.equal(reply.text, content);
    }
  });
  await t.step(
    "C 31 nothing is left of what a client of the hub sends before its commit",
    async () => {
      const sent = lfsObject("by hub");
      const [item] = await batch(hub, REPOSITORY, "upload", sent);
      assert.match(item?.actions?.verify?.href ?? "", /\/verify$/);
      await fetchBare(item?.actions?.upload?.href ?? "", { method: "PUT", body: "by hub" });
      jsonOf(await postLfs(hub, `/${REPOSITORY}.git/info/lfs/verify`, sent));
      await batch(hub, REPOSITORY, "upload", sent);
      committed(await commit(hub, REPOSITORY, lines.lfsFile("by_hub.bin", "by hub")));
      assert.equal(await isKept(`${DIRECTORY}/.lfs/${sent.oid}`), false);
      // Git with an agent for that transfer says who it is.
      await asGit([sent], ["basic", "multipart"]);
      assert.ok(await isKept(`${DIRECTORY}/.lfs/${sent.oid}`));
    },
  );
  await t.step(
    "C 31 it is a file like others: it is deleted as one, and counts against the quota",
    async () => {
      assert.equal((await user.remove({ path: kept })).status, 200);
      assert.equal((await postLfs(hub, KEEP, object)).status, 404);
      await user.put(`${DIRECTORY}/more.bin`, "more");
      const privileges = ["resources.upload", "resources.view"];
      const token = await mintToken({ userId: 7, privileges, quota: 20 });
      const poor = new HubClient(server, new Client(user.url, token));
      const body = { operation: "upload", objects: [lfsObject("more")] };
      assert.match((await postLfs(poor, BATCH, body)).text, /quota/i);
      assert.equal(await isKept(`${DIRECTORY}/.lfs/${lfsObject("more").oid}`), false);
    },
  );
  await t.step("C 31 those who may not see files have kept only what they sent", async () => {
    const blind = new HubClient(server, await server.as(7, "resources.upload"));
    assert.equal((await postLfs(blind, KEEP, lfsObject("a"))).status, 404);
  });
});
