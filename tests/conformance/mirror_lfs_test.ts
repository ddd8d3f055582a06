import * as assert from "node:assert/strict";
import { parsePolicy } from "../../core/policy/parse.ts";
import { auditOf } from "../support/audit.ts";
import { batch, type BatchItem, jsonOf, lfsObject, postLfs } from "../support/hub.ts";
import { mirrorClient, mirroring } from "../support/mirroring.ts";
import { modelFile } from "../support/models.ts";
import { noise } from "../support/random.ts";

const BATCH = "/org/model.git/info/lfs/objects/batch";

/** What a client gets at the address of an object. It sends no credential there. */
async function read(item: BatchItem | undefined): Promise<Uint8Array> {
  const href = item?.actions?.download?.href;
  assert.ok(href, JSON.stringify(item));
  for (;;) {
    const response: Response = await fetch(href);
    const bytes = await response.bytes();
    if (response.status === 200) return bytes;
    assert.equal(response.status, 429, new TextDecoder().decode(bytes));
    assert.ok(response.headers.has("Retry-After"));
  }
}

Deno.test("C 28 objects of Git LFS come from the other hub, once, and then without it", async () => {
  await using parts = await mirroring({ settings: { gate: "block" } });
  const { double, hub, server } = parts;
  const contents = [noise(3_000_000), noise(2000, 2)];
  const [first, second] = contents.map(lfsObject);
  assert.ok(first && second);
  double.add("org/model", {
    "README.md": "# A model\n",
    "a/w.bin": { content: contents[0] ?? noise(1) },
    "w.bin": { content: contents[1] ?? noise(1) },
  });
  const get = async (client = hub) => {
    const items = await batch(client, "org/model", "download", first, second);
    for (const [index, item] of items.entries()) {
      assert.deepEqual(await read(item), contents[index]);
    }
  };
  await get();
  assert.equal(double.taken().filter(({ host }) => host === "content").length, 2);
  await get();
  assert.deepEqual(double.taken(), []);
  double.fault = () => ({ status: 503 });
  await get();
  await get(await mirrorClient(server, 2, ["mirror.use"], "/m"));
});

Deno.test("C 28 objects are found in every revision that the mirror knows", async () => {
  await using parts = await mirroring();
  const { double, hub } = parts;
  const [former, latest] = [noise(2000, 1), noise(2000, 2)];
  const earlier = double.add("org/model", { "w.bin": { content: former } });
  double.add("org/model", { "w.bin": { content: latest } });
  const get = () => batch(hub, "org/model", "download", lfsObject(former), lfsObject(latest));
  const [unknown, known] = await get();
  assert.equal(unknown?.error?.code, 404);
  assert.match(unknown.error.message, /No revision/);
  assert.deepEqual(await read(known), latest);
  jsonOf(await hub.send("GET", `/api/models/org/model/revision/${earlier}`));
  assert.deepEqual(await read((await get())[0]), former);
  const [wrong] = await batch(hub, "org/model", "download", { ...lfsObject(latest), size: 1 });
  assert.equal(wrong?.error?.code, 404);
});

Deno.test("C 28 a revision serves its objects where nobody can say what main is", async () => {
  await using parts = await mirroring();
  const { double, hub } = parts;
  const content = noise(2000);
  const commit = double.add("org/model", { "w.bin": { content } });
  jsonOf(await hub.send("GET", `/api/models/org/model/revision/${commit}`));
  double.fault = ({ path }) => path.includes("/main") ? { status: 503 } : undefined;
  const [item] = await batch(hub, "org/model", "download", lfsObject(content));
  assert.deepEqual(await read(item), content);
  const other = { operation: "download", objects: [lfsObject(noise(3000, 2))] };
  assert.equal((await postLfs(hub, BATCH, other)).status, 503);
});

Deno.test("C 28 objects that the gate or a rule refuses say so", async () => {
  const policy = parsePolicy({
    rule: [{ name: "large", deny: "Not so large", larger_than: 2000 }],
  });
  if ("problem" in policy) throw new Error(policy.problem);
  await using parts = await mirroring({ settings: { gate: "block" }, policy });
  const { double, hub, server } = parts;
  const evil = await modelFile("pickle/hostile/eval.pkl");
  const large = noise(3000);
  double.add("org/model", {
    "evil.pkl": { content: evil, lfs: true },
    "large.bin": { content: large },
  });
  const get = () => batch(hub, "org/model", "download", lfsObject(evil), lfsObject(large));
  const [cold, denied] = await get();
  assert.equal(denied?.error?.code, 403);
  assert.match(denied.error.message, /Not so large/);
  await assert.rejects(read(cold));
  const [refused] = await get();
  assert.equal(refused?.error?.code, 403);
  assert.match(refused.error.message, /dangerous/);
  const [entry] = (await auditOf(server)).filter(({ action }) => action === "hub.batch");
  assert.equal(entry?.outcome, "ErrResourcesRefused");
});

Deno.test("C 28 a name that is used inside is never asked for by Git LFS", async () => {
  await using parts = await mirroring({ settings: { ownNamespaces: ["org"] } });
  const { double, hub, server } = parts;
  const content = noise(2000);
  double.add("org/model", { "w.bin": { content } });
  const body = { operation: "download", objects: [lfsObject(content)] };
  const alone = await mirrorClient(server, 2, ["mirror.use"], "/m");
  for (const client of [hub, alone]) {
    for (const path of [BATCH, BATCH.replace("org", "ORG")]) {
      assert.equal((await postLfs(client, path, body)).status, 404);
    }
  }
  assert.deepEqual(double.taken(), []);
});

Deno.test("C 28 nothing is uploaded to a mirrored repository, nor read without the privilege", async () => {
  await using parts = await mirroring();
  const { double, hub, server } = parts;
  const content = noise(2000);
  double.add("org/model", { "w.bin": { content } });
  const objects = [lfsObject(content)];
  const alone = await mirrorClient(server, 1, undefined, "/m");
  for (const client of [hub, alone]) {
    assert.equal((await postLfs(client, BATCH, { operation: "upload", objects })).status, 404);
  }
  const download = { operation: "download", objects };
  const stranger = await mirrorClient(server, 2, ["resources.download"]);
  assert.equal((await postLfs(stranger, BATCH, download)).status, 404);
  const user = await mirrorClient(server, 3, ["mirror.use"]);
  assert.equal((await postLfs(user, BATCH, download)).status, 403);
  assert.deepEqual(double.taken(), []);
});
