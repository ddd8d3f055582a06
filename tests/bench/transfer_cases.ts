import type { Client } from "../support/client.ts";
import { run } from "../support/tools.ts";
import {
  type Case,
  type CaseContext,
  compare,
  type Comparison,
  curl,
  expectOk,
  fetchAll,
  MB,
  peakMemory,
  plainCurl,
  randomFile,
  scaled,
} from "./measures.ts";
import type { Peer } from "./peers.ts";
import { compareGets, comparePuts } from "./small_requests.ts";

const BYTES = scaled(512 * MB);
const RANGE_BYTES = 65_536;
/** What the bare server reads at a time. */
const CHUNK_BYTES = 262_144;

/** Uploads and downloads of large files. */
export const TRANSFER_CASES: readonly Case[] = [
  {
    name: "upload of 512 MB by curl",
    async measure({ directory, server, client, peers }) {
      const path = `${directory}/upload.bin`;
      await randomFile(path, BYTES);
      await using drain = Deno.serve({ port: 0, onListen() {} }, async (request) => {
        for await (const _ of request.body ?? []) { /* discarded */ }
        return new Response("ok");
      });
      const values = await compare({
        "strongroom": () => curl(client, "-F", `files=@${path}`, `${client.url}/resources/?dir=u`),
        "md5sum": () => run("md5sum", [path]),
        ...ofPeers(peers, ({ url }) => plainCurl("-T", path, `${url}/upload.bin`)),
        "a server that discards the body": () =>
          curl(client, "-F", `files=@${path}`, `http://127.0.0.1:${drain.addr.port}/`),
      }, async () => {
        for (const { url } of peers) await plainCurl("-X", "DELETE", `${url}/upload.bin`);
        await removeContent(client, "u");
      });
      return {
        comparisons: [{ title: "upload of 512 MB by curl", unit: "s", values }],
        notes: [await peakMemory(server.pid)],
      };
    },
  },
  {
    name: "two uploads of 512 MB at once",
    async measure({ directory, server, client }) {
      // Of two equal contents, the server would read one again to compare them.
      const paths = ["a", "b"].map((name) => `${directory}/${name}.bin`);
      for (const path of paths) await randomFile(path, BYTES);
      const send = (path: string) =>
        curl(client, "-F", `files=@${path}`, `${client.url}/resources/?dir=u`);
      const values = await compare({
        "strongroom": () => Promise.all(paths.map(send)),
        "md5sum of one after the other": () => run("md5sum", paths),
      }, () => removeContent(client, "u"));
      return {
        comparisons: [{ title: "two uploads of 512 MB at once", unit: "s", values }],
        notes: [await peakMemory(server.pid)],
      };
    },
  },
  {
    name: "upload of 1 GiB by curl",
    async measure({ directory, server, client }) {
      const path = `${directory}/gib.bin`;
      await randomFile(path, scaled(2 ** 30));
      await curl(client, "-F", `files=@${path}`, `${client.url}/resources/`);
      return { comparisons: [], notes: [await peakMemory(server.pid)] };
    },
  },
  {
    name: "downloads of 512 MB by curl",
    async measure(context) {
      const { server } = context;
      await using bare = await storeLarge(context);
      const of = (count: number) =>
        compare(Object.fromEntries(
          bare.sources.map(({ name, args }) => [
            name,
            () => Promise.all(Array.from({ length: count }, () => plainCurl(...args))),
          ]),
        ));
      return {
        comparisons: [
          { title: "download of 512 MB by curl", unit: "s", values: await of(1) },
          { title: "8 downloads of 512 MB at once", unit: "s", values: await of(8) },
        ],
        notes: [await peakMemory(server.pid)],
      };
    },
  },
  {
    name: "ranges of 64 KB of 8 clients",
    async measure(context) {
      const { server, client } = context;
      await using bare = await storeLarge(context);
      const range = `bytes=0-${RANGE_BYTES - 1}`;
      const token = client.token;
      const title = "ranges of 64 KB of 8 clients";
      const { comparison, note } = await compareGets(
        { title, count: scaled(3000), clients: 8 },
        Object.fromEntries(bare.sources.map(({ name, url }) => [name, { url, token, range }])),
      );
      return {
        comparisons: [comparison],
        notes: [note, await peakMemory(server.pid)],
      };
    },
  },
];

/** The same work for each peer, by its name. */
export function ofPeers<Result>(
  peers: readonly Peer[],
  work: (peer: Peer) => Result,
): Record<string, () => Result> {
  return Object.fromEntries(peers.map((peer) => [peer.name, () => work(peer)]));
}

interface Source {
  readonly name: string;
  readonly url: string;
  /** The arguments for curl. */
  readonly args: readonly string[];
}

/** Stores one file in all servers, and serves it with the runtime alone. */
async function storeLarge(
  { directory, client, peers }: CaseContext,
): Promise<{ readonly sources: readonly Source[] } & AsyncDisposable> {
  const path = `${directory}/large.bin`;
  await randomFile(path, BYTES);
  await curl(client, "-F", `files=@${path}`, `${client.url}/resources/`);
  for (const { url } of peers) await plainCurl("-T", path, `${url}/large.bin`);
  const bare = Deno.serve({ port: 0, onListen() {} }, (request) => serveFile(path, request));
  const own = `${client.url}/resources/download?path=large.bin`;
  const others = [
    ...peers.map(({ name, url }) => ({ name, url: `${url}/large.bin` })),
    { name: "a bare Deno.serve", url: `http://127.0.0.1:${bare.addr.port}/` },
  ];
  return {
    sources: [
      { name: "strongroom", url: own, args: ["-H", `Authorization: Bearer ${client.token}`, own] },
      ...others.map(({ name, url }) => ({ name, url, args: [url] })),
    ],
    [Symbol.asyncDispose]: () => bare.shutdown(),
  };
}

/** The least that a server of the runtime does for a file, or a range of it, in the fastest way known. */
async function serveFile(path: string, request: Request): Promise<Response> {
  const file = await Deno.open(path);
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("Range") ?? "") ?? [];
  if (start === undefined) {
    return new Response(chunksOf(file), { headers: { "Content-Length": String(BYTES) } });
  }
  using _file = file;
  await file.seek(Number(start), Deno.SeekMode.Start);
  const bytes = new Uint8Array(Number(end) - Number(start) + 1);
  await file.read(bytes);
  return new Response(bytes, { status: 206 });
}

/** A file in large chunks, each read while the one before is sent. `file.readable` takes longer. */
function chunksOf(file: Deno.FsFile): ReadableStream<Uint8Array<ArrayBuffer>> {
  const read = async () => {
    const chunk = new Uint8Array(CHUNK_BYTES);
    const bytes = await file.read(chunk);
    return bytes === null ? undefined : chunk.subarray(0, bytes);
  };
  let ahead = read();
  return new ReadableStream({
    async pull(controller) {
      const chunk = await ahead;
      if (chunk === undefined) {
        file.close();
        controller.close();
        return;
      }
      ahead = read();
      controller.enqueue(chunk);
    },
  }, { highWaterMark: 0 });
}

/** Small content: uploads and downloads of 1, 8 and 32 clients, and forms of many files. */
export const SMALL_CASES: readonly Case[] = [
  {
    name: "small content of 1, 8 and 32 clients",
    async measure({ server, client, peers }) {
      const bytes = crypto.getRandomValues(new Uint8Array(4096));
      // Answers as many requests with the same bytes, from memory.
      await using bare = Deno.serve({ port: 0, onListen() {} }, async (request) => {
        await request.body?.cancel();
        return new Response(bytes);
      });
      await expectOk(client.upload("small", { f: bytes }));
      for (const { url } of peers) await fetchAll(`${url}/f`, { method: "PUT", body: bytes });
      const bareUrl = `http://127.0.0.1:${bare.addr.port}/`;
      const comparisons: Comparison[] = [];
      const notes: string[] = [];
      for (const clients of [1, 8, 32]) {
        const uploads = await comparePuts(
          { title: `uploads of 1 KB, ${clients} clients`, count: scaled(1000), clients },
          {
            "strongroom, synced": { url: `${client.url}/files/u/`, token: client.token },
            ...Object.fromEntries(peers.map(({ name, url }) => [name, { url: `${url}/u-` }])),
            "a bare Deno.serve": { url: bareUrl },
          },
        );
        const title = `downloads of 4 KB, ${clients} clients`;
        const own = `${client.url}/resources/download?path=small/f`;
        const downloads = await compareGets({ title, count: scaled(2000), clients }, {
          "strongroom": { url: own, token: client.token },
          ...Object.fromEntries(peers.map(({ name, url }) => [name, { url: `${url}/f` }])),
          "a bare Deno.serve": { url: bareUrl },
        });
        notes.push(uploads.note, downloads.note);
        comparisons.push(uploads.comparison, downloads.comparison);
      }
      return { comparisons, notes: [...notes, await peakMemory(server.pid)] };
    },
  },
  {
    name: "form of 1 000 files of 4 KB",
    async measure({ server, client, peers }) {
      let round = 0;
      const names = Array.from({ length: scaled(1000) }, (_, it) => String(it));
      const content = (name: string) => `${round} ${name}`.padEnd(4096);
      const values = await compare({
        "strongroom": () => {
          round++;
          const files = names.map((name) => [name, content(name)]);
          return expectOk(client.upload(`r${round}`, Object.fromEntries(files)));
        },
        ...Object.fromEntries(peers.map(({ name, url }) => [
          `${name}, a request a file`,
          async () => {
            for (const it of names) {
              await fetchAll(`${url}/${round}-${it}`, { method: "PUT", body: content(it) });
            }
          },
        ])),
      });
      return {
        comparisons: [{ title: "1 000 files of 4 KB", unit: "s", values }],
        notes: [await peakMemory(server.pid)],
      };
    },
  },
];

/** Removes a directory, and waits until its content is gone, a second after the reply at most (C 5.4). */
async function removeContent(client: Client, path: string): Promise<void> {
  await client.remove({ path });
  await new Promise((resolve) => setTimeout(resolve, 1500));
}
