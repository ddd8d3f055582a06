import * as assert from "node:assert/strict";
import { parsePolicy } from "../../core/policy/parse.ts";
import type { Policy } from "../../core/policy/policy.ts";
import { auditOf } from "../support/audit.ts";
import { dataOf, refused, type Reply } from "../support/client.ts";
import { DavClient } from "../support/dav.ts";
import {
  batch,
  commit,
  committed,
  HubClient,
  hubRefused,
  lfsObject,
  lines,
  park,
} from "../support/hub.ts";
import { modelFile } from "../support/models.ts";
import { TestServer, type TestServerOptions } from "../support/server.ts";
import { S3Client } from "../support/s3_client.ts";
import { textsOf, uploadOf } from "../support/s3_objects.ts";
import { createUpload, metadataOf, patchUpload, postUpload, TUS } from "../support/tus.ts";
import { settledVerdicts, statOf } from "../support/verdicts.ts";

const CLEAN_PICKLE = await modelFile("pickle/plain_3.pkl");

function policyOf(...rule: readonly Record<string, unknown>[]): Policy {
  const parsed = parsePolicy({ rule });
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed;
}

const NO_EXE = {
  name: "no-exe",
  deny: "Programs go to the other shelf",
  file: "*.exe",
  uploads: true,
};
const SMALL = { name: "small", deny: "Ask for room first", larger_than: 10, uploads: true };

const EXE = 'Cannot upload "a.exe": the rule no-exe refuses it: Programs go to the other shelf';
const LARGE = 'Cannot upload "large": the rule small refuses it: Ask for room first';

function ruled(options: TestServerOptions = {}) {
  return TestServer.start({ policy: policyOf(NO_EXE, SMALL), ...options });
}

Deno.test("C 28 rules refuse uploads at the API's doors, by what is known before the first byte", async () => {
  await using server = await ruled();
  const one = await server.as(1);
  const refusal = (reply: Reply) => refused(reply, 403, "ErrResourcesRefused");
  assert.equal(refusal(await one.upload("", { "a.exe": "x" })), EXE);
  assert.equal(refusal(await one.upload("", { ok: "x", large: "x".repeat(11) })), LARGE);
  assert.equal(refusal(await one.put("a.exe", "x")), EXE);
  assert.equal(refusal(await one.put("large", "x".repeat(11))), LARGE);
  assert.equal(refusal(await postUpload(one, { size: 1, metadata: { path: "a.exe" } })), EXE);
  assert.equal(refusal(await postUpload(one, { size: 11, metadata: { path: "large" } })), LARGE);
  // The content never comes.
  assert.equal(refusal(await one.put("a.exe", new ReadableStream())), EXE);
  assert.deepEqual(await one.paths(), []);
  // Their sizes are within the bounds.
  dataOf(await one.upload("", { ok: "x".repeat(10) }));
  dataOf(await one.put("ok", "y"));
  const upload = await createUpload(one, "resumed", 2);
  assert.equal((await patchUpload(one, upload, { offset: 0, body: "xy" })).status, 204);
  assert.deepEqual(await one.paths(), ["resumed", "ok"]);
});

Deno.test("C 28 a size that is stated late, or not at all, is judged at the end", async () => {
  await using server = await ruled();
  const one = await server.as(1);
  const content = "x".repeat(11);
  const body = new Blob([content]).stream();
  refused(await one.put("large", body), 403, "ErrResourcesRefused");
  const deferred = await fetch(`${one.url}/uploads/`, {
    method: "POST",
    headers: {
      ...TUS,
      Authorization: `Bearer ${one.token}`,
      "Upload-Defer-Length": "1",
      "Upload-Metadata": metadataOf({ path: "large" }),
    },
  });
  assert.equal(deferred.status, 201, await deferred.text());
  const location = /[0-9a-f]{32}$/.exec(deferred.headers.get("Location") ?? "");
  const headers = { "Upload-Length": "11" };
  const patched = await patchUpload(one, `/uploads/${location}`, {
    offset: 0,
    body: content,
    headers,
  });
  refused(patched, 403, "ErrResourcesRefused");
  assert.deepEqual(await one.paths(), []);
});

Deno.test("C 28 rules refuse uploads at the hub with the reason, files of LFS too", async () => {
  await using server = await ruled();
  const hub = new HubClient(server, await server.as(1));
  assert.equal((await hub.create("a/b")).status, 200);
  const refusal = (reply: Reply) => hubRefused(reply, 403, "GatedRepo");
  const preupload = (path: string, size: number) =>
    hub.post("/api/models/a/b/preupload/main", { files: [{ path, size }] });
  assert.match(
    refusal(await preupload("a.exe", 1)),
    /^Cannot upload "models\/a\/b\/a\.exe": the rule no-exe/,
  );
  assert.match(
    refusal(await preupload("large", 11)),
    /the rule small refuses it: Ask for room first$/,
  );
  assert.equal((await preupload("ok", 1)).status, 200);
  assert.match(refusal(await commit(hub, "a/b", lines.file("a.exe", "x"))), /no-exe/);
  const content = "x".repeat(11);
  await park(hub, "a/b", content);
  assert.match(
    refusal(await commit(hub, "a/b", lines.lfsFile("large", content))),
    /the rule small/,
  );
  committed(await commit(hub, "a/b", lines.file("ok", "x")));
});

Deno.test("C 28 rules refuse uploads by S3 and WebDAV with the reason", async () => {
  await using server = await ruled();
  const client = await S3Client.of(server, { userId: 1 });
  const requests = {
    put: { method: "PUT", path: "/s3/own/a.exe", body: "x" },
    parts: { method: "POST", path: "/s3/own/a.exe", query: { uploads: "" } },
  };
  for (const [name, request] of Object.entries(requests)) {
    const reply = await client.request(request);
    assert.deepEqual([reply.status, textsOf(reply, "Code")], [403, ["AccessDenied"]], name);
    assert.match(textsOf(reply, "Message")[0] ?? "", /the rule no-exe refuses it: Programs go to/);
  }
  assert.ok(await uploadOf(client, "/s3/own/ok").begin());
  const dav = new DavClient(server, await server.as(1));
  const reply = await dav.send("PUT", "/large", { body: "x".repeat(11) });
  assert.equal(reply.status, 403);
  assert.match(reply.text, /the rule small refuses it: Ask for room first/);
});

Deno.test("C 18, 28 the gate holds back what rules refuse by its format, as it does what was found in it", async (t) => {
  const pickles = {
    name: "no-pickles",
    deny: "Convert it to safetensors",
    format: "pickle",
    repository: "a/*",
    uploads: true,
  };
  await using server = await TestServer.start({
    settings: { gate: "block" },
    policy: policyOf(pickles),
  });
  const one = await server.as(1);
  await one.upload("models/a/b", { "weights.bin": CLEAN_PICKLE, "config.json": "{}" });
  await one.upload("models/c/d", { "weights.bin": CLEAN_PICKLE });
  assert.deepEqual(await settledVerdicts(one), [
    "models/a/b/config.json clean",
    "models/a/b/weights.bin clean",
    "models/c/d/weights.bin clean",
  ]);
  const path = "models/a/b/weights.bin";
  const message =
    `Cannot download "${path}": the rule no-pickles refuses it: Convert it to safetensors`;
  const download = (path: string) => one.send("GET", "/resources/download", { query: { path } });

  await t.step("a file, and a ZIP with it", async () => {
    assert.equal(refused(await download(path), 403, "ErrResourcesRefused"), message);
    assert.equal(refused(await one.file("GET", path), 403, "ErrResourcesRefused"), message);
    assert.equal(refused(await download("models/a"), 403, "ErrResourcesRefused"), message);
    assert.equal((await download("models/c/d/weights.bin")).status, 200);
    assert.equal((await download("models/a/b/config.json")).status, 200);
  });
  await t.step("it is shown as blocked", async () => {
    assert.equal((await statOf(one, path)).verdict?.blocked, true);
    assert.equal((await statOf(one, "models/c/d/weights.bin")).verdict?.blocked, false);
  });
  await t.step("by the hub", async () => {
    const hub = new HubClient(server, one);
    const reply = await hub.send("GET", "/a/b/resolve/main/weights.bin");
    assert.match(hubRefused(reply, 403, "GatedRepo"), /^Cannot download "weights\.bin": the rule/);
    const item = await batch(hub, "a/b", "download", lfsObject(CLEAN_PICKLE));
    assert.equal(item[0]?.error?.code, 403);
  });
  await t.step("a waiver stands for a verdict, not against a rule", async () => {
    const { sha256 } = await statOf(one, path);
    const admin = await server.admin();
    await admin.json("POST", "/waivers/", { sha256, reason: "reviewed" });
    refused(await download(path), 403, "ErrResourcesRefused");
  });
  await t.step("a file that is moved is judged where it is", async () => {
    dataOf(await one.move({ sources: [path], destination: "models/c/e/" }));
    assert.equal((await download("models/c/e/weights.bin")).status, 200);
  });
});

Deno.test("C 22, 28 refusals are in the audit log and the metrics, by rule", async () => {
  await using server = await ruled();
  const one = await server.as(1);
  await one.put("a.exe", "x");
  await one.put("a.exe", "x");
  await one.put("large", "x".repeat(11));
  const entries = (await auditOf(server)).map(({ outcome, rule, reason }) => ({
    outcome,
    rule,
    reason,
  }));
  const entry = (rule: string, reason: string) => ({
    outcome: "ErrResourcesRefused",
    rule,
    reason,
  });
  assert.deepEqual(entries, [entry("no-exe", EXE), entry("no-exe", EXE), entry("small", LARGE)]);
  const admin = await server.admin();
  const headers = { Authorization: `Bearer ${admin.token}` };
  const text = await (await fetch(`${server.origin}/metrics`, { headers })).text();
  assert.deepEqual(text.split("\n").filter((line) => line.startsWith("strongroom_policy")), [
    'strongroom_policy_refusals_total{rule="no-exe"} 2',
    'strongroom_policy_refusals_total{rule="small"} 1',
  ]);
});
