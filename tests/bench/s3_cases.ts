import * as v from "valibot";
import type { AccessKey } from "../../core/s3/access_keys.ts";
import { ChildServer, strongroom } from "../support/child_server.ts";
import { S3_CREDENTIALS, S3Engine } from "../support/s3.ts";
import { S3Client, type S3Request } from "../support/s3_client.ts";
import { fillDirectory } from "./large_directory.ts";
import {
  type Case,
  type CaseContext,
  compare,
  compareRates,
  curl,
  fetchAll,
  MB,
  peakMemory,
  plainCurl,
  randomFile,
  ROUNDS,
  scaled,
  seconds,
} from "./measures.ts";

const BYTES = scaled(256 * MB);
const KEYS = scaled(1_000_000);
const PRIVILEGES = ["view", "download", "upload", "edit", "delete"].map((it) => `resources.${it}`);

/** A server of S3, with signed addresses in it. */
interface Door {
  readonly client: S3Client;
  /** The path of the bucket. */
  readonly bucket: string;
  readonly origin: string;
}

/** A new access key of user 1. */
export async function ownKey(dataDir: string): Promise<AccessKey> {
  const args = ["token", "--s3", "--user", "1", "--privileges", PRIVILEGES.join()];
  const { stdout } = await strongroom(args, { STRONGROOM_DATA_DIR: dataDir });
  const [id, secret] = v.parse(
    v.tuple([v.string(), v.string()]),
    [...stdout.matchAll(/=(.*)$/gm)].map(([, text]) => text),
  );
  return { id, secret };
}

/** A door to a strongroom, for user 1. */
async function ownDoor(dataDir: string, origin: string): Promise<Door> {
  const client = new S3Client({ origin }, await ownKey(dataDir));
  return { client, bucket: "/s3/own", origin };
}

function versitygw({ endpoint: origin }: S3Engine): Door {
  const { accessKeyId: id, secretAccessKey: secret } = S3_CREDENTIALS;
  return { client: new S3Client({ origin }, { id, secret }), bucket: "/bucket", origin };
}

/** An address that needs no header: signing is the work of clients. */
function signed(
  { client, bucket, origin }: Door,
  method: string,
  key: string,
  query: S3Request["query"] = {},
): string {
  const request = client.presign({ method, path: `${bucket}${key}`, query }, "3600");
  return `${origin}${request.path}?${request.query}`;
}

/** A request that is signed in its headers, as most clients sign. */
function signedRequest(
  { client, bucket, origin }: Door,
  method: "GET" | "HEAD" | "PUT",
  key: string,
): () => Promise<Uint8Array> {
  const { path, headers } = client.sign({
    method,
    path: `${bucket}${key}`,
    payload: "UNSIGNED-PAYLOAD",
  });
  return () =>
    fetchAll(`${origin}${path}`, {
      method,
      headers,
      ...method === "PUT" && { body: `${key} ${"x".repeat(1000)}` },
    });
}

/** Objects of S3 beside files of our own routes, and beside another server that hashes and keeps what it receives. */
export const S3_CASES: readonly Case[] = [
  {
    name: "256 MB and small objects by S3",
    async measure(context) {
      const { directory, server, client } = context;
      const own = await ownDoor(`${directory}/data`, server.origin);
      await using engine = S3Engine.isInstalled ? await S3Engine.start() : undefined;
      const doors = {
        "strongroom by S3": own,
        ...(engine !== undefined && { versitygw: versitygw(engine) }),
      };
      const file = `${directory}/large.bin`;
      await randomFile(file, BYTES);
      const files = `${client.url}/files`;
      const each = (work: (door: Door) => Promise<unknown>) =>
        Object.fromEntries(Object.entries(doors).map(([name, door]) => [name, () => work(door)]));
      const puts = await compare({
        ...each((door) => plainCurl("-T", file, signed(door, "PUT", "/large.bin"))),
        "PUT to /files": () => curl(client, "-T", file, `${files}/file.bin`),
      });
      const gets = await compare({
        ...each((door) => plainCurl(signed(door, "GET", "/large.bin"))),
        "GET of /files": () => curl(client, `${files}/file.bin`),
      });
      return {
        comparisons: [
          { title: "PUT of 256 MB by S3", unit: "s", values: puts },
          { title: "GET of 256 MB by S3", unit: "s", values: gets },
          ...await smallObjects(context, doors),
        ],
        notes: [await peakMemory(server.pid)],
      };
    },
  },
  {
    name: "1 000 000 keys in pages of S3, and by WebDAV",
    async measure({ directory }) {
      const dataDir = `${directory}/large`;
      await fillDirectory(dataDir, { records: KEYS, fileEvery: KEYS, bytes: 20 });
      await using server = await ChildServer.start({ dataDir });
      const door = await ownDoor(dataDir, server.origin);
      const client = await server.as(1);
      const listing = `${client.url}/resources/?path=big&recursive=true`;
      const before = await peakMemory(server.pid);
      const byPages = await seconds(() => listAll(door));
      const afterPages = await peakMemory(server.pid);
      const depth = ["-X", "PROPFIND", "-H", "Depth: infinity"];
      const byDav = await seconds(() =>
        plainCurl(...depth, "-u", `anyone:${client.token}`, `${server.origin}/dav/`)
      );
      const afterDav = await peakMemory(server.pid);
      const whole = await seconds(() => curl(client, listing));
      return {
        comparisons: [{
          title: "records of a listing of 1 000 000",
          unit: "/s",
          values: {
            "in pages of 1000 by S3": [KEYS / byPages],
            "by PROPFIND": [KEYS / byDav],
            "the whole listing": [KEYS / whole],
          },
        }],
        notes: [`${before} at first, ${afterPages} after the pages, ${afterDav} after PROPFIND`],
      };
    },
  },
];

async function smallObjects(
  { client }: CaseContext,
  doors: Readonly<Record<string, Door>>,
) {
  const { url, token } = client;
  const headers = { Authorization: `Bearer ${token}` };
  const body = "x".repeat(1000);
  for (const door of Object.values(doors)) {
    await fetchAll(signed(door, "PUT", "/small/0"), { method: "PUT", body });
  }
  let next = 1;
  const rates = { count: scaled(2000), clients: 8 };
  // Signing is the work of clients, and takes them as long as the rest of a request: it is done before.
  const each = (work: (door: Door) => () => Promise<unknown>) =>
    Object.fromEntries(Object.entries(doors).map(([name, door]) => [name, work(door)]));
  const puts = await compareRates(rates, {
    ...each((door) => {
      const requests = Array.from(
        { length: (ROUNDS + 1) * rates.count },
        () => signedRequest(door, "PUT", `/small/${next++}`),
      );
      return () => requests.pop()?.() ?? Promise.reject(new Error("No request is left"));
    }),
    "PUT to /files": () =>
      fetchAll(`${url}/files/put/${next++}`, { method: "PUT", headers, body: `${next}${body}` }),
  });
  const gets = await compareRates(rates, {
    ...each((door) => signedRequest(door, "GET", "/small/0")),
    "GET of /files": () => fetchAll(`${url}/files/small/0`, { headers }),
  });
  const heads = await compareRates(rates, {
    ...each((door) => signedRequest(door, "HEAD", "/small/0")),
    "HEAD of /files": () => fetchAll(`${url}/files/small/0`, { method: "HEAD", headers }),
  });
  const pages = await compareRates({ count: scaled(200), clients: 1 }, {
    ...each((door) => {
      const query = { "list-type": "2", prefix: "small/", "max-keys": "1000" };
      const address = signed(door, "GET", "", query);
      return () => fetchAll(address);
    }),
    "the listing of the directory": () =>
      fetchAll(`${url}/resources/?path=small&limit=1000`, { headers }),
  });
  return [
    { title: "PUTs of 1 KB of 8 clients by S3", unit: "/s", values: puts },
    { title: "GETs of 1 KB of 8 clients by S3", unit: "/s", values: gets },
    { title: "HEADs of 8 clients by S3", unit: "/s", values: heads },
    { title: "pages of 1000 keys by S3", unit: "/s", values: pages },
  ] as const;
}

/** Lists all keys, page by page. */
async function listAll(door: Door): Promise<void> {
  let token: string | undefined;
  do {
    const query = { "list-type": "2", ...token !== undefined && { "continuation-token": token } };
    const reply = await fetch(signed(door, "GET", "", query));
    [, token] = /<NextContinuationToken>([^<]+)</.exec(await reply.text()) ?? [];
  } while (token !== undefined);
}
