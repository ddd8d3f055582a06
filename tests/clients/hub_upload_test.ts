import * as assert from "node:assert/strict";
import type { Client } from "../support/client.ts";
import { CountingProxy } from "../support/counting_proxy.ts";
import { type HfClient, hubTest } from "../support/hub_clients.ts";
import { noise } from "../support/random.ts";
import { mintToken, USER_PRIVILEGES } from "../support/server.ts";
import { until } from "../support/until.ts";

const FILES: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  "README.md": new TextEncoder().encode("# model\n"),
  "config.json": new TextEncoder().encode("{}"),
  "empty.txt": new Uint8Array(),
  "weights/model.bin": noise(3_000_000),
  "weights/größe 1/a #&+.bin": noise(100_000, 2),
};

/** What a client may send and receive, besides content, for a repository of a few files. */
const MAX_OVERHEAD_BYTES = 40_000;

/** Writes the files where a client works. */
async function write(
  client: HfClient,
  directory: string,
  files: Readonly<Record<string, Uint8Array>> = FILES,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const at = `${client.options.home}/${directory}/${path}`;
    await Deno.mkdir(at.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeFile(at, content);
  }
}

/** The files of a directory of a tree, with their content. */
async function stored(client: Client, directory: string): Promise<Record<string, Uint8Array>> {
  const reply = await client.send("GET", "/resources/checksums", { query: { path: directory } });
  assert.equal(reply.status, 200, reply.text);
  const found: Record<string, Uint8Array> = {};
  for (const [, path = ""] of reply.text.matchAll(/^[0-9a-f]{64} {2}(.*)$/gm)) {
    found[path] = await client.bytes({ path: `${directory}/${path}` });
  }
  return found;
}

/** Runs `hf`, and returns how many bytes it sent. */
async function sent(client: HfClient, port: number, ...args: string[]): Promise<number> {
  await using proxy = new CountingProxy(port);
  await client.with({ endpoint: `${proxy.origin}/hub` }).succeed(...args);
  return proxy.passed.up;
}

hubTest("C 20 hf upload", async ({ server, client, clientOf, step }) => {
  const one = await server.as(1);
  const { port } = server.server.address;
  const upload = (...args: string[]) => sent(client, port, "upload", ...args);
  await write(client, "model");

  await step("C 20 a folder arrives whole", async () => {
    const bytes = await upload("team/model", "model", ".");
    assert.deepEqual(await stored(one, "models/team/model"), FILES);
    assert.ok(bytes < 3_100_000 + 2 * MAX_OVERHEAD_BYTES, String(bytes));
    assert.deepEqual(await server.temporaryFiles(), []);
  });
  await step("C 20 a second run sends no content", async () => {
    const bytes = await upload("team/model", "model", ".");
    assert.ok(bytes < MAX_OVERHEAD_BYTES, String(bytes));
  });
  await step("C 20 content that the tree has at another path is not sent again", async () => {
    const bytes = await upload("team/model", "model", "copy");
    assert.ok(bytes < MAX_OVERHEAD_BYTES, String(bytes));
    const copied = await one.bytes({ path: "models/team/model/copy/weights/model.bin" });
    assert.deepEqual(copied, FILES["weights/model.bin"]);
  });
  await step("C 20 content of others is sent", async () => {
    const two = await clientOf({ userId: 2 });
    await write(two, "model");
    const bytes = await sent(two, port, "upload", "team/model", "model", ".");
    assert.ok(bytes > 3_000_000, String(bytes));
  });
  await step("C 20 one file, by its name and by another", async () => {
    await upload("team/single", "model/config.json");
    await upload("team/single", "model/weights/model.bin", "sub/renamed.bin");
    assert.deepEqual(await stored(one, "models/team/single"), {
      "config.json": FILES["config.json"],
      "sub/renamed.bin": FILES["weights/model.bin"],
    });
  });
  await step("C 20 --delete removes what matches and is not uploaded", async () => {
    await write(client, "less", { "new.txt": noise(10) });
    await upload("team/model", "less", ".", "--delete", "*.bin");
    const kept = Object.entries(FILES).filter(([path]) => !path.endsWith(".bin"));
    assert.deepEqual(await stored(one, "models/team/model"), {
      ...Object.fromEntries(kept),
      ...Object.fromEntries(kept.map(([path, content]) => [`copy/${path}`, content])),
      "new.txt": noise(10),
    });
  });
  await step("C 20 a data set, and a model of a shared tree", async () => {
    await upload("team/rows", "model", "data", "--repo-type", "dataset");
    const rows = await stored(one, "datasets/team/rows");
    assert.deepEqual(rows["data/weights/model.bin"], FILES["weights/model.bin"]);
    const privileges = ["resources.view", "resources.upload", "resources.edit"];
    const token = await mintToken({ userId: 1, privileges: [], trees: { "7": privileges } });
    const endpoint = `${server.origin}/hub/t/7`;
    const member = await clientOf({ token, endpoint, home: client.options.home });
    await member.succeed("upload", "group/shared", "model", ".");
    assert.deepEqual(await stored(await server.as(7), "models/group/shared"), FILES);
  });
  await step("C 20 a refusal says why, and leaves nothing", async () => {
    const viewer = await mintToken({ userId: 1, privileges: ["resources.view"] });
    const output = await client.with({ token: viewer })
      .fail("upload", "team/refused", "model", ".");
    assert.match(output, /resources\.upload/);
    assert.deepEqual((await one.tree()).filter((path) => path.includes("refused")), []);
    assert.match(await client.fail("upload", "team/refused-.", "model", "."), /refused-\./);
  });
});

hubTest("C 31 hf upload without HF_HUB_DISABLE_XET arrives, or names it", async (test) => {
  const { server, client } = test;
  await write(client, "model", { "model.bin": noise(100_000) });
  const unset = client.with({ env: { HF_HUB_DISABLE_XET: "0" } });
  for (const paths of [["model", "."], ["model/model.bin"]]) {
    const { code, stdout, stderr } = await unset.hf("upload", "team/xet", ...paths);
    if (code !== 0) assert.match(stderr, /HF_HUB_DISABLE_XET=1/);
    else assert.match(stdout, /team\/xet/);
    // The versions from 2 on do not fall back where they have hf_xet.
    if (client.version.version.startsWith("2.")) continue;
    assert.equal(code, 0, stderr);
    const stored = await (await server.as(1)).bytes({ path: "models/team/xet/model.bin" });
    assert.deepEqual(stored, noise(100_000));
  }
}, { versions: "all" });

hubTest("C 20 hf upload repeats what a cut connection has lost", async ({ server, client }) => {
  const one = await server.as(1);
  const content = noise(8_000_000);
  await write(client, "model", { "model.bin": content });
  await using proxy = new CountingProxy(server.server.address.port);
  const cut = client.with({ endpoint: `${proxy.origin}/hub` });
  proxy.holdAfter("up", 4_000_000);
  const upload = cut.succeed("upload", "team/cut", "model", ".");
  await until(() => proxy.isHeld);
  proxy.cut();
  proxy.release();
  await upload;
  assert.deepEqual(await stored(one, "models/team/cut"), { "model.bin": content });
  assert.deepEqual(await server.temporaryFiles(), []);
});

hubTest("C 31 hf upload is refused beyond the quota and the largest file", async (test) => {
  const { server, client } = test;
  await write(client, "model", { "model.bin": noise(5_000_000) });
  const output = await client.fail("upload", "team/large", "model", ".");
  assert.match(output, /4000000|4 MB|3\.8 MiB|too large/i);
  const tight = await mintToken({ userId: 2, privileges: USER_PRIVILEGES, quota: 1_000_000 });
  await write(client, "less", { "model.bin": noise(2_000_000) });
  const refusal = await client.with({ token: tight }).fail("upload", "team/large", "less", ".");
  assert.match(refusal, /quota/i);
  // C 31: the batch says both, so that nothing is sent.
  assert.deepEqual(server.log.filter((line) => line.includes("/hub/lfs/")), []);
  assert.deepEqual(await server.temporaryFiles(), []);
}, { limits: { maxUploadFileSize: 4_000_000 } });
