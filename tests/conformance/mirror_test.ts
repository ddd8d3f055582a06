import * as assert from "node:assert/strict";
import { Client } from "../support/client.ts";
import { HubDouble } from "../support/hub_double.ts";
import { HubClient, jsonOf } from "../support/hub.ts";
import {
  mintToken,
  TestServer,
  type TestServerOptions,
  USER_PRIVILEGES,
} from "../support/server.ts";

const MIB = 1024 * 1024;

/** A server that mirrors a double, and a client of it. */
async function mirroring(options: TestServerOptions = {}) {
  await using parts = new AsyncDisposableStack();
  const double = parts.use(HubDouble.start());
  const server = parts.use(
    await TestServer.start({
      ...options,
      settings: {
        mirrorUrl: double.url,
        mirrorHosts: [double.contentHost],
        ...options.settings,
      },
      upstream: { retryMs: 1, ...options.upstream },
    }),
  );
  const hub = await hubOf(server, 1);
  const owned = parts.move();
  return { double, server, hub, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function hubOf(server: TestServer, userId: number, privileges = ["mirror.use"]) {
  const token = await mintToken({ userId, privileges: [...USER_PRIVILEGES, ...privileges] });
  return new HubClient(server, new Client(server.url, token));
}

function randomBytes(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
  return bytes;
}

/** The bytes of a file, as a client gets them. */
async function download(hub: HubClient, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(hub.url + path, {
    headers: { Authorization: `Bearer ${hub.token}`, ...headers },
  });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

Deno.test("C 28 files of another hub are fetched once, and have its commit ids and digests", async () => {
  await using parts = await mirroring();
  const { double, hub } = parts;
  const weights = randomBytes(3 * MIB);
  const commit = double.add("org/model", {
    "config.json": "{}\n",
    "sub/model.safetensors": { content: weights },
  });
  const info = jsonOf(await hub.send("GET", "/api/models/org/model/revision/main"));
  assert.partialDeepStrictEqual(info, {
    ...{ id: "org/model", sha: commit, tags: ["license:mit"], pipeline_tag: "text-generation" },
    siblings: [{ rfilename: "config.json" }, { rfilename: "sub/model.safetensors" }],
  });
  const tree = await hub.send("GET", `/api/models/org/model/tree/${commit}?recursive=true`);
  assert.equal(tree.text.includes("xetHash"), false);
  assert.equal(double.taken().some(({ path }) => path.includes("/resolve/")), false);
  for (const attempt of [1, 2]) {
    const { response, bytes } = await download(
      hub,
      "/org/model/resolve/main/sub/model.safetensors",
    );
    assert.equal(response.status, 200);
    assert.deepEqual(bytes, weights);
    assert.equal(response.headers.get("X-Repo-Commit"), commit);
    const config = await download(hub, `/org/model/resolve/${commit}/config.json`);
    assert.equal(new TextDecoder().decode(config.bytes), "{}\n");
    const requests = double.taken();
    // A redirect and the content of each.
    assert.equal(requests.length, attempt === 1 ? 4 : 0, JSON.stringify(requests));
  }
});
