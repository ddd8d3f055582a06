import * as assert from "node:assert/strict";
import * as v from "valibot";
import { parsePolicy } from "../../core/policy/parse.ts";
import { HistoryList } from "../../schemas/history.ts";
import { SignatureEntry } from "../../schemas/signatures.ts";
import { StatEntry, VerdictList } from "../../schemas/verdicts.ts";
import { auditOf } from "../support/audit.ts";
import { type Client, dataOf, refused } from "../support/client.ts";
import { modelFile } from "../support/models.ts";
import { TestServer, type TestServerOptions } from "../support/server.ts";
import { signatureFile, SIGNED_MODEL, signersOf, trusted } from "../support/signatures.ts";
import { settledVerdicts } from "../support/verdicts.ts";

const signers = await trusted();
const BUNDLE = await signatureFile("p256.sig");

async function trusting(options: TestServerOptions = {}) {
  return await TestServer.start({ signers, ...options });
}

async function put(client: Client, directory: string, files: Record<string, string>) {
  for (const [path, content] of Object.entries(files)) {
    const name = directory === "" ? path : `${directory}/${path}`;
    const reply = await client.put(name, content);
    assert.ok([200, 201].includes(reply.status), reply.text);
  }
}

async function verify(client: Client, path: string, query = {}): Promise<SignatureEntry> {
  const reply = await client.send("GET", "/resources/signature", { query: { path, ...query } });
  assert.equal(reply.status, 200, reply.text);
  return v.parse(SignatureEntry, dataOf(reply));
}

async function stated(client: Client, path: string): Promise<unknown> {
  const reply = await client.send("GET", "/resources/stat", { query: { path } });
  return v.parse(StatEntry, dataOf(reply)).verdict?.signature;
}

Deno.test("C 29 a directory is signed as long as its files are what a trusted signer has signed", async () => {
  await using server = await trusting();
  const one = await server.as(1);
  await put(one, "m", { ...SIGNED_MODEL, "model.sig": BUNDLE });
  const signed = { state: "signed", signer: "release" };
  const entry = {
    path: "m",
    is_dir: true,
    signature: signed,
    bundle: "m/model.sig",
    files: 2,
    left_out: 1,
    problems: [],
  };
  assert.deepEqual(await verify(one, "m"), entry);
  assert.deepEqual((await verify(one, "m/weights")).files, 1);
  assert.deepEqual(await stated(one, "m/weights/model.bin"), signed);
  assert.deepEqual(await stated(one, "m/model.sig"), signed);
  assert.deepEqual(await stated(one, "m/.gitattributes"), { state: "unsigned" });
  await put(one, "", { "plain.txt": "x" });
  assert.deepEqual(await stated(one, "plain.txt"), { state: "unsigned" });
  assert.equal((await verify(one, "plain.txt")).bundle, null);
  const verdicts = await one.send("GET", "/resources/verdicts", {
    query: { path: "m", recursive: "true" },
  });
  const { items } = v.parse(VerdictList, dataOf(verdicts));
  assert.deepEqual(
    Object.fromEntries(items.map(({ path, signature }) => [path, signature?.state])),
    {
      "m/config.json": "signed",
      "m/weights/model.bin": "signed",
      "m/model.sig": "signed",
      "m/.gitattributes": "unsigned",
    },
  );
  // A copy is what was signed, too.
  dataOf(await one.copy({ sources: ["m"], destination: "n" }));
  assert.deepEqual((await verify(one, "n")).signature, signed);
});

Deno.test("C 29 files that are changed, missing or added are named, and each is judged alone", async () => {
  await using server = await trusting();
  const one = await server.as(1);
  await put(one, "m", {
    ".gitattributes": "anything",
    "config.json": "{}",
    "evil.py": "x",
    "model.sig": BUNDLE,
  });
  assert.deepEqual(await verify(one, "m"), {
    path: "m",
    is_dir: true,
    signature: {
      state: "invalid",
      signer: "release",
      reason: '"m/config.json" and 2 more are not as they were signed',
    },
    bundle: "m/model.sig",
    files: 0,
    left_out: 1,
    problems: [
      { path: "m/config.json", problem: "changed" },
      { path: "m/evil.py", problem: "added" },
      { path: "m/weights/model.bin", problem: "missing" },
    ],
  });
  assert.deepEqual(await stated(one, "m/config.json"), {
    state: "invalid",
    signer: "release",
    reason: "it is not what release has signed",
  });
  assert.deepEqual(await stated(one, "m/evil.py"), {
    state: "invalid",
    signer: "release",
    reason: "release has not signed it: it was added",
  });
});

Deno.test("C 29 a bundle that does not count, is no bundle or too large makes all files beside it invalid", async (t) => {
  await using server = await trusting();
  const one = await server.as(1);
  await put(one, "m", SIGNED_MODEL);
  const bundles = {
    "no trusted key has signed it": await signatureFile("foreign.sig"),
    "a certificate has expired on 2020-01-01": await signatureFile("expired.sig"),
    "it is no bundle of Sigstore": "no bundle",
    "the bundle is too large": " ".repeat(2 * 1024 * 1024 + 1),
  };
  for (const [reason, bundle] of Object.entries(bundles)) {
    await t.step(reason, async () => {
      await put(one, "m", { "model.sig": bundle });
      assert.deepEqual((await verify(one, "m")).signature, { state: "invalid", reason });
      assert.deepEqual(await stated(one, "m/config.json"), { state: "invalid", reason });
      assert.deepEqual(await stated(one, "m/model.sig"), { state: "invalid", reason });
    });
  }
  await put(one, "m", { "model.sig": await signatureFile("blake3.sig") });
  assert.deepEqual(await stated(one, "m/config.json"), {
    state: "invalid",
    signer: "release",
    reason: "release has signed it by digests that are not kept",
  });
});

Deno.test("C 29 the bundle that is nearest counts, at a version as it was, and for its owner alone", async () => {
  await using server = await trusting({ settings: { history: 3_600_000 } });
  const one = await server.as(1);
  await put(one, "a/b", { ...SIGNED_MODEL, "model.sig": BUNDLE });
  const at = await lastVersion(one, "a");
  await put(one, "a", { "model.sig": await signatureFile("foreign.sig") });
  assert.equal((await verify(one, "a/b")).signature.state, "signed");
  assert.equal((await verify(one, "a")).signature.reason, "no trusted key has signed it");
  await put(one, "a/b", { "config.json": "{}" });
  assert.equal((await verify(one, "a/b")).signature.state, "invalid");
  assert.equal((await verify(one, "a/b", { at })).signature.state, "signed");
  const two = await server.as(2);
  refused(
    await two.send("GET", "/resources/signature", { query: { path: "a/b" } }),
    404,
    "ErrResourcesNotFound",
  );
  await put(two, "a/b", { "config.json": SIGNED_MODEL["config.json"] });
  assert.deepEqual(await stated(two, "a/b/config.json"), { state: "unsigned" });
});

Deno.test("C 29 where nobody is trusted, no signature is looked at", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await put(one, "m", { "a.txt": "x", "model.sig": BUNDLE });
  assert.equal(await stated(one, "m/a.txt"), undefined);
  const reply = await one.send("GET", "/resources/signature", { query: { path: "m" } });
  assert.match(refused(reply, 501, "ErrNotOffered"), /no \[signatures\]$/);
});

Deno.test("C 28, 29 rules ask for signatures, and the gate holds back what they refuse", async (t) => {
  const parsed = parsePolicy({
    rule: [
      { name: "git", allow: "Not read by loaders", file: ".gitattributes", uploads: true },
      {
        name: "board-only",
        allow: "Signed by the board",
        repository: "board/*",
        signed_by: "board",
        uploads: true,
      },
      { name: "board", deny: "Ask the board", repository: "board/*", uploads: true },
      {
        name: "signed",
        deny: "Sign it first",
        signature: ["unsigned", "invalid"],
        uploads: true,
      },
    ],
  });
  if ("problem" in parsed) throw new Error(parsed.problem);
  await using server = await trusting({
    policy: parsed,
    settings: { gate: "block", history: 3_600_000 },
  });
  const one = await server.as(1);
  const pickle = await modelFile("pickle/plain_3.pkl");
  await put(one, "models/me/m", { ...SIGNED_MODEL, "model.sig": BUNDLE });
  await put(one, "models/board/m", { ...SIGNED_MODEL, "model.sig": BUNDLE });
  await put(one, "models/board/n", {
    ...SIGNED_MODEL,
    "model.sig": await signatureFile("p384.sig"),
  });
  assert.ok((await one.put("models/me/m/added.pkl", pickle)).status < 300);
  await settledVerdicts(one);
  const got = async (path: string, query = {}) =>
    await one.send("GET", `/files/${path}`, { query });
  await t.step("what is signed may be had", async () => {
    assert.equal((await got("models/me/m/config.json")).status, 200);
    assert.equal((await got("models/me/m/model.sig")).status, 200);
    assert.equal((await got("models/me/m/.gitattributes")).status, 200);
    assert.equal((await got("models/board/n/config.json")).status, 200);
  });
  await t.step("what is not, or not by whom it must be, may not", async () => {
    assert.equal(
      refused(await got("models/me/m/added.pkl"), 403, "ErrResourcesRefused"),
      'Cannot download "models/me/m/added.pkl": the rule signed refuses it: Sign it first',
    );
    assert.match(
      refused(await got("models/board/m/config.json"), 403, "ErrResourcesRefused"),
      /the rule board refuses it: Ask the board$/,
    );
    const zip = await one.send("GET", "/resources/download", { query: { path: "models/me/m" } });
    refused(zip, 403, "ErrResourcesRefused");
    const audited = (await auditOf(server)).filter(({ rule }) => rule === "signed");
    assert.ok(audited.length > 0);
  });
  await t.step("it is said beforehand", async () => {
    const reply = await one.send("GET", "/resources/policy", { query: { path: "models/me/m" } });
    const { items } = v.parse(
      v.object({ items: v.array(v.object({ path: v.string(), outcome: v.string() })) }),
      dataOf(reply),
    );
    const denied = items.filter(({ outcome }) => outcome !== "allow").map(({ path }) => path);
    assert.deepEqual(denied, ["models/me/m/added.pkl"]);
    assert.equal(await blockedOf(one, "models/me/m/added.pkl"), true);
    assert.equal(await blockedOf(one, "models/me/m/config.json"), false);
  });
  await t.step("a change takes it back, its former version stays", async () => {
    const at = await lastVersion(one, "models/me");
    await put(one, "models/me/m", { "config.json": '{"model_type":"other"}' });
    await settledVerdicts(one);
    refused(await got("models/me/m/config.json"), 403, "ErrResourcesRefused");
    assert.equal((await got("models/me/m/config.json", { at })).status, 200);
  });
});

async function lastVersion(client: Client, path: string): Promise<string> {
  const reply = await client.send("GET", "/resources/history", { query: { path } });
  return String(v.parse(HistoryList, dataOf(reply)).items[0]?.version);
}

async function blockedOf(client: Client, path: string): Promise<boolean | undefined> {
  const reply = await client.send("GET", "/resources/stat", { query: { path } });
  return v.parse(StatEntry, dataOf(reply)).verdict?.blocked;
}

Deno.test("C 29 the identity of a certificate is shown", async () => {
  const certificates = await signatureFile("root.crt");
  await using server = await trusting({
    signers: signersOf({ staff: { certificates, identity: "*@example.com" } }),
  });
  const one = await server.as(1);
  await put(one, "m", { ...SIGNED_MODEL, "model.sig": await signatureFile("certificate.sig") });
  assert.deepEqual((await verify(one, "m")).signature, {
    state: "signed",
    signer: "staff",
    identity: "release@example.com",
  });
});
