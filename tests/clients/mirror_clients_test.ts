import * as assert from "node:assert/strict";
import { HfClient, type HubVersion, versionWith } from "../support/hub_clients.ts";
import { type Mirroring, mirroring, open } from "../support/mirroring.ts";
import { freePort } from "../support/ports.ts";
import { noise } from "../support/random.ts";
import { RemoteClient } from "../support/remote_client.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;
const withTransformers = await versionWith("transformers", "safetensors.numpy");
const withDatasets = await versionWith("datasets");
const hasCurl = await hasProgram("curl", "--version");

/** A client with an empty cache. */
async function clientOf({ hub }: Mirroring, version: HubVersion, directory: string) {
  const home = await Deno.makeTempDir({ dir: directory });
  return new HfClient(version, { endpoint: hub.url, token: hub.token, home });
}

/**
 * Reads by a cold mirror, by a warm one, which sends nothing to the other hub, and by one that is cut off, each time
 * as a client that has nothing yet.
 */
async function thrice({ double }: Mirroring, read: () => Promise<void>): Promise<void> {
  await read();
  assert.ok(double.taken().length > 0);
  await read();
  assert.deepEqual(double.taken(), []);
  double.fault = () => ({ status: 503 });
  await read();
  assert.deepEqual(double.taken(), []);
}

/** The files of a small model that transformers has saved. */
async function savedModel(author: HfClient) {
  await author.program("tiny_model", "model");
  const directory = `${author.options.home}/model`;
  const files: Record<string, { content: Uint8Array<ArrayBuffer> }> = {};
  for await (const { name } of Deno.readDir(directory)) {
    files[name] = { content: await Deno.readFile(`${directory}/${name}`) };
  }
  return files;
}

/** What from_pretrained says of it. */
const LOADED = {
  "org/tiny": {
    config: 8,
    generation: 17,
    tokenizer: { ids: [2, 3], template: null },
    weights: { weight: [[4, 8], 32] },
  },
};

Deno.test({
  name: "C 28 from_pretrained of transformers by a cold, a warm and a cut-off mirror",
  ignore: withTransformers === undefined,
  async fn() {
    if (withTransformers === undefined) return;
    await using directory = await TempDir.make();
    await using parts = await mirroring({ settings: { gate: "block" } });
    const author = await clientOf(parts, withTransformers, directory.path);
    parts.double.add("org/tiny", await savedModel(author));
    await thrice(parts, async () => {
      const client = await clientOf(parts, withTransformers, directory.path);
      assert.deepEqual(await client.program("from_pretrained", "org/tiny"), LOADED);
    });
  },
});

Deno.test({
  name:
    "C 28 from_pretrained with the cable cut, of what was exported on one machine and imported on another",
  ignore: withTransformers === undefined,
  async fn() {
    if (withTransformers === undefined) return;
    await using directory = await TempDir.make();
    await using outside = await mirroring({ settings: { gate: "block" } });
    const author = await clientOf(outside, withTransformers, directory.path);
    outside.double.add("org/tiny", await savedModel(author));
    const privileges = ["resources.admin"];
    const one = await RemoteClient.of(outside.server, directory.path, { privileges });
    const added = await one.run(["mirror", "add", "org/tiny"]);
    assert.equal(added.code, 0, added.stderr);
    await using exporting = one.spawn(["mirror", "export", "org/tiny"]);
    await exporting.stdin.close();
    const { code, stdout: archive } = await exporting.output();
    assert.equal(code, 0);

    // Nobody answers there.
    const mirrorUrl = `http://127.0.0.1:${freePort()}`;
    await using inside = await mirroring({ settings: { gate: "block", mirrorUrl } });
    const other = await RemoteClient.of(inside.server, directory.path, { privileges });
    const imported = await other.run(["mirror", "import"], { stdin: archive });
    assert.equal(imported.code, 0, imported.stderr);
    const client = await clientOf(inside, withTransformers, directory.path);
    assert.deepEqual(await client.program("from_pretrained", "org/tiny"), LOADED);
    assert.deepEqual(inside.double.requests, []);
  },
});

Deno.test({
  name: "C 28 load_dataset by a cold, a warm and a cut-off mirror",
  ignore: withDatasets === undefined,
  async fn() {
    if (withDatasets === undefined) return;
    await using directory = await TempDir.make();
    await using parts = await mirroring({ settings: { gate: "block" } });
    const rows = '{"text":"one","label":0}\n{"text":"two","label":1}\n';
    parts.double.add("org/small", { "train.jsonl": rows, "README.md": "# Data\n" }, {
      kind: "datasets",
    });
    await thrice(parts, async () => {
      const client = await clientOf(parts, withDatasets, directory.path);
      assert.deepEqual(await client.program("load_dataset", "org/small"), {
        rows: { text: ["one", "two"], label: [0, 1] },
      });
    });
  },
});

Deno.test({
  name: "C 28 curl -C - goes on after a cut, by a cold, a warm and a cut-off mirror",
  ignore: !hasCurl,
  async fn() {
    await using directory = await TempDir.make();
    await using parts = await mirroring({ settings: { gate: "block" } });
    const { double, hub } = parts;
    const content = noise(5 * MIB, 1);
    double.add("org/model", { "w.bin": { content } });
    const path = "/org/model/resolve/main/w.bin";
    const begun = 1_000_000;
    let reads = 0;
    const goOn = async () => {
      const out = `${directory.path}/${++reads}`;
      await Deno.writeFile(out, content.subarray(0, begun));
      const { code, stdout, stderr } = await run("curl", [
        ...["-sS", "-f", "-L", "--location-trusted", "-C", "-", "--retry", "60", "-o", out],
        ...["-w", "%{http_code} %{size_download}", "-H", `Authorization: Bearer ${hub.token}`],
        hub.url + path,
      ]);
      assert.equal(code, 0, stderr);
      assert.deepEqual(new Uint8Array(await Deno.readFile(out)), content);
      return stdout;
    };
    // The first client is cut off while the file comes in.
    double.fault = ({ host, range }) =>
      host === "content" && range === null ? { stallAt: 3 * MIB } : undefined;
    const reader = (await open(hub, path)).body?.getReader();
    assert.ok((await reader?.read())?.value !== undefined);
    await reader?.cancel();
    const cold = goOn();
    await until(() => double.requests.some(({ host }) => host === "content"));
    double.resume();
    const rest = `206 ${content.length - begun}`;
    assert.equal(await cold, rest);
    // One fetch, which went on after the cut.
    const fetched = double.taken().filter(({ host }) => host === "content");
    assert.deepEqual(fetched.map(({ range }) => range), [null, `bytes=${3 * MIB}-`]);
    assert.equal(await goOn(), rest);
    assert.deepEqual(double.taken(), []);
    double.fault = () => ({ status: 503 });
    assert.equal(await goOn(), rest);
    assert.deepEqual(double.taken(), []);
  },
});
