/**
 * `deno task bench`: compares the server with reference programs on the same machine, as ratios. Needs
 * curl, md5sum and zip. Each case starts its own server process, as users do.
 */

import { ChildServer } from "../support/child_server.ts";
import type { Reply } from "../support/client.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import {
  type Case,
  compare,
  curl,
  expectOk,
  MB,
  median,
  peakMemory,
  randomFile,
  ratios,
  ROUNDS,
  seconds,
  spread,
} from "./measures.ts";
import { HOST_CASES } from "./host_cases.ts";
import { UPLOAD_CASES } from "./upload_cases.ts";

const LIMITS = {
  STRONGROOM_MAX_UPLOAD_FILE_SIZE: "100000000000",
  STRONGROOM_MAX_UPLOAD_TOTAL_SIZE: "100000000000",
};

const CASES: readonly Case[] = [
  {
    name: "upload of 512 MB by curl",
    async measure({ directory, server, client }) {
      const path = `${directory}/upload.bin`;
      await randomFile(path, 512 * MB);
      await using drain = Deno.serve({ port: 0, onListen() {} }, async (request) => {
        for await (const _ of request.body ?? []) { /* discarded */ }
        return new Response("ok");
      });
      const times = await compare({
        "strongroom": () => curl(client, "-F", `files=@${path}`, `${client.url}/resources/?dir=u`),
        "md5sum": () => run("md5sum", [path]),
        "a server that discards the body": () =>
          curl(client, "-F", `files=@${path}`, `http://127.0.0.1:${drain.addr.port}/`),
      }, () => client.remove({ path: "u" }));
      return [...ratios(times, "strongroom"), await peakMemory(server.pid)];
    },
  },
  {
    name: "upload of 1 GiB by curl",
    async measure({ directory, server, client }) {
      const path = `${directory}/gib.bin`;
      await randomFile(path, 2 ** 30);
      await curl(client, "-F", `files=@${path}`, `${client.url}/resources/`);
      return [await peakMemory(server.pid)];
    },
  },
  {
    name: "download of 512 MB by curl",
    async measure({ directory, server, client }) {
      const path = `${directory}/download.bin`;
      await randomFile(path, 512 * MB);
      await curl(client, "-F", `files=@${path}`, `${client.url}/resources/`);
      await using plain = Deno.serve({ port: 0, onListen() {} }, async () => {
        const file = await Deno.open(path);
        return new Response(file.readable, { headers: { "Content-Length": String(512 * MB) } });
      });
      const times = await compare({
        "strongroom": () => curl(client, `${client.url}/resources/download?path=download.bin`),
        "Deno.serve of the same file": () => curl(client, `http://127.0.0.1:${plain.addr.port}/`),
      });
      return [...ratios(times, "strongroom"), await peakMemory(server.pid)];
    },
  },
  {
    name: "ZIP of 1 GiB in four random files",
    async measure({ directory, server, client }) {
      const paths = [1, 2, 3, 4].map((index) => `${directory}/part${index}.bin`);
      for (const path of paths) await randomFile(path, 2 ** 28);
      const forms = paths.flatMap((path) => ["-F", `files=@${path}`]);
      await curl(client, ...forms, `${client.url}/resources/?dir=z`);
      const before = await peakMemory(server.pid);
      const times = await compare({
        "strongroom": () => curl(client, `${client.url}/resources/download?path=z`),
        "zip -0": () => run("sh", ["-c", 'exec zip -q -0 -j - "$@" > /dev/null', "sh", ...paths]),
      });
      return [
        ...ratios(times, "strongroom"),
        `${await peakMemory(server.pid)}, after uploads: ${before}`,
      ];
    },
  },
  {
    name: "ZIP of 100 MB of JSON lines",
    async measure({ directory, server, client }) {
      const path = `${directory}/lines.jsonl`;
      const line = (index: number) =>
        `{"id":${index},"name":"tensor.${index % 977}.weight","value":${Math.sin(index)}}\n`;
      const piece = Array.from({ length: 400_000 }, (_, index) => line(index)).join("");
      await Deno.writeTextFile(path, piece.repeat(4));
      await curl(client, "-F", `files=@${path}`, `${client.url}/resources/?dir=z`);
      const times = await compare({
        "strongroom": () => curl(client, `${client.url}/resources/download?path=z`),
        "zip -6": () => run("sh", ["-c", 'exec zip -q -6 -j - "$1" > /dev/null', "sh", path]),
        "zip -1": () => run("sh", ["-c", 'exec zip -q -1 -j - "$1" > /dev/null', "sh", path]),
      });
      const size = (await client.bytes({ path: "z" })).length;
      await run("zip", ["-q", "-6", "-j", `${directory}/six.zip`, path]);
      const six = (await Deno.stat(`${directory}/six.zip`)).size;
      return [
        ...ratios(times, "strongroom"),
        `size relative to zip -6: ${(size / six).toFixed(2)}`,
        await peakMemory(server.pid),
      ];
    },
  },
  {
    name: "requests per second of 8 clients",
    async measure({ server, client }) {
      await client.upload(
        "listed",
        Object.fromEntries(
          Array.from({ length: 20 }, (_, index) => [`f${index}`, "x"]),
        ),
      );
      let next = 0;
      const rate = async (count: number, request: () => Promise<{ status: number }>) => {
        let left = count;
        const work = async () => {
          while (left-- > 0) {
            const { status } = await request();
            if (status !== 200) throw new Error(String(status));
          }
        };
        return count / await seconds(() => Promise.all(Array.from({ length: 8 }, work)));
      };
      const listRates: number[] = [];
      const uploadRates: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const list = await rate(3000, () => client.list({ path: "listed" }));
        const upload = await rate(2000, () => {
          const index = next++;
          return client.upload(`u${index % 16}`, { [`f${index}`]: `content ${index}` });
        });
        if (round === 0) continue;
        listRates.push(list);
        uploadRates.push(upload);
      }
      return [
        `listings of 20 entries: ${spread(listRates, 0)} /s`,
        `synced uploads of a few bytes: ${spread(uploadRates, 0)} /s`,
        await peakMemory(server.pid),
      ];
    },
  },
  {
    name: "listing of 100 000 entries",
    async measure({ server, client }) {
      for (let batch = 0; batch < 100; batch++) {
        const files = Array.from({ length: 1000 }, (_, index) => [`${batch}-${index}.bin`, "x"]);
        await client.upload("big", Object.fromEntries(files));
      }
      const before = await peakMemory(server.pid);
      const times = await compare({
        "strongroom": () => curl(client, `${client.url}/resources/?path=big`),
      });
      return [
        ...ratios(times, "strongroom"),
        `${await peakMemory(server.pid)}, after uploads: ${before}`,
      ];
    },
  },
  {
    name: "move and copy of 1 000, 10 000 and 100 000 records",
    async measure({ server, client }) {
      const files = Array.from({ length: 99 }, (_, index) => [`${index}`, "x"]);
      await client.upload("t/100", Object.fromEntries(files));
      // Each size is ten copies of the one before, with their directory.
      for (const size of [100, 1000, 10_000]) {
        for (let part = 0; part < 10; part++) {
          const destination = `t/${size * 10}/${part}`;
          await expectOk(client.copy({ source: `t/${size}`, destination }));
        }
      }
      const times = new Map<string, number[]>();
      const measured = async (name: string, work: () => Promise<Reply>) => {
        const time = await seconds(() => expectOk(work()));
        times.set(name, [...times.get(name) ?? [], time]);
      };
      for (let round = 0; round < ROUNDS; round++) {
        for (const size of [1000, 10_000, 100_000]) {
          const [source, destination] = [`t/${size}`, "else/where"];
          await measured(`copy ${size}`, () => client.copy({ source, destination }));
          await expectOk(client.remove({ path: destination }));
          await measured(`move ${size}`, () => client.move({ source, destination }));
          await expectOk(client.move({ source: destination, destination: source }));
        }
      }
      return [
        ...[...times].map(([name, values]) => `${name}: ${spread(values, 3)} s`),
        ...["copy", "move"].flatMap((name) =>
          [[1000, 10_000], [10_000, 100_000]].map(([less, more]) => {
            const ratio = median(times.get(`${name} ${more}`) ?? []) /
              median(times.get(`${name} ${less}`) ?? []);
            return `${name} of ${more} relative to ${less}: ${ratio.toFixed(1)}`;
          })
        ),
        await peakMemory(server.pid),
      ];
    },
  },
  ...UPLOAD_CASES,
  ...HOST_CASES,
];

/** Runs the cases whose names contain one of the filters, or all cases. */
async function main(filters: readonly string[]): Promise<void> {
  for (const program of ["curl", "md5sum", "zip"]) {
    const available = await hasProgram(program, "--version") || await hasProgram(program, "-v");
    if (!available) throw new Error(`The benchmarks need ${program}`);
  }
  const cores = navigator.hardwareConcurrency;
  console.log(`Deno ${Deno.version.deno}, ${Deno.build.target}, ${cores} cores, ${ROUNDS} rounds`);
  console.log("Figures are median (min…max).");
  for (const { name, measure } of CASES) {
    if (filters.length > 0 && !filters.some((part) => name.includes(part))) continue;
    await using temporary = await TempDir.make();
    await using server = await ChildServer.start({
      dataDir: `${temporary.path}/data`,
      env: LIMITS,
    });
    const client = await server.as(1);
    const lines = await measure({ directory: temporary.path, server, client });
    console.log(`\n${name}\n${lines.map((line) => `  ${line}`).join("\n")}`);
  }
}

if (import.meta.main) await main(Deno.args);
