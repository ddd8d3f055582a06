import * as assert from "node:assert/strict";
import { type Client, dataOf } from "../support/client.ts";
import { DavClient } from "../support/dav.ts";
import { breaksOff } from "../support/ended_transfers.ts";
import { batch, commit, committed, HubClient, lfsObject, lines } from "../support/hub.ts";
import { mirrorClient, mirroring, open } from "../support/mirroring.ts";
import { fileHead } from "../support/raw_http.ts";
import { noise } from "../support/random.ts";
import { S3Client } from "../support/s3_client.ts";
import { TestServer } from "../support/server.ts";
import { CONTENT_TYPE, createUpload, TUS } from "../support/tus.ts";

const LARGE = new Uint8Array(32 * 2 ** 20);
/** More than any upload of these tests sends. */
const STATED_BYTES = 10_000_000;
const MODEL = "org/model";

/** A server with a person, and large content of it in a file and in a model. */
async function startServer() {
  const server = await TestServer.start();
  const admin = await server.admin();
  dataOf(await admin.json("POST", "/users/", { name: "ana", number: 7 }));
  const change = async (disabled: boolean) =>
    dataOf(await admin.json("PATCH", "/users/ana", { disabled }));
  const ana = await server.as(7);
  const hub = new HubClient(server, ana);
  assert.equal((await ana.put("d/large", LARGE)).status, 201);
  await hub.create(MODEL);
  committed(await commit(hub, MODEL, lines.lfsFile("large", LARGE)));
  return { server, change, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Where content is read by each door, in the name of a person, and with which headers. */
type Address = readonly [url: string, headers?: Record<string, string>];
type Door = (server: TestServer, ana: Client) => Promise<Address> | Address;

const bearer = ({ token }: Client) => ({ Authorization: `Bearer ${token}` });

const DOWNLOADS: Readonly<Record<string, Door>> = {
  "the API": (_server, ana) => [`${ana.url}/resources/download?path=d/large`, bearer(ana)],
  files: (_server, ana) => [`${ana.url}/files/d/large`, bearer(ana)],
  "a ZIP": (_server, ana) => [
    `${ana.url}/resources/download?path=d&compression=store`,
    bearer(ana),
  ],
  WebDAV: (server, ana) => [new DavClient(server, ana).address("d/large"), bearer(ana)],
  async S3(server) {
    const client = await S3Client.of(server, { userId: 7 });
    const { path, headers } = client.sign({ method: "GET", path: "/s3/own/d/large" });
    return [server.origin + path, { ...headers }];
  },
  "the hub": (server, ana) => [
    `${new HubClient(server, ana).url}/${MODEL}/resolve/main/large`,
    bearer(ana),
  ],
  async "Git LFS"(server, ana) {
    const [item] = await batch(new HubClient(server, ana), MODEL, "download", lfsObject(LARGE));
    return [item?.actions?.download?.href ?? ""];
  },
};

Deno.test("C 27 downloads by every door end while they run when their person is disabled", async (t) => {
  await using parts = await startServer();
  const { server, change } = parts;
  for (const [name, addressOf] of Object.entries(DOWNLOADS)) {
    await t.step(name, async () => {
      await change(false);
      const [url, headers = {}] = await addressOf(server, await newest(server));
      await breaksOff(await fetch(url, { headers }), LARGE.length, () => change(true));
    });
  }
});

/** A request, and the beginning of its body, which goes on until it is refused. */
type Upload = readonly [
  method: string,
  url: string,
  headers: Record<string, string>,
  beginning?: string,
];

const UPLOADS: Readonly<Record<string, (server: TestServer, ana: Client) => Promise<Upload>>> = {
  files: (_server, ana) => Promise.resolve(["PUT", `${ana.url}/files/new`, bearer(ana)]),
  "a form": (_server, ana) =>
    Promise.resolve(["POST", `${ana.url}/resources/`, {
      ...bearer(ana),
      "Content-Type": "multipart/form-data; boundary=b",
    }, `--b\r\n${fileHead("new")}\r\n\r\nbytes`]),
  async "a resumable upload"(_server, ana) {
    const upload = await createUpload(ana, "new", STATED_BYTES);
    return ["PATCH", ana.url + upload, {
      ...{ ...bearer(ana), ...TUS, "Content-Type": CONTENT_TYPE, "Upload-Offset": "0" },
    }];
  },
  WebDAV: (server, ana) =>
    Promise.resolve(["PUT", new DavClient(server, ana).address("new"), bearer(ana)]),
  async S3(server) {
    const client = await S3Client.of(server, { userId: 7 });
    const { path, query } = client.presign({ method: "PUT", path: "/s3/own/new" });
    return ["PUT", `${server.origin}${path}?${query}`, {}];
  },
  async "a part of S3"(server) {
    const client = await S3Client.of(server, { userId: 7 });
    const path = "/s3/own/new";
    const { body } = await client.request({ method: "POST", path, query: { uploads: "" } });
    const [, uploadId = ""] = /<UploadId>(.*)<\/UploadId>/.exec(body) ?? [];
    const signed = client.presign({
      ...{ method: "PUT", path, query: { uploadId, partNumber: "1" } },
    });
    return ["PUT", `${server.origin}${signed.path}?${signed.query}`, {}];
  },
  "a commit": (server, ana) =>
    Promise.resolve(["POST", `${new HubClient(server, ana).url}/api/models/${MODEL}/commit/main`, {
      ...bearer(ana),
      "Content-Type": "application/x-ndjson",
    }, `${JSON.stringify(lines.header())}\n`]),
  async "Git LFS"(server, ana) {
    const stated = { oid: "0".repeat(64), size: STATED_BYTES };
    const [item] = await batch(new HubClient(server, ana), MODEL, "upload", stated);
    return ["PUT", item?.actions?.upload?.href ?? "", {}];
  },
};

Deno.test("C 27 uploads by every door end while they run when their person is disabled, and store nothing", async (t) => {
  await using parts = await startServer();
  const { server, change } = parts;
  const admin = (await server.admin()).inTree(7);
  for (const [name, uploadOf] of Object.entries(UPLOADS)) {
    await t.step(name, async () => {
      await change(false);
      const upload = await uploadOf(server, await newest(server));
      const before = await admin.tree();
      const status = await statusAfter(upload, () => change(true));
      assert.equal(status, name.includes("S3") ? 403 : 401);
      assert.deepEqual(await admin.tree(), before);
    });
  }
});

/** A client of the person whose credential is newer than what was revoked. */
async function newest(server: TestServer): Promise<Client> {
  for (;;) {
    const client = await server.as(7);
    if ((await client.list()).status === 200) return client;
  }
}

/** The status of the reply to an upload of which a part has been sent when `work` is done. */
async function statusAfter(
  [method, url, headers, beginning = "bytes"]: Upload,
  work: () => Promise<unknown>,
): Promise<number> {
  const { hostname, port, host, pathname, search } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const head = Object.entries({ Host: host, "Content-Length": String(STATED_BYTES), ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const sent = `${method} ${pathname}${search} HTTP/1.1\r\n${head}\r\n${beginning}`;
  await connection.write(new TextEncoder().encode(sent));
  await work();
  const reply = new Uint8Array(1000);
  const count = await connection.read(reply);
  assert.ok(count !== null, "The connection was closed without a reply");
  return Number(new TextDecoder().decode(reply.subarray(0, count)).slice(9, 12));
}

Deno.test("C 27, C 28 a file of another hub ends for a person who is disabled while it comes in, and for nobody else", async () => {
  await using parts = await mirroring();
  const { double, server } = parts;
  const admin = await server.admin();
  dataOf(await admin.json("POST", "/users/", { name: "ana", number: 7 }));
  const content = noise(4 * 2 ** 20);
  double.add(MODEL, { "w.bin": { content } });
  double.fault = ({ host, range }) =>
    host === "content" && range === null ? { stallAt: 2 ** 21 } : undefined;
  const path = `/${MODEL}/resolve/main/w.bin`;
  const [ana, bob] = [await mirrorClient(server, 7), await mirrorClient(server, 8)];
  const other = await open(bob, path);
  await breaksOff(
    await open(ana, path),
    content.length,
    async () => dataOf(await admin.json("PATCH", "/users/ana", { disabled: true })),
  );
  double.resume();
  assert.deepEqual(await other.bytes(), content);
});
