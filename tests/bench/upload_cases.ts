import { run } from "../support/tools.ts";
import {
  type Case,
  compare,
  curl,
  expectOk,
  MB,
  peakMemory,
  randomFile,
  ratios,
  spread,
} from "./measures.ts";

/** Cases of small content, and of large uploads at once. */
export const UPLOAD_CASES: readonly Case[] = [
  {
    name: "small content of 1, 8 and 32 clients",
    async measure({ server, client }) {
      let next = 0;
      // The reference answers as many requests with the same bytes, from memory.
      const bytes = crypto.getRandomValues(new Uint8Array(4096));
      await using bare = Deno.serve({ port: 0, onListen() {} }, async (request) => {
        await request.body?.cancel();
        return new Response(bytes);
      });
      await client.upload("small", { f: bytes });
      const lines: string[] = [];
      for (const clients of [1, 8, 32]) {
        const time = (count: number, request: () => Promise<unknown>) => () => {
          let left = count;
          const work = async () => {
            while (left-- > 0) await request();
          };
          return Promise.all(Array.from({ length: clients }, work));
        };
        const times = await compare({
          "upload of 1 KB, synced": time(1000, () => {
            const index = next++;
            const content = `${index}`.padEnd(1000);
            return expectOk(client.upload(`u${index % 16}`, { [`f${index}`]: content }));
          }),
          "download of 4 KB": time(1000, () => client.bytes({ path: "small/f" })),
          "a bare server": time(1000, async () => {
            await (await fetch(`http://127.0.0.1:${bare.addr.port}/`)).arrayBuffer();
          }),
        });
        const reference = times["a bare server"] ?? [];
        for (const name of ["upload of 1 KB, synced", "download of 4 KB"]) {
          const own = times[name] ?? [];
          const rates = own.map((it) => 1000 / it);
          const ratio = own.map((it, at) => (reference[at] ?? Number.NaN) / it);
          lines.push(
            `${name}, ${clients} clients: ${spread(rates, 0)} /s, of a bare server ${
              spread(ratio)
            }`,
          );
        }
      }
      return [...lines, await peakMemory(server.pid)];
    },
  },
  {
    name: "form of 1 000 files of 4 KB",
    async measure({ server, client }) {
      let round = 0;
      const times = await compare({
        "strongroom": () => {
          round++;
          const files = Array.from({ length: 1000 }, (_, it) => [
            String(it),
            `${round} ${it}`.padEnd(4096),
          ]);
          return expectOk(client.upload(`r${round}`, Object.fromEntries(files)));
        },
      });
      return [...ratios(times, "strongroom"), await peakMemory(server.pid)];
    },
  },
  {
    name: "two uploads of 512 MB at once",
    async measure({ directory, server, client }) {
      const path = `${directory}/upload.bin`;
      await randomFile(path, 512 * MB);
      const send = (dir: string) =>
        curl(client, "-F", `files=@${path}`, `${client.url}/resources/?dir=${dir}`);
      const times = await compare({
        "strongroom": () => Promise.all([send("a"), send("b")]),
        "md5sum, twice in sequence": async () => {
          await run("md5sum", [path]);
          await run("md5sum", [path]);
        },
      }, () => client.remove({ "paths[]": ["a", "b"] }));
      return [...ratios(times, "strongroom"), await peakMemory(server.pid)];
    },
  },
];
