import type { Client } from "../support/client.ts";
import { HfClient, HUB_VERSIONS } from "../support/hub_clients.ts";
import { run } from "../support/tools.ts";
import {
  type Case,
  type CaseContext,
  compare,
  type Comparison,
  curl,
  MB,
  peakMemory,
  randomFile,
  scaled,
} from "./measures.ts";

const BYTES = scaled(512 * MB);

/** Transfers by the newest `hf` that is installed, beside those of curl by our own routes (C 20). */
export const HUB_CASES: readonly Case[] = [
  {
    name: "512 MB by hf upload and hf download",
    async measure(context) {
      const { server } = context;
      const [version] = HUB_VERSIONS;
      if (version === undefined) return { comparisons: [], notes: ["hf is not installed"] };
      const hub = new HfClient(version, {
        endpoint: `${server.origin}/hub`,
        token: context.client.token,
        home: context.directory,
      });
      const comparisons = [await uploads(context, hub), await downloads(context, hub)];
      return { comparisons, notes: [await peakMemory(server.pid)] };
    },
  },
];

async function uploads(context: CaseContext, hub: HfClient): Promise<Comparison> {
  const { directory, client } = context;
  // What a tree has is not sent again, so each program has content of its own.
  const fileOf = async (name: string) => {
    const path = `${directory}/${name}`;
    await randomFile(path, BYTES);
    return path;
  };
  const byHub = await fileOf("hub.bin");
  const byClient = await fileOf("client.bin");
  const byCurl = await fileOf("curl.bin");
  const files = `${client.url}/files`;
  const values = await compare({
    "hf upload": () => hub.succeed("upload", "bench/up", byHub),
    "the client's hash of the file": () => hub.program("hash", byHub),
    "the client's PUT to /files": () => hub.program("put", byClient, `${files}/put/client.bin`),
    "curl -T to /files": () => curl(client, "-T", byCurl, `${files}/put/curl.bin`),
  }, async () => {
    await client.remove({ "paths[]": ["models/bench/up", "put"] });
  });
  return { title: "upload of 512 MB", unit: "s", values };
}

async function downloads(context: CaseContext, hub: HfClient): Promise<Comparison> {
  const { directory, client } = context;
  await curl(client, "-T", `${directory}/hub.bin`, `${client.url}/files/models/bench/down/hub.bin`);
  const address = `${client.url}/files/models/bench/down/hub.bin`;
  const resolved = `${hub.options.endpoint}/bench/down/resolve/main/hub.bin`;
  const out = `${directory}/out`;
  await Deno.mkdir(out);
  const values = await compare({
    "hf download": () => hub.succeed("download", "bench/down", "--local-dir", `${out}/hub`),
    "the client's GET of /files": () => hub.program("get", address, `${out}/client.bin`),
    "curl from the hub": () => download(client, resolved, `${out}/resolved.bin`),
    "curl from /files": () => download(client, address, `${out}/file.bin`),
  }, () => Deno.remove(`${out}/hub`, { recursive: true }));
  return { title: "download of 512 MB", unit: "s", values };
}

/** Downloads into a file, as `hf` does. */
async function download({ token }: Client, url: string, path: string): Promise<void> {
  const args = ["-sSgfL", "-H", `Authorization: Bearer ${token}`, "-o", path, url];
  const { code, stderr } = await run("curl", args);
  if (code !== 0) throw new Error(`curl ${url}: ${stderr}`);
}
