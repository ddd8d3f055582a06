import * as assert from "node:assert/strict";
import * as v from "valibot";
import { parsePolicy } from "../../core/policy/parse.ts";
import type { Policy } from "../../core/policy/policy.ts";
import { MirrorEntry, MirrorFileList } from "../../schemas/mirror.ts";
import { auditOf } from "../support/audit.ts";
import { dataOf, refused } from "../support/client.ts";
import { type HubClient, hubRefused } from "../support/hub.ts";
import { download, mirrorClient, mirroring } from "../support/mirroring.ts";
import { HubDouble } from "../support/hub_double.ts";
import { modelFile } from "../support/models.ts";
import { signatureFile, SIGNED_MODEL, trusted } from "../support/signatures.ts";
import { USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const CLEAN = await modelFile("pickle/plain_3.pkl");
const DAY_MS = 24 * 60 * 60_000;

function policyOf(...rule: readonly Record<string, unknown>[]): Policy {
  const parsed = parsePolicy({ rule });
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed;
}

const NEW = { name: "quarantine", deny: "New revisions wait for a week", younger_than: "7d" };
const CODE = { name: "no-code", deny: "Code needs a review", remote_code: true };

/** What a file of a repository is refused with; undefined if it is served. */
async function refusalOf(hub: HubClient, repository: string, path: string) {
  const address = `/${repository}/resolve/main/${path}`;
  const { status } = await hub.send("HEAD", address);
  if (status === 200) return undefined;
  return hubRefused(await hub.send("GET", address), 403, "GatedRepo");
}

Deno.test("C 28 what a rule refuses by name, license, size or age is not fetched", async () => {
  const reviewed = { name: "reviewed", allow: "Reviewed", repository: "good/*" };
  const license = { name: "license", deny: "Not for us", license: "cc-by-nc-4.0" };
  const large = { name: "large", deny: "Ask first", larger_than: 2000 };
  const policy = policyOf(reviewed, NEW, license, large);
  await using parts = await mirroring({ policy });
  const { double, hub, server } = parts;
  double.add("good/new", { f: "x" }, { modifiedAt: Date.now() });
  double.add("org/new", { f: "x" }, { modifiedAt: Date.now() - DAY_MS });
  double.add("org/timeless", { f: "x" }, { modifiedAt: 0 });
  double.add("org/old", { f: "x", large: "x".repeat(2001) });
  double.add("org/licensed", { f: "x" });
  double.repository("org/licensed").tags = ["gguf", "license:cc-by-nc-4.0"];
  assert.equal(await refusalOf(hub, "good/new", "f"), undefined);
  assert.equal(await refusalOf(hub, "org/old", "f"), undefined);
  assert.equal(
    await refusalOf(hub, "org/new", "f"),
    'Cannot download "f": the rule quarantine refuses it: New revisions wait for a week',
  );
  assert.match(await refusalOf(hub, "org/timeless", "f") ?? "", /the rule quarantine /);
  assert.match(await refusalOf(hub, "org/licensed", "f") ?? "", /the rule license .*Not for us$/);
  assert.match(await refusalOf(hub, "org/old", "large") ?? "", /the rule large .*Ask first$/);
  const asked = double.requests.filter(({ path }) => path.includes("/resolve/"));
  assert.deepEqual(
    asked.map(({ path }) => path).filter((it) => /org\/(?:new|lic)|large/.test(it)),
    [],
  );
  const refusals = (await auditOf(server)).filter(({ outcome }) =>
    outcome === "ErrResourcesRefused"
  );
  const rules = new Set(refusals.map(({ rule }) => rule));
  assert.deepEqual([...rules].sort(), ["large", "license", "quarantine"]);
});

Deno.test("C 28 code in a revision is found in its names and its configurations", async () => {
  await using parts = await mirroring({ policy: policyOf(CODE) });
  const { double, hub } = parts;
  double.add("org/plain", { f: "x", "config.json": '{"model_type":"llama"}' });
  double.add("org/python", { f: "x", "deep/down/modeling.py": "pass" });
  double.add("org/mapped", { f: "x", "config.json": '{"auto_map":{"AutoModel":"other--m.M"}}' });
  double.add("org/tokens", { f: "x", "tokenizer_config.json": '{"\\u0061uto_map":{}}' });
  double.add("org/broken", { f: "x", "config.json": '{"auto_map": NaN}' });
  double.add("org/none", { f: "x" });
  const outcomes = await Promise.all(
    ["plain", "python", "mapped", "tokens", "broken", "none"].map(async (name) =>
      `${name} ${await refusalOf(hub, `org/${name}`, "f") === undefined}`
    ),
  );
  assert.deepEqual(outcomes, [
    "plain true",
    "python false",
    "mapped false",
    "tokens false",
    "broken false",
    "none true",
  ]);
});

Deno.test("C 28 it is known whether a revision has code with the other hub away", async () => {
  await using directory = await TempDir.make();
  await using double = HubDouble.start();
  double.add("org/plain", { f: "x", "config.json": "{}" });
  const options = { dataDir: directory.path, policy: policyOf(CODE), double };
  for (const _start of [1, 2]) {
    await using parts = await mirroring(options);
    assert.equal(await refusalOf(parts.hub, "org/plain", "f"), undefined);
    await download(parts.hub, "/org/plain/resolve/main/f");
    double.fault = () => ({ status: 503 });
  }
});

Deno.test("C 28 a configuration that is not what the other hub states decides nothing", async () => {
  await using parts = await mirroring({ policy: policyOf(CODE) });
  const { double, hub } = parts;
  double.add("org/model", { f: "x", "config.json": '{"auto_map":{}}' });
  double.fault = ({ path }) => path.includes("config.json") ? { wrongAt: 3 } : undefined;
  const reply = await hub.send("GET", "/org/model/resolve/main/f");
  assert.equal(reply.status, 503, reply.text);
  double.fault = () => undefined;
  assert.match(await refusalOf(hub, "org/model", "f") ?? "", /the rule no-code/);
});

Deno.test("C 18, 28 what a rule refuses by its format is fetched, and given to nobody", async () => {
  const pickles = { name: "no-pickles", deny: "Convert it", format: "pickle" };
  const settings = { gate: "block" } as const;
  await using parts = await mirroring({ settings, policy: policyOf(pickles) });
  const { double, hub } = parts;
  double.add("org/model", { "w.bin": { content: CLEAN }, "config.json": "{}" });
  const settled = async (path: string) => {
    let found: { status: number; text: string } | undefined;
    await until(async () => {
      const { response, bytes } = await download(hub, `/org/model/resolve/main/${path}`);
      found = { status: response.status, text: new TextDecoder().decode(bytes) };
      return found.status !== 429;
    });
    return found;
  };
  assert.deepEqual(await settled("config.json"), { status: 200, text: "{}" });
  const refused = await settled("w.bin");
  assert.equal(refused?.status, 403);
  assert.match(refused?.text ?? "", /the rule no-pickles refuses it: Convert it/);
});

Deno.test("C 28 the mirror is judged by rules that are not for uploads, and uploads are not", async () => {
  const files = { name: "no-exe", deny: "No programs", file: "*.exe" };
  const bins = { name: "no-bin", deny: "No binaries", file: "*.bin", uploads: true };
  const settings = { gate: "block" } as const;
  await using parts = await mirroring({ settings, policy: policyOf(files, bins) });
  const { double, hub, server } = parts;
  double.add("org/model", { "a.exe": "x", "a.bin": "x" });
  assert.match(await refusalOf(hub, "org/model", "a.exe") ?? "", /no-exe/);
  assert.match(await refusalOf(hub, "org/model", "a.bin") ?? "", /no-bin/);
  const one = await server.as(1);
  assert.equal((await one.put("a.exe", "x")).status, 201);
  assert.equal((await one.put("a.bin", "x")).status, 403);
});

Deno.test("C 28 other doors refuse mirrored files as long as a rule asks for what the mirror alone knows", async () => {
  const license = { name: "license", deny: "Not for us", license: "cc-by-nc-4.0", file: "f" };
  const settings = { gate: "block" } as const;
  await using parts = await mirroring({ settings, policy: policyOf(license) });
  const { double, hub, server } = parts;
  const commit = double.add("org/model", { f: "x", g: "x" });
  const admin = await server.admin();
  const tree = (path: string) =>
    admin.send("GET", `/files/models/org/model@${commit}/${path}`, { query: { tree: "mirror" } });
  for (const path of ["f", "g"]) {
    await until(async () => {
      const { response } = await download(hub, `/org/model/resolve/main/${path}`);
      return response.status === 200;
    });
  }
  assert.match(refused(await tree("f"), 403, "ErrResourcesRefused"), /the rule license /);
  assert.equal((await tree("g")).text, "x");
});

Deno.test("C 28 a renamed repository is judged by both of its names", async () => {
  const evil = { name: "no-evil", deny: "Not theirs", repository: ["evil/*", "past/*"] };
  await using parts = await mirroring({ policy: policyOf(evil) });
  const { double, hub } = parts;
  double.add("evil/model", { f: "x" });
  double.add("good/model", { f: "x" });
  double.repository("org/model").renamedTo = "evil/model";
  double.repository("past/model").renamedTo = "good/model";
  double.repository("gpt2").renamedTo = "good/model";
  for (const id of ["org/model", "past/model"]) {
    assert.match(await refusalOf(hub, id, "f") ?? "", /the rule no-evil .*Not theirs$/);
  }
  assert.equal(await refusalOf(hub, "gpt2", "f"), undefined);
});

Deno.test("C 28 repositories with and without a namespace are judged by their names, wherever they are read", async () => {
  const policy = parsePolicy({
    default: "deny",
    rule: [{
      name: "reviewed",
      allow: "Reviewed",
      repository: ["gpt2", "big/gpt2", "org/*"],
      kind: "model",
    }],
  });
  if ("problem" in policy) throw new Error(policy.problem);
  await using parts = await mirroring({ settings: { gate: "block" }, policy });
  const { double, server } = parts;
  const hub = await mirrorClient(server, 1, undefined, "/m");
  for (const id of ["big/gpt2", "org/model", "big/other"]) {
    double.add(id, { "config.json": "{}" });
  }
  double.repository("gpt2").renamedTo = "big/gpt2";
  const settled = async (id: string) => {
    let status = 429;
    await until(async () => {
      const { response } = await download(hub, `/${id}/resolve/main/config.json`);
      status = response.status;
      return status !== 429;
    });
    return status;
  };
  // The second time, they are in the tree.
  for (const _attempt of [1, 2]) {
    assert.deepEqual(
      [await settled("gpt2"), await settled("org/model"), await settled("big/other")],
      [200, 200, 403],
    );
  }
});

Deno.test("C 28, 29 what is mirrored is judged by the bundle of its revision", async () => {
  const rule = { name: "signed", deny: "Sign it first", signature: ["unsigned", "invalid"] };
  const git = { name: "git", allow: "Not read by loaders", file: ".gitattributes" };
  await using parts = await mirroring({
    settings: { gate: "block" },
    policy: policyOf(git, rule),
    signers: await trusted(),
  });
  const { double, hub } = parts;
  const bundle = await signatureFile("p256.sig");
  double.add("org/signed", { ...SIGNED_MODEL, "model.sig": bundle });
  double.add("org/plain", SIGNED_MODEL);
  double.add("org/changed", {
    ...SIGNED_MODEL,
    "config.json": "{}",
    "large.bin": { content: new TextEncoder().encode("added"), lfs: true },
    "model.sig": bundle,
  });
  double.add("org/foreign", { ...SIGNED_MODEL, "model.sig": await signatureFile("foreign.sig") });
  const outcome = async (path: string) => {
    let status = 429;
    await until(async () => {
      status = (await download(hub, `/org/${path}`)).response.status;
      return status !== 429;
    });
    return status;
  };
  assert.equal(await outcome("signed/resolve/main/config.json"), 200);
  assert.equal(await outcome("signed/resolve/main/weights/model.bin"), 200);
  assert.equal(await outcome("signed/resolve/main/model.sig"), 200);
  assert.equal(await outcome("signed/resolve/main/.gitattributes"), 200);
  assert.equal(await outcome("plain/resolve/main/config.json"), 403);
  assert.equal(await outcome("foreign/resolve/main/config.json"), 403);
  assert.equal(await outcome("changed/resolve/main/weights/model.bin"), 200);
  assert.equal(await outcome("changed/resolve/main/config.json"), 403);
  assert.equal(await outcome("changed/resolve/main/large.bin"), 403);
  // What the other hub states of it is enough.
  const asked = double.requests.map(({ path }) => path);
  assert.deepEqual(asked.filter((it) => /large\.bin|plain\/resolve/.test(it)), []);
});

Deno.test("C 28, 29 a list of mirrored files reads their bundle once, whoever asks then", async () => {
  const rule = { name: "signed", deny: "Sign it first", signature: ["unsigned", "invalid"] };
  await using parts = await mirroring({
    settings: { gate: "block" },
    policy: policyOf(rule),
    signers: await trusted(),
  });
  const { double, server } = parts;
  const weights = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `weights/${index}.bin`,
      { content: new TextEncoder().encode(`${index}`), lfs: true },
    ]),
  );
  double.add("org/model", { ...weights, "model.sig": await signatureFile("p256.sig") });
  const user = await server.as(1, ...USER_PRIVILEGES, "mirror.use");
  const { id } = v.parse(
    MirrorEntry,
    dataOf(await user.json("POST", "/mirror/", { repository: "org/model" })),
  );
  for (const _time of [1, 2]) {
    const { items } = v.parse(
      MirrorFileList,
      dataOf(await user.send("GET", `/mirror/${id}/files`)),
    );
    const outcomes = items.filter(({ path }) => path.endsWith(".bin")).map((it) => it.outcome);
    assert.deepEqual(outcomes, Array.from({ length: 40 }, () => "deny"));
  }
  const asked = double.requests.filter(({ path }) => path.includes("/resolve/"));
  assert.deepEqual(asked.filter(({ path }) => path.endsWith("model.sig")).length, asked.length);
  assert.equal(asked.length, 1);
});
