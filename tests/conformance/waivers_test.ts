import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as v from "valibot";
import { WaiverEntry, WaiverList } from "../../schemas/verdicts.ts";
import { type Client, dataOf, refused } from "../support/client.ts";
import { modelFile } from "../support/models.ts";
import { TestServer } from "../support/server.ts";
import { settledVerdicts, statOf } from "../support/verdicts.ts";

const DANGEROUS = await modelFile("pickle/hostile/eval.pkl");
const SHA256 = createHash("sha256").update(DANGEROUS).digest("hex");

async function waive(admin: Client, body: unknown): Promise<WaiverEntry> {
  return v.parse(WaiverEntry, dataOf(await admin.json("POST", "/waivers/", body)));
}

Deno.test("C 18 a waiver lets content through", async (t) => {
  await using server = await TestServer.start({ settings: { gate: "block" } });
  const one = await server.as(1);
  const admin = await server.admin(9);
  await one.upload("", { "a.pkl": DANGEROUS });
  await settledVerdicts(one);
  const status = async (path = "a.pkl") => {
    const response = await one.download({ path });
    await response.arrayBuffer();
    return response.status;
  };
  assert.equal(await status(), 403);
  assert.equal((await statOf(one, "a.pkl")).sha256, SHA256);

  await t.step("C 18 under every name, with its reason in the verdict", async () => {
    const reason = "reviewed by us";
    const waiver = await waive(admin, { sha256: SHA256.toUpperCase(), reason: ` ${reason} ` });
    assert.deepEqual([waiver.sha256, waiver.reason, waiver.user_id], [SHA256, reason, 9]);
    assert.equal(await status(), 200);
    await one.copy({ source: "a.pkl", destination: "b.joblib" });
    assert.equal(await status("b.joblib"), 200);
    const { verdict } = await statOf(one, "a.pkl");
    assert.deepEqual([verdict?.verdict, verdict?.waiver], ["dangerous", waiver]);
  });
  await t.step("C 18 in ZIPs", async () => {
    await one.upload("d", { "x.pkl": DANGEROUS });
    assert.equal(await status("d"), 200);
  });
  await t.step("C 18 until it is removed", async () => {
    const [{ id } = { id: 0 }] = v.parse(WaiverList, dataOf(await admin.send("GET", "/waivers/")))
      .items;
    assert.equal(v.parse(WaiverEntry, dataOf(await admin.send("DELETE", `/waivers/${id}`))).id, id);
    assert.equal(await status(), 403);
    refused(await admin.send("DELETE", `/waivers/${id}`), 404, "ErrWaiversNotFound");
    assert.equal((await statOf(one, "a.pkl")).verdict?.waiver, null);
  });
  await t.step("C 18 until it expires", async () => {
    const expiry = Date.now() + 3000;
    await waive(admin, {
      sha256: SHA256,
      reason: "for now",
      expires_at: new Date(expiry).toISOString(),
    });
    assert.equal(await status(), 200);
    while (Date.now() <= expiry) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await status(), 403);
    assert.equal((await statOf(one, "a.pkl")).verdict?.waiver, null);
  });
  await t.step("C 22 every waiver is in the audit log", async () => {
    const text = await Deno.readTextFile(`${server.dataDir}/audit.log`);
    const lines = text.split("\n").filter((it) => it !== "").map((it) => JSON.parse(it))
      .filter(({ action }) => action.startsWith("waivers."))
      .map(({ user, action, sha256, reason, outcome }) => [user, action, sha256, reason, outcome]);
    assert.deepEqual(lines, [
      [9, "waivers.add", SHA256, "reviewed by us", "ok"],
      [9, "waivers.delete", SHA256, "reviewed by us", "ok"],
      [9, "waivers.delete", undefined, undefined, "ErrWaiversNotFound"],
      [9, "waivers.add", SHA256, "for now", "ok"],
    ]);
  });
});

Deno.test("C 18 a waiver that is new, removed or expired publishes the verdict on each of its files", async () => {
  await using server = await TestServer.start({ settings: { gate: "block" } });
  const admin = await server.admin(9);
  const own = async (user: number) => {
    const client = await server.as(user);
    const events = await client.events();
    await client.upload("", { "a.pkl": DANGEROUS, "other.txt": "other" });
    const first = new Set<string>();
    // Verdicts can be read before they are published.
    while (first.size < 2) {
      const { event, data = "" } = await events.next() ?? {};
      if (event === "resource.verdict") first.add(JSON.parse(data).path);
    }
    return events;
  };
  await using one = await own(1);
  await using two = await own(2);
  const told = async () =>
    await Promise.all([one, two].map(async (reader) => {
      const { event, data = "" } = await reader.next() ?? {};
      const { path, verdict } = JSON.parse(data);
      return `${event} ${path} ${verdict}`;
    }));
  const expected = Array(2).fill("resource.verdict a.pkl dangerous");
  const { id } = await waive(admin, { sha256: SHA256, reason: "reviewed" });
  assert.deepEqual(await told(), expected);
  await admin.send("DELETE", `/waivers/${id}`);
  assert.deepEqual(await told(), expected);
  const expires_at = new Date(Date.now() + 2000).toISOString();
  await waive(admin, { sha256: SHA256, reason: "for now", expires_at });
  assert.deepEqual(await told(), expected);
  assert.deepEqual(await told(), expected);
  assert.ok(Date.now() > Date.parse(expires_at));
});

Deno.test("C 18 requests for waivers are checked", async (t) => {
  await using server = await TestServer.start();
  const admin = await server.admin();
  const valid = { sha256: "0".repeat(64), reason: "known" };
  for (
    const [name, change] of [
      ["a short digest", { sha256: "0".repeat(63) }],
      ["a digest of another kind", { sha256: "x".repeat(64) }],
      ["no digest", { sha256: undefined }],
      ["a blank reason", { reason: " " }],
      ["a long reason", { reason: "x".repeat(1001) }],
      ["a time in the past", { expires_at: "2020-01-01T00:00:00Z" }],
      ["a day", { expires_at: "2099-01-01" }],
      ["no such day", { expires_at: "2099-13-01T00:00:00Z" }],
      ["a number", { expires_at: 4_000_000_000 }],
    ] as const
  ) {
    await t.step(`C 18 refuses ${name}`, async () => {
      const reply = await admin.json("POST", "/waivers/", { ...valid, ...change });
      refused(reply, 400, "ErrResourcesInvalidRequest");
    });
  }
  await t.step("C 18 lists waivers newest first, in pages", async () => {
    const ids: number[] = [];
    for (const reason of ["1", "2", "3"]) ids.push((await waive(admin, { ...valid, reason })).id);
    const page = async (query: string) =>
      v.parse(WaiverList, dataOf(await admin.send("GET", `/waivers/${query}`))).items
        .map(({ id }) => id);
    assert.deepEqual(await page(""), ids.toReversed());
    assert.deepEqual(await page("?limit=1"), ids.slice(-1));
    assert.deepEqual(await page(`?before=${ids[1]}`), ids.slice(0, 1));
    refused(await admin.send("GET", "/waivers/?limit=0"), 400, "ErrResourcesInvalidRequest");
  });
  await t.step("C 18 needs resources.admin", async () => {
    const one = await server.as(1);
    refused(await one.json("POST", "/waivers/", valid), 403, "ErrNotPermitted");
    refused(await one.send("GET", "/waivers/"), 403, "ErrNotPermitted");
    refused(await one.send("DELETE", "/waivers/1"), 403, "ErrNotPermitted");
  });
});
