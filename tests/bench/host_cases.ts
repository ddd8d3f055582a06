import { getHostSize, LeasePool, loadTunables, toolLogLabel } from "../../core/capacity/mod.ts";
import { FIXTURES } from "../fixtures/fixtures.ts";
import { ROOT } from "../support/child_server.ts";
import { run } from "../support/tools.ts";
import {
  type Case,
  compare,
  median,
  processSeconds,
  randomFile,
  ROUNDS,
  scaled,
  seconds,
  spread,
} from "./measures.ts";

const MODELS = `${ROOT}tests/fixtures/models`;
const MAX_SMALL_BYTES = 20_000;

/** Cases that do not use the server: leases, and scans of local files. */
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
      const acquireAll = (count: number) => async () => {
        const pool = new LeasePool({ tunables, stats: () => stats });
        await Promise.all(Array.from({ length: count }, async () => {
          const { signal } = new AbortController();
          using _lease = await pool.acquireToolLeaseWithContext(signal, true, "x", 5000, 600_000);
        }));
      };
      const times = await compare({ "1 000": acquireAll(1000), "10 000": acquireAll(10_000) });
      const ratio = median(times["10 000"] ?? []) / median(times["1 000"] ?? []);
      const label = await seconds(() => {
        for (let line = 0; line < 100_000; line++) {
          toolLogLabel("A=b sudo -u x /usr/bin/curl -u me");
        }
        return Promise.resolve();
      });
      return {
        comparisons: Object.entries(times).map(([name, values]) => ({
          title: `${name} leases in sequence`,
          unit: "s",
          values: { strongroom: values },
        })),
        notes: [
          `10 000 take ${ratio.toFixed(1)} times as long as 1 000`,
          `the label of a command, for the log: ${(label * 10).toFixed(1)} µs`,
        ],
      };
    },
  },
  {
    name: "scan of 89 and 2 000 small files",
    async measure({ directory }) {
      const small = FIXTURES.filter(({ path }) =>
        Deno.statSync(`${MODELS}/${path}`).size < MAX_SMALL_BYTES
      );
      const notes: string[] = [];
      for (const count of [89, scaled(2000)]) {
        await Deno.mkdir(`${directory}/${count}`);
        for (let index = 0; index < count; index++) {
          const { path = "" } = small[index % small.length] ?? {};
          const name = `${index}-${path.split("/").at(-1)}`;
          await Deno.copyFile(`${MODELS}/${path}`, `${directory}/${count}/${name}`);
        }
        const times: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const args = ["run", "-A", "--no-check", "main.ts", "scan", `${directory}/${count}`];
          times.push((await processSeconds(Deno.execPath(), args)).cpu);
        }
        notes.push(`CPU time of ${count} files: ${spread(times)} s`);
      }
      return { comparisons: [], notes };
    },
  },
  {
    name: "scan of 1 GB of weights",
    async measure({ directory }) {
      const weights = `${directory}/weights`;
      await randomFile(weights, scaled(1_000_000_000));
      const tensors = `${directory}/model.safetensors`;
      await safetensors(tensors, weights);
      const archive = `${directory}/model.pt`;
      await torchArchive(directory, archive, weights);
      const times = await compare({
        "strongroom scan, safetensors": () => deno("main.ts", "scan", tensors),
        "hashing only, safetensors": () => deno("tests/bench/hash_file.ts", tensors),
        "strongroom scan, PyTorch": () => deno("main.ts", "scan", archive),
        "hashing only, PyTorch": () => deno("tests/bench/hash_file.ts", archive),
      });
      return {
        comparisons: ["safetensors", "PyTorch"].map((kind) => ({
          title: `scan of 1 GB of weights, ${kind}`,
          unit: "s",
          values: {
            "strongroom scan": times[`strongroom scan, ${kind}`] ?? [],
            "hashing only": times[`hashing only, ${kind}`] ?? [],
          },
        })),
        notes: [],
      };
    },
  },
];

/**
 * Runs a program of this repository.
 *
 * @throws {Error} when it fails. Exit code 1, a scan with findings, is not a failure.
 */
async function deno(...args: string[]): Promise<void> {
  const { code, stderr } = await run(Deno.execPath(), ["run", "-A", "--no-check", ...args], {
    cwd: ROOT,
  });
  if (code > 1) throw new Error(stderr);
}

/** Writes a Safetensors file with one F32 tensor. */
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

/** Writes an archive like torch.save: all members are stored. */
async function torchArchive(directory: string, path: string, weights: string): Promise<void> {
  const folder = `${directory}/archive`;
  await Deno.mkdir(`${folder}/data`, { recursive: true });
  await Deno.writeTextFile(`${folder}/version`, "3\n");
  // A pickled empty OrderedDict.
  await Deno.writeFile(
    `${folder}/data.pkl`,
    new TextEncoder().encode("ccollections\nOrderedDict\n)R."),
  );
  await Deno.rename(weights, `${folder}/data/0`);
  const { code, stderr } = await run("zip", ["-q0r", path, "archive"], { cwd: directory });
  if (code !== 0) throw new Error(stderr);
}
