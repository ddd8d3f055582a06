import * as assert from "node:assert/strict";
import { LocalProcesses } from "../../../cli/supervisor/local_processes.ts";
import { SCAN_MAXIMA } from "../../../core/scanner/scan.ts";
import { ProcessScanner } from "../../../storage/scanners/process_scanner.ts";
import { ThreadScanner } from "../../../storage/scanners/sandbox/sandbox.ts";
import { MIB } from "../../../schemas/units.ts";
import { modelFile } from "../../support/models.ts";
import { childrenOf } from "../../support/processes.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const DANGEROUS = await modelFile("pickle/hostile/eval.pkl");

/** A scanner of each kind, and the directory that they may read. */
async function scanners() {
  await using parts = new AsyncDisposableStack();
  const { path: directory } = parts.use(await TempDir.make());
  const blobs = {
    fileOf: (hash: string) =>
      Promise.resolve({
        path: `${directory}/${hash}`,
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
  };
  const bounds = { timeoutMs: 120_000, maxima: SCAN_MAXIMA };
  const processes = parts.use(new LocalProcesses([directory]));
  const inProcess = parts.use(
    new ProcessScanner(blobs, { processes, maxIdle: 1, memoryMB: 512, ...bounds }),
  );
  const owned = parts.move();
  return {
    directory,
    each: [["process", inProcess], ["thread", new ThreadScanner(blobs, bounds)]] as const,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The processes of this one that may read a directory. Other tests have theirs beside it. */
async function scannersOf(directory: string): Promise<number[]> {
  const children = await childrenOf(Deno.pid);
  return children.entries().filter(([, args]) => args.some((it) => it.includes(directory)))
    .map(([pid]) => pid).toArray();
}

const OPTIONS = { userId: 1, memoryLimitMB: 0, skip: [] };

Deno.test("C 28 a file is scanned while it comes in as if it had been there", async () => {
  await using parts = await scanners();
  const content = new Uint8Array(20 * MIB);
  content.set(DANGEROUS);
  const { signal } = new AbortController();
  for (const [kind, scanner] of parts.each) {
    const path = `${parts.directory}/${kind}`;
    using file = await Deno.open(path, { write: true, createNew: true });
    const options = { ...OPTIONS, signal };
    const scanned = scanner.scanArriving(
      { path, name: "a.pkl", size: content.length },
      options,
    );
    for (let at = 0; at < content.length;) {
      at += await file.write(content.subarray(at, at + MIB));
    }
    const { timestamp: _then, checks, ...found } = await scanned;
    const { timestamp: _now, checks: expected, ...known } = await scanner.scan(
      { hash: kind, name: "a.pkl" },
      options,
    );
    assert.deepEqual(found, known, kind);
    const seen = (all: typeof checks) => all.map(({ name, status }) => [name, status]);
    assert.deepEqual(seen(checks), seen(expected), kind);
    assert.ok(checks.some(({ status, severity }) => status === "failed" && severity !== "info"));
  }
});

Deno.test("C 28 the scan of a file that does not come ends with who waits for it", async () => {
  await using parts = await scanners();
  for (const [kind, scanner] of parts.each) {
    const path = `${parts.directory}/${kind}`;
    await Deno.writeFile(path, new Uint8Array(MIB));
    const abort = new AbortController();
    const scanned = scanner.scanArriving({ path, name: "a.pkl", size: 20 * MIB }, {
      ...OPTIONS,
      signal: abort.signal,
    });
    const isRunning = async () => (await scannersOf(parts.directory)).length > 0;
    if (kind === "process") await until(isRunning);
    abort.abort(new RangeError("enough"));
    await assert.rejects(scanned, { name: "RangeError", message: "enough" });
    assert.equal(await isRunning(), false);
  }
});
