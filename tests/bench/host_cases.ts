import { getHostSize, LeasePool, loadTunables, toolLogLabel } from "../../core/capacity/mod.ts";
import { ROOT } from "../support/child_server.ts";
import { run } from "../support/tools.ts";
import { type Case, compare, median, randomFile, seconds, spread } from "./measures.ts";

/** Cases that need no server: leases, and scans of files on this machine. */
export const HOST_CASES: readonly Case[] = [
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
  {
    name: "scan of 1 GB of weights",
    async measure({ directory }) {
      const weights = `${directory}/weights`;
      await randomFile(weights, 1_000_000_000);
      const tensors = `${directory}/model.safetensors`;
      await safetensors(tensors, weights);
      const archive = `${directory}/model.pt`;
      await torchArchive(directory, archive, weights);
      const times = await compare({
        "strongroom scan, safetensors": () => deno("main.ts", "scan", tensors),
        "hashing alone, safetensors": () => deno("tests/bench/hash_file.ts", tensors),
        "strongroom scan, PyTorch": () => deno("main.ts", "scan", archive),
        "hashing alone, PyTorch": () => deno("tests/bench/hash_file.ts", archive),
      });
      const speed = (ours: string, alone: string) =>
        (times[alone] ?? []).map((it, at) => it / (times[ours]?.[at] ?? 1));
      return [
        ...Object.entries(times).map(([name, values]) => `${name}: ${spread(values)} s`),
        ...["safetensors", "PyTorch"].map((kind) =>
          `speed of scanning ${kind} to that of hashing it: ${
            spread(speed(`strongroom scan, ${kind}`, `hashing alone, ${kind}`))
          }`
        ),
      ];
    },
  },
];

/** Runs a program of this repository, which must not fail; a scan may find something. */
async function deno(...args: string[]): Promise<void> {
  const { code, stderr } = await run(Deno.execPath(), ["run", "-A", "--no-check", ...args], {
    cwd: ROOT,
  });
  if (code > 1) throw new Error(stderr);
}

/** A file with one tensor of F32. */
async function safetensors(path: string, weights: string): Promise<void> {
  const { size } = await Deno.stat(weights);
  const header = JSON.stringify({
    w: { dtype: "F32", shape: [size / 4], data_offsets: [0, size] },
  });
  const text = new TextEncoder().encode(header);
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, BigInt(text.length), true);
  using file = await Deno.open(path, { write: true, create: true });
  await file.write(length);
  await file.write(text);
  using source = await Deno.open(weights);
  await source.readable.pipeTo(file.writable);
}

/** An archive as torch.save writes it: all members stored. */
async function torchArchive(directory: string, path: string, weights: string): Promise<void> {
  const folder = `${directory}/archive`;
  await Deno.mkdir(`${folder}/data`, { recursive: true });
  await Deno.writeTextFile(`${folder}/version`, "3\n");
  // An empty OrderedDict.
  await Deno.writeFile(
    `${folder}/data.pkl`,
    new TextEncoder().encode("ccollections\nOrderedDict\n)R."),
  );
  await Deno.rename(weights, `${folder}/data/0`);
  const { code, stderr } = await run("zip", ["-q0r", path, "archive"], { cwd: directory });
  if (code !== 0) throw new Error(stderr);
}
