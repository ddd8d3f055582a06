import * as assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import * as v from "valibot";
import { parsePolicy } from "../../core/policy/parse.ts";
import { MirrorEntry, MirrorFileList, MirrorState } from "../../schemas/mirror.ts";
import { type Client, dataOf, refused } from "../support/client.ts";
import { HubDouble } from "../support/hub_double.ts";
import { download, mirroring, open } from "../support/mirroring.ts";
import { modelFile } from "../support/models.ts";
import { USER_PRIVILEGES } from "../support/server.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;

async function stateOf(client: Client): Promise<MirrorState> {
  return v.parse(MirrorState, dataOf(await client.send("GET", "/mirror-state")));
}

Deno.test("C 28 the state of the mirror: the other hub, space, refusals and what comes in", async (t) => {
  const policy = parsePolicy({ rule: [{ name: "no-exe", deny: "No programs", file: "*.exe" }] });
  if ("problem" in policy) throw new Error(policy.problem);
  await using parts = await mirroring({
    policy,
    settings: { gate: "block", mirrorFresh: 0, mirrorMaxBytes: 10 * MIB },
    upstream: { restMs: 600_000 },
  });
  const { double, hub, server } = parts;
  const user = await server.as(1, ...USER_PRIVILEGES, "mirror.use");
  const admin = await server.admin();
  const path = (name: string) => `/org/model/resolve/main/${name}`;
  double.add("org/model", {
    "a.json": "{}",
    "b.exe": "MZ",
    "c.pkl": { content: await modelFile("pickle/hostile/eval.pkl") },
    "d.bin": { content: new Uint8Array(2 * MIB) },
  });

  await t.step("C 28 it needs mirror.use, and a mirror", async () => {
    const other = await server.as(2, ...USER_PRIVILEGES);
    refused(await other.send("GET", "/mirror-state"), 403, "ErrNotPermitted");
    refused(await other.send("GET", "/mirror/1"), 403, "ErrNotPermitted");
  });
  await t.step("C 28 before anybody has asked", async () => {
    const { url, upstream, answered_at: answered, bytes, max_bytes: most } = await stateOf(user);
    assert.deepEqual([url, upstream, answered, bytes, most], [
      ...[double.url, "unasked", null, 0, 10 * MIB],
    ]);
  });
  await t.step("C 28 refusals by rule, each once, and none for a scan that goes on", async () => {
    assert.deepEqual(new TextDecoder().decode((await download(hub, path("a.json"))).bytes), "{}");
    assert.equal((await open(hub, path("b.exe"))).status, 403);
    assert.equal((await open(hub, path("c.pkl"))).status, 403);
    const { upstream, refusals, requests, bytes } = await stateOf(user);
    assert.equal(upstream, "answers");
    assert.deepEqual(new Map(refusals.map((it) => [it.rule, it.requests])).get("no-exe"), 1);
    assert.deepEqual(refusals.map(({ rule }) => rule), ["no-exe", "gate"]);
    assert.equal(requests, 2);
    assert.equal(bytes, 2 + 44);
  });
  await t.step("C 28 a revision, and verdicts of its files", async () => {
    const entry = v.parse(MirrorEntry, dataOf(await user.send("GET", "/mirror/1")));
    assert.deepEqual([entry.repository, entry.fetched_files], ["org/model", 2]);
    const { items } = v.parse(
      MirrorFileList,
      dataOf(await user.send("GET", "/mirror/1/files")),
    );
    assert.deepEqual(items.map(({ path, verdict }) => [path, verdict]), [
      ...[["a.json", "clean"], ["b.exe", null], ["c.pkl", "dangerous"], ["d.bin", null]],
    ]);
    refused(await user.send("GET", "/mirror/99"), 404, "ErrHubRevisionNotFound");
  });
  await t.step("C 28 what is pinned", async () => {
    dataOf(await admin.json("PATCH", "/mirror/1", { pinned: true }));
    const { bytes, pinned_bytes: pinned } = await stateOf(user);
    assert.deepEqual([bytes, pinned], [46, 46]);
  });
  await t.step("C 28 what comes in", async () => {
    double.fault = ({ host }) => host === "content" ? { stallAt: MIB } : undefined;
    const reading = download(hub, path("d.bin"));
    const coming = async () => (await stateOf(user)).fetches;
    await until(async () => (await coming())[0]?.bytes === MIB);
    assert.deepEqual(await coming(), [{
      ...{ id: 1, type: "model", repository: "org/model", path: "d.bin", size: 2 * MIB },
      ...{ bytes: MIB, asked_by: 1 },
    }]);
    await until(async () => (await stateOf(admin)).fetches[0]?.asked_by === 1);
    const other = await server.as(2, ...USER_PRIVILEGES, "mirror.use");
    assert.deepEqual((await stateOf(other)).fetches.map((it) => it.asked_by), [null]);
    const askers = await Promise.all(
      [user, admin, other].map(async (client) =>
        v.parse(MirrorEntry, dataOf(await client.send("GET", "/mirror/1"))).asked_first_by
      ),
    );
    assert.deepEqual(askers, [1, 1, null]);
    double.fault = () => undefined;
    double.resume();
    await reading;
    await until(async () => (await coming()).length === 0);
  });
  await t.step("C 28 the other hub fails, and rests after failures in a row", async () => {
    double.fault = () => ({ status: 503 });
    const ask = () => hub.send("GET", "/api/models/org/model");
    await ask();
    const failing = await stateOf(user);
    assert.equal(failing.upstream, "fails");
    assert.match(failing.failure ?? "", /answers 503/);
    await ask();
    await ask();
    const { upstream, asked_again_at: again } = await stateOf(user);
    assert.equal(upstream, "rests");
    assert.ok(Date.parse(again ?? "") > Date.now());
  });
});

Deno.test("C 28 the state of the mirror tells nothing of what fails here, and no password", async () => {
  await using double = HubDouble.start();
  const url = new URL(double.url);
  [url.username, url.password] = ["me", "hush"];
  await using parts = await mirroring({ double, settings: { mirrorUrl: url.href } });
  const { hub, server } = parts;
  const user = await server.as(1, ...USER_PRIVILEGES, "mirror.use");
  double.add("org/model", { f: "x" });
  // A wait here would keep the server from ending the change that holds the lock.
  await until(() => {
    using database = new DatabaseSync(`${server.dataDir}/strongroom.db`);
    try {
      database.exec(`CREATE TRIGGER broken BEFORE INSERT ON mirror_revisions
        BEGIN SELECT raise(ABORT, 'inner words'); END`);
      return true;
    } catch (error) {
      if (error instanceof Error && error.message.includes("locked")) return false;
      throw error;
    }
  });
  assert.equal((await hub.send("GET", "/api/models/org/model")).status, 500);
  const { url: shown, upstream, failure } = await stateOf(user);
  assert.deepEqual([shown, upstream, failure], [double.url, "answers", null]);
});
