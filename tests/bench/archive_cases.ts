import type { Client } from "../support/client.ts";
import { run } from "../support/tools.ts";
import {
  type Case,
  compare,
  curl,
  expectOk,
  MB,
  peakMemory,
  plainCurl,
  randomFile,
  scaled,
} from "./measures.ts";
import { ofPeers } from "./transfer_cases.ts";

/** Files are uploaded in forms of this many: a form may have twice as many. */
const FORM_FILES = 500;

/** ZIPs of directories. */
export const ARCHIVE_CASES: readonly Case[] = [
  {
    name: "ZIP of 512 MB in four random files",
    async measure({ directory, server, client, peers }) {
      const paths = [1, 2, 3, 4].map((index) => `${directory}/part${index}.bin`);
      const packers = peers.filter(({ name }) => name === "dufs");
      for (const peer of packers) await Deno.mkdir(`${peer.directory}/z`);
      for (const [index, path] of paths.entries()) {
        await randomFile(path, scaled(128 * MB));
        for (const peer of packers) await Deno.copyFile(path, `${peer.directory}/z/${index}`);
      }
      const forms = paths.flatMap((path) => ["-F", `files=@${path}`]);
      await curl(client, ...forms, `${client.url}/resources/?dir=z`);
      const before = await peakMemory(server.pid);
      const values = await compare({
        "strongroom": () => curl(client, `${client.url}/resources/download?path=z`),
        "zip -0": () => zip("-0", ...paths),
        ...ofPeers(packers, ({ url }) => plainCurl(`${url}/z?zip`)),
      });
      return {
        comparisons: [{ title: "ZIP of 512 MB in four random files", unit: "s", values }],
        notes: [`${before} after the uploads, ${await peakMemory(server.pid)} at the end`],
      };
    },
  },
  {
    name: "ZIP of 20 000 files of 4 KB",
    async measure({ directory, server, client, peers }) {
      const count = scaled(20_000);
      const packers = peers.filter(({ name }) => name === "dufs");
      const own = `${directory}/many`;
      const directories = [own, ...packers.map((peer) => `${peer.directory}/many`)];
      for (const path of directories) await Deno.mkdir(path);
      for (let start = 0; start < count; start += FORM_FILES) {
        await storeMany(client, directories, start, Math.min(start + FORM_FILES, count));
      }
      const url = `${client.url}/resources/download?path=many`;
      const values = await compare({
        "strongroom": () => curl(client, url),
        "strongroom, stored": () => curl(client, `${url}&compression=store`),
        "zip -6": () => zip("-6", "-r", own),
        "zip -0": () => zip("-0", "-r", own),
        ...ofPeers(packers, ({ url }) => plainCurl(`${url}/many?zip`)),
      });
      return {
        comparisons: [{ title: "ZIP of 20 000 files of 4 KB", unit: "s", values }],
        notes: [await peakMemory(server.pid)],
      };
    },
  },
  {
    name: "first byte of a ZIP of 100 000 files",
    async measure({ server, client }) {
      const parts = 10;
      const count = scaled(10_000);
      for (let start = 0; start < count; start += FORM_FILES) {
        await storeMany(client, [], start, Math.min(start + FORM_FILES, count));
      }
      for (let part = 0; part < parts; part++) {
        await expectOk(client.copy({ source: "many", destination: `parts/${part}` }));
      }
      const values = await compare({
        "strongroom": async () => {
          const reply = await client.download({ path: "parts" });
          if (!reply.ok) throw new Error(await reply.text());
          const reader = reply.body?.getReader();
          await reader?.read();
          await reader?.cancel();
        },
      });
      return {
        comparisons: [{ title: "first byte of a ZIP of 100 000 files", unit: "s", values }],
        notes: [await peakMemory(server.pid)],
      };
    },
  },
  {
    name: "ZIP of 100 MB of JSON lines",
    async measure({ directory, server, client }) {
      const path = `${directory}/lines.jsonl`;
      const line = (index: number) =>
        `{"id":${index},"name":"tensor.${index % 977}.weight","value":${Math.sin(index)}}\n`;
      const piece = Array.from({ length: scaled(400_000) }, (_, index) => line(index)).join("");
      await Deno.writeTextFile(path, piece.repeat(4));
      await curl(client, "-F", `files=@${path}`, `${client.url}/resources/?dir=z`);
      const values = await compare({
        "strongroom": () => curl(client, `${client.url}/resources/download?path=z`),
        "zip -6": () => zip("-6", path),
        "zip -1": () => zip("-1", path),
      });
      const size = (await client.bytes({ path: "z" })).length;
      await run("zip", ["-q", "-6", "-j", `${directory}/six.zip`, path]);
      const six = (await Deno.stat(`${directory}/six.zip`)).size;
      return {
        comparisons: [{ title: "ZIP of 100 MB of JSON lines", unit: "s", values }],
        notes: [
          `size relative to zip -6: ${(size / six).toFixed(2)}`,
          await peakMemory(server.pid),
        ],
      };
    },
  },
];

/** Packs files with `zip`, and drops the archive. */
function zip(...args: string[]): Promise<unknown> {
  return run("sh", ["-c", 'exec zip -q -j - "$@" > /dev/null', "sh", ...args]);
}

/** Stores some files of 4 KB of text in the server and in directories. */
async function storeMany(
  client: Client,
  directories: readonly string[],
  start: number,
  end: number,
): Promise<void> {
  const files = Array.from({ length: end - start }, (_, index) => {
    const name = `f${start + index}.txt`;
    const words = Array.from({ length: 400 }, (_, word) => (start + index) * 31 * word % 99_991);
    return [name, words.join(" ").slice(0, 4000).padEnd(4096)] as const;
  });
  await expectOk(client.upload("many", Object.fromEntries(files)));
  for (const directory of directories) {
    for (const [name, content] of files) await Deno.writeTextFile(`${directory}/${name}`, content);
  }
}
