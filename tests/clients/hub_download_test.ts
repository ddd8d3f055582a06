import * as assert from "node:assert/strict";
import type { Client } from "../support/client.ts";
import { CountingProxy } from "../support/counting_proxy.ts";
import { type HfClient, hubTest } from "../support/hub_clients.ts";
import { noise } from "../support/random.ts";
import { mintToken } from "../support/server.ts";
import { until } from "../support/until.ts";

const FILES: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  ".gitattributes": new TextEncoder().encode("*.bin filter=lfs\n"),
  "config.json": new TextEncoder().encode("{}"),
  "empty.txt": new Uint8Array(),
  "weights/model.bin": noise(3_000_000),
  "weights/größe 1/a #&+.bin": noise(1000),
};

/** What a client may send and receive, besides content, for a repository of a few files. */
const MAX_OVERHEAD_BYTES = 40_000;

async function store(client: Client, directory: string, files = FILES): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    assert.equal((await client.put(`${directory}/${path}`, content)).status, 201, path);
  }
}

/** The files below a directory, but for what the client keeps for itself, with their content. */
async function filesBelow(directory: string, prefix = ""): Promise<Record<string, Uint8Array>> {
  const found: Record<string, Uint8Array> = {};
  for await (const { name, isDirectory } of Deno.readDir(`${directory}/${prefix}`)) {
    if (name === ".cache") continue;
    const path = prefix + name;
    if (isDirectory) Object.assign(found, await filesBelow(directory, `${path}/`));
    else found[path] = new Uint8Array(await Deno.readFile(`${directory}/${path}`));
  }
  return found;
}

/** The files of the one snapshot of a repository in the cache of a client. */
async function cached(client: HfClient, repository: string): Promise<Record<string, Uint8Array>> {
  const name = repository.replaceAll("/", "--");
  const snapshots = `${client.options.home}/.cache/huggingface/hub/${name}/snapshots`;
  const [snapshot, ...others] = [...Deno.readDirSync(snapshots)];
  assert.ok(snapshot !== undefined && others.length === 0);
  return await filesBelow(`${snapshots}/${snapshot.name}`);
}

/** Has requests of a client counted while it does something. */
async function counted(
  client: HfClient,
  port: number,
  work: (client: HfClient, proxy: CountingProxy) => Promise<unknown>,
): Promise<{ up: number; down: number }> {
  await using proxy = new CountingProxy(port);
  await work(client.with({ endpoint: `${proxy.origin}/hub` }), proxy);
  return { ...proxy.passed };
}

hubTest("C 20 hf download", async ({ server, client, clientOf, step }) => {
  const one = await server.as(1);
  const { port } = server.server.address;
  const { home } = client.options;
  await store(one, "models/team/tiny");
  const all = Object.values(FILES).reduce((sum, { length }) => sum + length, 0);

  await step("C 20 a whole model comes into the cache", async () => {
    const { down } = await counted(
      client,
      port,
      (client) => client.succeed("download", "team/tiny"),
    );
    assert.deepEqual(await cached(client, "models/team/tiny"), FILES);
    assert.ok(down < all + MAX_OVERHEAD_BYTES, String(down));
  });
  await step("C 20 the cache is used again, and a second run receives no content", async () => {
    const { down } = await counted(
      client,
      port,
      (client) => client.succeed("download", "team/tiny"),
    );
    assert.ok(down < MAX_OVERHEAD_BYTES, String(down));
  });
  await step("C 20 only what changed is downloaded", async () => {
    await one.put("models/team/tiny/config.json", "[]");
    const other = await clientOf({ home });
    const { down } = await counted(
      other,
      port,
      (client) => client.succeed("download", "team/tiny"),
    );
    assert.ok(down < MAX_OVERHEAD_BYTES, String(down));
    await one.put("models/team/tiny/config.json", FILES["config.json"] ?? "");
  });
  await step("C 20 into a directory, a part of it, and one file", async () => {
    await client.succeed("download", "team/tiny", "--local-dir", "whole");
    assert.deepEqual(await filesBelow(`${home}/whole`), FILES);
    await client.succeed("download", "team/tiny", "--include", "*.json", "--local-dir", "part");
    assert.deepEqual(Object.keys(await filesBelow(`${home}/part`)), ["config.json"]);
    const [name = ""] = Object.keys(FILES).filter((path) => path.includes("größe"));
    await client.succeed("download", "team/tiny", name, "--local-dir", "one");
    assert.deepEqual(await filesBelow(`${home}/one`), { [name]: FILES[name] });
  });
  await step("C 20 a data set, and a model of a shared tree", async () => {
    await store(one, "datasets/team/rows", { "train.csv": noise(100) });
    await client.succeed("download", "team/rows", "--repo-type", "dataset", "--local-dir", "rows");
    assert.deepEqual(await filesBelow(`${home}/rows`), { "train.csv": noise(100) });
    await store(await server.as(7), "models/group/shared", { "a.bin": noise(100_000) });
    const trees = { "7": ["resources.view", "resources.download"] };
    const token = await mintToken({ userId: 1, privileges: [], trees });
    const endpoint = `${server.origin}/hub/t/7`;
    const member = await clientOf({ token, endpoint });
    await member.succeed("download", "group/shared", "--local-dir", "shared");
    const received = await filesBelow(`${member.options.home}/shared`);
    assert.deepEqual(received, { "a.bin": noise(100_000) });
    const output = await client.with({ endpoint }).fail("download", "group/shared");
    assert.match(output, /tree/);
  });
  await step("C 20 a refusal names what is missing", async () => {
    const refusals: [string[], RegExp][] = [
      [["team/missing"], /Repository not found/i],
      [["missing"], /Repository not found/i],
      [["team/tiny", "missing.bin"], /missing\.bin/],
      [["team/tiny", "--revision", "v1"], /Revision not found/i],
    ];
    for (const [args, reason] of refusals) {
      assert.match(await client.fail("download", ...args), reason);
    }
    const wrong = client.with({ token: "not a credential" });
    assert.match(await wrong.fail("download", "team/tiny", "--local-dir", "wrong"), /credential/);
  });
});

hubTest("C 20 hf download goes on after its connection was cut", async (test) => {
  const { server, client } = test;
  const content = noise(24_000_000);
  await store(await server.as(1), "models/team/large", { "model.bin": content });
  const { down } = await counted(client, server.server.address.port, async (client, proxy) => {
    proxy.holdAfter("down", 15_000_000);
    const download = client.hf("download", "team/large", "--local-dir", "large");
    await until(() => proxy.isHeld);
    proxy.cut();
    proxy.release();
    // An older version gives up, and goes on when it is run again.
    const { code } = await download;
    if (code !== 0) await client.succeed("download", "team/large", "--local-dir", "large");
  });
  const received = await filesBelow(`${client.options.home}/large`);
  assert.deepEqual(received, { "model.bin": content });
  // The client keeps what it has received in pieces of 10 MiB.
  assert.ok(down < content.length + 6_000_000, String(down));
});

hubTest("C 20 hf cache verify compares what was downloaded with the server", async (test) => {
  const { server, client } = test;
  // An older version does not have the command.
  if (!/^ *verify /m.test(await client.succeed("cache", "--help"))) return;
  await store(await server.as(1), "models/team/tiny");
  await client.succeed("download", "team/tiny");
  assert.match(await client.succeed("cache", "verify", "team/tiny"), /5|match/);
  const blobs = `${client.options.home}/.cache/huggingface/hub/models--team--tiny/blobs`;
  const [blob] = [...Deno.readDirSync(blobs)];
  await Deno.writeTextFile(`${blobs}/${blob?.name}`, "damaged");
  assert.match(await client.fail("cache", "verify", "team/tiny"), /expected/);
});
