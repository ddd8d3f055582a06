import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { LocalProcesses } from "../../../cli/supervisor/local_processes.ts";
import type { FileResult } from "../../../core/scanner/mod.ts";
import { ScanFailure } from "../../../core/scans/ports.ts";
import { MAX_SENT_BYTES } from "../../../storage/scanners/requests.ts";
import { ScannerPool, type ScannerPoolOptions } from "../../../storage/scanners/scanner_pool.ts";
import { ROOT } from "../../support/child_server.ts";
import { childrenOf, isAlive } from "../../support/processes.ts";
import { until } from "../../support/until.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { safetensorsOf } from "../../support/tensors.ts";

/** A process whose thread scans, and one that scans itself. */
const PROBES = [
  "tests/storage/scanners/probe_scanner",
  "tests/storage/scanners/lone_probe",
];
const HOSTILE = "tests/storage/scanners/hostile_scanner";

interface Parts {
  readonly pool: ScannerPool;
  readonly processes: CountedProcesses;
  readonly path: string;
  readonly directory: string;
  scan(name: string, options?: ScanOptions): Promise<FileResult>;
}

interface ScanOptions {
  readonly userId?: number;
  readonly memoryLimitMB?: number;
  readonly signal?: AbortSignal;
  readonly path?: string;
}

/** Counts the processes that are started, and knows which have not ended. */
class CountedProcesses extends LocalProcesses {
  started = 0;
  readonly running = new Set<number>();

  override start(...args: Parameters<LocalProcesses["start"]>) {
    const id = ++this.started;
    this.running.add(id);
    const process = super.start(...args);
    process.ended.then(() => this.running.delete(id));
    return process;
  }
}

async function withPool(
  entry: string | undefined,
  options: Partial<ScannerPoolOptions>,
  work: (parts: Parts) => Promise<void>,
): Promise<void> {
  await using temporary = await TempDir.make();
  const directory = temporary.path;
  const path = `${directory}/content`;
  await Deno.writeTextFile(path, path);
  await using processes = new CountedProcesses(
    [directory, Deno.cwd()],
    entry === undefined ? {} : { entry },
  );
  await using pool = new ScannerPool({
    processes,
    maxIdle: 2,
    memoryMB: 512,
    timeoutMs: 120_000,
    ...options,
  });
  const scan = (name: string, { path: other = path, ...given }: ScanOptions = {}) =>
    pool.scan({ path: other, name }, {
      userId: 1,
      memoryLimitMB: 0,
      skip: [],
      signal: new AbortController().signal,
      ...given,
    });
  await work({ pool, processes, path, directory, scan });
}

for (const probe of PROBES) {
  const how = probe.endsWith("lone_probe") ? "itself" : "by a thread";

  Deno.test(`C 15 a scanner process may do nothing (scanning ${how})`, () =>
    withPool(probe, {}, async ({ scan, path, directory }) => {
      await Deno.writeTextFile(`${directory}/other`, "other");
      await Deno.writeTextFile(`${directory}/other.ts`, "export {}");
      await Deno.symlink(`${directory}/other`, `${directory}/link`);
      const large = `${directory}/large`;
      await Deno.writeTextFile(large, large.padEnd(MAX_SENT_BYTES + 1));
      for (const file of [path, large]) {
        const { metadata } = await scan("attempts", { path: file });
        assert.equal(Object.keys(metadata).length, 18);
        for (const [attempt, outcome] of Object.entries(metadata)) {
          assert.match(String(outcome), /^(NotCapable|TypeError)$/, `${attempt}: ${outcome}`);
        }
      }
      const names = (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort();
      assert.deepEqual(names, ["content", "large", "link", "other", "other.ts"]);
    }));

  Deno.test(`C 15 a scanner process is killed when it takes too long (scanning ${how})`, () =>
    withPool(probe, { timeoutMs: 50, graceMs: 0 }, async ({ scan, processes }) => {
      const hanging = scan("hang");
      await assert.rejects(hanging, {
        name: "ScanFailure",
        message: "Scan took longer than 0.2 s",
      });
      assert.equal(processes.running.size, 0);
    }));

  Deno.test(`C 15 a scan that never looks at its limit is ended when it has used its CPU time (scanning ${how})`, () =>
    withPool(probe, { timeoutMs: 1, graceMs: 600_000, cpuGraceMs: 300 }, async (parts) => {
      const { scan, processes } = parts;
      const message = "Scan used more than 0.001 s of CPU time";
      await assert.rejects(scan("hang"), { name: "ScanFailure", message });
      assert.equal(processes.running.size, 0);
    }));

  Deno.test(`C 15 a canceled scan settles when its process has ended (scanning ${how})`, () =>
    withPool(probe, {}, async ({ scan, processes }) => {
      const controller = new AbortController();
      const hanging = scan("hang", { signal: controller.signal });
      setTimeout(() => controller.abort("enough"), 300);
      await assert.rejects(hanging, (error) => error === "enough");
      assert.equal(processes.running.size, 0);
      await assert.rejects(scan("x", { signal: controller.signal }), (error) => error === "enough");
      assert.equal(processes.started, 1);
    }));

  for (const what of ["heap", "buffers"]) {
    Deno.test({
      name:
        `C 15 a scanner process that fills its ${what} is killed at its limit (scanning ${how})`,
      ignore: Deno.build.os !== "linux",
      fn: () =>
        withPool(probe, { memoryMB: 200 }, async ({ scan, processes }) => {
          for (const [memoryLimitMB, limit] of [[0, 200], [150, 150]] as const) {
            await assert.rejects(
              scan(`fill ${what === "heap" ? "the heap" : what}`, {
                memoryLimitMB,
              }),
              { name: "ScanFailure", message: `Scanner used more than ${limit} MB of memory` },
            );
            assert.equal(processes.running.size, 0);
          }
        }),
    });
  }

  Deno.test({
    name: `C 15 a busy scanner process ends with the process that started it (scanning ${how})`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      await using directory = await TempDir.make();
      const path = `${directory.path}/content`;
      await Deno.writeTextFile(path, "content");
      const parent = new Deno.Command(Deno.execPath(), {
        args: ["run", "--allow-all", "tests/storage/scanners/hanging_parent.ts", path, probe],
        cwd: ROOT,
      }).spawn();
      const scanner = async () => [...(await childrenOf(parent.pid)).keys()][0];
      await until(async () => cpuTicks(await scanner()) > 100);
      const pid = await scanner();
      parent.kill("SIGKILL");
      await parent.status;
      assert.ok(pid !== undefined);
      await until(() => !isAlive(pid));
    },
  });

  Deno.test(`C 15 a scanner that fails takes its process along (scanning ${how})`, () =>
    withPool(probe, {}, async ({ scan, processes, directory }) => {
      await assert.rejects(scan("throw"), (error) => {
        assert.ok(error instanceof ScanFailure);
        assert.equal(error.message, "Scanner failed");
        assert.match(String(error.cause), /evil/);
        return true;
      });
      const missing = scan("x", { path: `${directory}/missing` });
      await assert.rejects(missing, { message: "Content could not be read" });
      assert.equal(processes.running.size, 0);
    }));

  Deno.test(`C 15 a process is used again for files of the same user only (scanning ${how})`, () =>
    withPool(probe, {}, async ({ scan, processes, directory }) => {
      const scansOf = async (userId: number, path?: string) =>
        (await scan("count", { userId, ...(path !== undefined && { path }) })).metadata["scans"];
      assert.deepEqual([await scansOf(1), await scansOf(1)], [1, 2]);
      assert.deepEqual([await scansOf(2), await scansOf(1), await scansOf(2)], [1, 3, 2]);
      // At most two are idle.
      assert.deepEqual([await scansOf(3), await scansOf(1)], [1, 1]);
      assert.ok(processes.running.size <= 2);
      const large = `${directory}/large`;
      await Deno.writeFile(large, new Uint8Array(MAX_SENT_BYTES + 1));
      assert.deepEqual([await scansOf(1, large), await scansOf(1, large)], [1, 1]);
    }));

  Deno.test(`C 15 an idle process ends after a while (scanning ${how})`, () =>
    withPool(probe, { idleMs: 0 }, async ({ scan, processes }) => {
      assert.equal((await scan("count")).metadata["scans"], 1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      assert.equal((await scan("count")).metadata["scans"], 1);
      assert.equal(processes.started, 2);
    }));

  Deno.test(`C 15 no scan changes the language for a later one (scanning ${how})`, () =>
    withPool(probe, {}, async ({ scan }) => {
      assert.deepEqual((await scan("change a built-in")).metadata, { changed: false });
    }));
}

Deno.test("C 29 a scanner process lists the tensors of content that it is sent, and that it reads", () =>
  withPool(undefined, {}, async ({ pool, directory, processes }) => {
    const options = { userId: 1, memoryLimitMB: 0, signal: new AbortController().signal };
    const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    for (const size of [3, MAX_SENT_BYTES + 1]) {
      const data = new Uint8Array(size).fill(7);
      const content = safetensorsOf({ a: { dtype: "U8", shape: [size], data } });
      await Deno.writeFile(`${directory}/weights`, content);
      const file = { path: `${directory}/weights`, name: "weights.safetensors" };
      assert.deepEqual(await pool.listTensors(file, options), {
        format: "safetensors",
        sha256: sha256(content),
        lines: JSON.stringify(["a", "U8", [size], size, sha256(data)]),
      });
    }
    const missing = { path: `${directory}/missing`, name: "x.gguf" };
    await assert.rejects(pool.listTensors(missing, options), { name: "ScanFailure" });
    assert.equal(processes.started, 2);
  }));

/** The processor time that a process has used, in hundredths of a second. */
function cpuTicks(pid: number | undefined): number {
  if (pid === undefined) return 0;
  return Number(Deno.readTextFileSync(`/proc/${pid}/stat`).split(" ")[13]);
}

Deno.test("C 15 a process that hostile content has taken over yields a failure or a result", () =>
  withPool(HOSTILE, {}, async ({ scan, processes }) => {
    for (let round = 0; round < 2; round++) assert.equal((await scan("good")).size, 7);
    const invalid = [
      "no JSON",
      "no UTF-8",
      "no kind",
      "huge",
      "body",
      "no hashes",
      "unknown rule",
      "wrong status",
      "wrong metadata",
      "deep metadata",
      "negative size",
    ];
    for (const name of invalid) {
      const message = "Scanner gave an invalid reply";
      await assert.rejects(scan(name), { name: "ScanFailure", message }, name);
    }
    const message = "Scanner process ended unexpectedly";
    await assert.rejects(scan("exit"), { name: "ScanFailure", message });
    // The second reply belongs to no scan: the process is not used again.
    await scan("twice");
    const started = processes.started;
    await scan("good");
    assert.equal(processes.started, started + 1);
  }));

Deno.test("C 15 the scanner process scans bytes and files alike, through links", () =>
  withPool(undefined, {}, async ({ scan, path, directory }) => {
    const small = await scan("model.pkl");
    assert.equal(small.size, path.length);
    await Deno.mkdir(`${directory}/deep`);
    await Deno.symlink(directory, `${directory}/deep/parent`);
    const large = `${directory}/large`;
    await Deno.writeFile(large, new Uint8Array(MAX_SENT_BYTES + 1));
    for (const link of ["large", "deep/parent/large"]) {
      assert.equal((await scan("x", { path: `${directory}/${link}` })).size, MAX_SENT_BYTES + 1);
    }
  }));

Deno.test("C 15 a scan whose time is over before its content was hashed fails", () =>
  withPool(undefined, { timeoutMs: 0 }, async ({ scan }) => {
    const message = "Scan used more than 0 s of CPU time";
    await assert.rejects(scan("x"), { name: "ScanFailure", message });
  }));
