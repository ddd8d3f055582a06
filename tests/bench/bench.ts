/**
 * `deno task bench`: what the server does beside a reference, in one run on one machine, as ratios.
 * Needs curl, md5sum and zip. The server is a process of its own for each case, started as users do.
 */

import { getHostSize, LeasePool, loadTunables, toolLogLabel } from "../../core/capacity/mod.ts";
import { ChildServer } from "../child_server.ts";
import type { Client, Reply } from "../client.ts";
import { TempDir } from "../temp_dir.ts";
import { hasProgram, run } from "../tools.ts";

const MB = 1_000_000;
const ROUNDS = 5;
const LIMITS = {
  STRONGROOM_MAX_UPLOAD_FILE_SIZE: "100000000000",
  STRONGROOM_MAX_UPLOAD_TOTAL_SIZE: "100000000000",
};

interface Case {
  readonly name: string;
  /** Returns the lines of its result. */
  measure(bench: Bench): Promise<string[]>;
}

/** What a case works with. */
interface Bench {
  readonly directory: string;
  readonly server: ChildServer;
  readonly client: Client;
}

/** Seconds that something takes. */
async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function spread(values: readonly number[], digits = 2): string {
  const shown = (value: number) => value.toFixed(digits);
  return `${shown(median(values))} (${shown(Math.min(...values))}…${shown(Math.max(...values))})`;
}

/** Runs each of the works in turn, several times, so that the machine's moods meet all of them. */
async function compare(
  works: Readonly<Record<string, () => Promise<unknown>>>,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, work] of Object.entries(works)) {
      const time = await seconds(work);
      // The first round warms up: caches, and memory that was never touched before.
      if (round > 0) (times[name] ??= []).push(time);
    }
    await between();
  }
  return times;
}

function ratios(times: Record<string, number[]>, ours: string): string[] {
  const own = times[ours] ?? [];
  return Object.entries(times).map(([name, values]) =>
    name === ours
      ? `${name}: ${spread(values)} s`
      : `${name}: ${spread(values)} s, its time to ours ${
        spread(values.map((it, at) => it / (own[at] ?? 1)))
      }`
  );
}

async function curl(client: Client, ...args: string[]): Promise<void> {
  const auth = `Authorization: Bearer ${client.token}`;
  const { code, stderr } = await run("curl", ["-sSgf", "-o", "/dev/null", "-H", auth, ...args]);
  if (code !== 0) throw new Error(stderr);
}

/** Random content, written in pieces. */
async function randomFile(path: string, size: number): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const piece = new Uint8Array(65536);
  for (let written = 0; written < size; written += piece.length) {
    await file.write(crypto.getRandomValues(piece).subarray(0, size - written));
  }
}

/** The most memory that a process had resident so far. */
async function peakMemory(pid: number): Promise<string> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const kib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
  return `peak memory ${Math.round(kib * 1024 / MB)} MB`;
}

const CASES: readonly Case[] = [
  {
    name: "upload of 512 MB by curl",
    async measure({ directory, server, client }) {
      const path = `${directory}/upload.bin`;
      await randomFile(path, 512 * MB);
      await using drain = Deno.serve({ port: 0, onListen() {} }, async (request) => {
        for await (const _ of request.body ?? []) { /* dropped */ }
        return new Response("ok");
      });
      const times = await compare({
        "strongroom": () => curl(client, "-F", `files=@${path}`, `${client.url}/resources/?dir=u`),
        "md5sum": () => run("md5sum", [path]),
        "a server that drops the body": () =>
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
        `${await peakMemory(server.pid)}, uploads: ${before}`,
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
        `size to that of zip -6: ${(size / six).toFixed(2)}`,
        await peakMemory(server.pid),
      ];
    },
  },
  {
    name: "requests a second of 8 clients",
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
      const lists: number[] = [];
      const uploads: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const list = await rate(3000, () => client.list({ path: "listed" }));
        const upload = await rate(2000, () => {
          const index = next++;
          return client.upload(`u${index % 16}`, { [`f${index}`]: `content ${index}` });
        });
        if (round === 0) continue;
        lists.push(list);
        uploads.push(upload);
      }
      return [
        `listings of 20 entries: ${spread(lists, 0)} /s`,
        `uploads of a few bytes, synced: ${spread(uploads, 0)} /s`,
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
        `${await peakMemory(server.pid)}, uploads: ${before}`,
      ];
    },
  },
  {
    name: "move and copy of 1 000, 10 000 and 100 000 records",
    async measure({ server, client }) {
      const files = Array.from({ length: 99 }, (_, index) => [`${index}`, "x"]);
      await client.upload("t/100", Object.fromEntries(files));
      // Each is ten of the one before, and their directory.
      for (const size of [100, 1000, 10_000]) {
        for (let part = 0; part < 10; part++) {
          const destination = `t/${size * 10}/${part}`;
          await done(client.copy({ source: `t/${size}`, destination }));
        }
      }
      const times = new Map<string, number[]>();
      const measured = async (name: string, work: () => Promise<Reply>) => {
        const time = await seconds(() => done(work()));
        times.set(name, [...times.get(name) ?? [], time]);
      };
      for (let round = 0; round < ROUNDS; round++) {
        for (const size of [1000, 10_000, 100_000]) {
          const [source, destination] = [`t/${size}`, "else/where"];
          await measured(`copy ${size}`, () => client.copy({ source, destination }));
          await done(client.remove({ path: destination }));
          await measured(`move ${size}`, () => client.move({ source, destination }));
          await done(client.move({ source: destination, destination: source }));
        }
      }
      return [
        ...[...times].map(([name, values]) => `${name}: ${spread(values, 3)} s`),
        ...["copy", "move"].flatMap((name) =>
          [[1000, 10_000], [10_000, 100_000]].map(([less, more]) => {
            const ratio = median(times.get(`${name} ${more}`) ?? []) /
              median(times.get(`${name} ${less}`) ?? []);
            return `${name} of ${more} to that of ${less}: ${ratio.toFixed(1)}`;
          })
        ),
        await peakMemory(server.pid),
      ];
    },
  },
  {
    name: "leases of 1 000 and 10 000 waiters",
    async measure() {
      const stats = {
        ...getHostSize(),
        LoadAvg1m: 0,
        MemAvailableMB: 2 ** 20,
        DiskFreeMB: 2 ** 20,
      };
      const tunables = loadTunables(() => undefined, stats);
      const through = (count: number) => async () => {
        const pool = new LeasePool({ tunables, stats: () => stats });
        await Promise.all(Array.from({ length: count }, async () => {
          const { signal } = new AbortController();
          using _lease = await pool.acquireToolLeaseWithContext(signal, true, "x", 5000, 600_000);
        }));
      };
      const times = await compare({ "1 000": through(1000), "10 000": through(10_000) });
      const ratio = median(times["10 000"] ?? []) / median(times["1 000"] ?? []);
      const label = await seconds(() => {
        for (let line = 0; line < 100_000; line++) {
          toolLogLabel("A=b sudo -u x /usr/bin/curl -u me");
        }
        return Promise.resolve();
      });
      return [
        ...Object.entries(times).map(([name, values]) =>
          `${name} one after the other: ${spread(values, 3)} s`
        ),
        `10 000 to 1 000: ${ratio.toFixed(1)}`,
        `a label: ${(label * 10).toFixed(1)} µs`,
      ];
    },
  },
];

/** A reply, which must be no refusal. */
async function done(reply: Promise<Reply>): Promise<Reply> {
  const { status, text } = await reply;
  if (status !== 200) throw new Error(text);
  return reply;
}

async function main(wanted: readonly string[]): Promise<void> {
  for (const program of ["curl", "md5sum", "zip"]) {
    const there = await hasProgram(program, "--version") || await hasProgram(program, "-v");
    if (!there) throw new Error(`The benchmarks need ${program}`);
  }
  const cores = navigator.hardwareConcurrency;
  console.log(`Deno ${Deno.version.deno}, ${Deno.build.target}, ${cores} cores, ${ROUNDS} rounds`);
  console.log("Figures are the median (least…most).");
  for (const { name, measure } of CASES) {
    if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
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
