import * as assert from "node:assert/strict";
import { auditOf } from "../support/audit.ts";
import { Client } from "../support/client.ts";
import {
  batch,
  commit,
  committed,
  HubClient,
  jsonOf,
  lfsObject,
  lines,
  park,
  postLfs,
} from "../support/hub.ts";
import { modelFile } from "../support/models.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { settledVerdicts } from "../support/verdicts.ts";

const REPOSITORY = "team/one";
const BATCH = `/${REPOSITORY}.git/info/lfs/objects/batch`;

/** A client of a user with a quota, and a repository. */
async function withQuota(server: TestServer, quota: number): Promise<HubClient> {
  const token = await mintToken({ userId: 7, privileges: USER_PRIVILEGES, quota });
  const hub = new HubClient(server, new Client(server.url, token));
  assert.equal((await hub.create(REPOSITORY)).status, 200);
  return hub;
}

Deno.test("C 31 an object that is too large is refused in the batch, and the others are not", async () => {
  await using server = await TestServer.start({ limits: { maxUploadFileSize: 20 } });
  const hub = await withQuota(server, 1000);
  const [small, large] = [lfsObject("small"), lfsObject("x".repeat(21))];
  const [first, second] = await batch(hub, REPOSITORY, "upload", small, large);
  assert.ok(first?.actions?.upload);
  assert.equal(first.error, undefined);
  assert.deepEqual({ ...second?.actions }, {});
  assert.equal(second?.error?.code, 422);
  assert.match(second.error.message, /is larger than 20 bytes/);
  const { action, outcome, paths } = (await auditOf(server)).at(-1) ?? {};
  assert.deepEqual([action, outcome], ["hub.batch", "ErrResourcesInvalidRequest"]);
  assert.deepEqual(paths, [`models/${REPOSITORY}`]);
});

Deno.test("C 31 objects for which the quota has no room are refused in the batch", async (t) => {
  await using server = await TestServer.start();
  const hub = await withQuota(server, 30);
  const objects = ["twenty bytes of text", "another 12 B", "ten bytes."].map(lfsObject);
  const errors = async () =>
    (await batch(hub, REPOSITORY, "upload", ...objects)).map(({ error }) => error?.code);

  await t.step("C 31 those before take the room, each once", async () => {
    assert.deepEqual(await errors(), [undefined, 507, undefined]);
    const [first] = objects;
    assert.ok(first);
    const twice = await batch(hub, REPOSITORY, "upload", first, first);
    assert.deepEqual(twice.map(({ error }) => error), [undefined, undefined]);
  });
  await t.step("C 31 what the tree has takes its room, and need not be sent", async () => {
    await park(hub, REPOSITORY, "twenty bytes of text");
    committed(await commit(hub, REPOSITORY, lines.lfsFile("m.bin", "twenty bytes of text")));
    assert.deepEqual(await errors(), [undefined, 507, undefined]);
    await park(hub, REPOSITORY, "ten bytes.");
    assert.deepEqual(await errors(), [undefined, 507, undefined]);
    const [, full] = await batch(hub, REPOSITORY, "upload", ...objects);
    assert.match(full?.error?.message ?? "", /exceed the quota of 30 bytes/);
  });
  await t.step("C 31 what Git need not send, but the repository cannot keep", async () => {
    const [held] = objects;
    const body = { operation: "upload", objects: [held, lfsObject("")] };
    const reply = jsonOf(await postLfs(hub, BATCH, body));
    assert.ok(typeof reply === "object" && reply !== null && "objects" in reply);
    assert.ok(Array.isArray(reply.objects));
    const [first, second] = reply.objects;
    assert.equal(first.error.code, 507);
    assert.match(first.error.message, /exceed the quota of 30 bytes/);
    assert.ok(second.actions.upload);
  });
});

Deno.test("C 31 a full disk is said in the batch", async () => {
  await using server = await TestServer.start({ diskReserveMB: 2 ** 40 });
  await (await server.as(7)).mkdir(`models/${REPOSITORY}`);
  const hub = new HubClient(server, await server.as(7));
  const [item] = await batch(hub, REPOSITORY, "upload", lfsObject("content"));
  assert.equal(item?.error?.code, 507);
  assert.match(item.error.message, /storage is full/);
});

Deno.test("C 31 what the gate refuses is refused in the batch, with the reason, and recorded", async () => {
  await using server = await TestServer.start({ settings: { gate: "block" } });
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  const files = {
    "good.pkl": await modelFile("pickle/plain_3.pkl"),
    "bad.pkl": await modelFile("pickle/hostile/eval.pkl"),
  };
  await user.upload(`models/${REPOSITORY}`, files);
  await settledVerdicts(user);
  const objects = Object.values(files).map(lfsObject);
  const [good, bad, missing] = await batch(
    hub,
    REPOSITORY,
    "download",
    ...objects,
    lfsObject("missing"),
  );
  assert.ok(good?.actions?.download);
  assert.equal(bad?.actions, undefined);
  assert.equal(bad?.error?.code, 403);
  assert.match(bad.error.message, /in quarantine: "bad.pkl" \(dangerous, /);
  assert.equal(missing?.error?.code, 404);
  const refused = (await auditOf(server)).filter(({ action }) => action === "hub.batch");
  assert.equal(refused.length, 1);
  const { outcome, paths, reason } = refused[0] ?? {};
  assert.equal(outcome, "ErrResourcesQuarantined");
  assert.deepEqual(paths, [`models/${REPOSITORY}/bad.pkl`]);
  assert.match(String(reason), /bad\.pkl/);
});
