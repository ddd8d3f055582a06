import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { ScanFailure } from "../../../../core/scans/ports.ts";
import {
  type SandboxReply,
  type SandboxRequest,
  scanInSandbox,
} from "../../../../storage/scanners/sandbox/sandbox.ts";
import { TempDir } from "../../../support/temp_dir.ts";
import { READ_ONLY } from "../../../../storage/scanners/sandbox/permissions.ts";
import { WORKERS } from "../../../../storage/threads/workers.ts";

const PROBE = new URL("./probe_worker.ts", import.meta.url);

Deno.test("C 15 scanInSandbox()", async (t) => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/content`;
  await Deno.writeTextFile(path, path);
  await Deno.writeTextFile(`${directory.path}/other`, "other");
  await Deno.writeTextFile(`${directory.path}/other.ts`, "export {}");
  await Deno.symlink(`${directory.path}/other`, `${directory.path}/link`);
  const task = { path, name: "x", skip: [], signal: new AbortController().signal };

  await t.step("C 15 lets the worker read the open file, and nothing else", async () => {
    const { metadata } = await scanInSandbox({ ...task, timeoutMs: 120_000, module: PROBE });
    assert.equal(Object.keys(metadata).length, 18);
    for (const [attempt, outcome] of Object.entries(metadata)) {
      assert.match(String(outcome), /^(NotCapable|TypeError)$/, `${attempt}: ${outcome}`);
    }
    assert.equal(await Deno.readTextFile(path), path);
    assert.equal((await Array.fromAsync(Deno.readDir(directory.path))).length, 4);
  });
  await t.step("C 15 ends a worker that hangs", async () => {
    const times = { timeoutMs: 50, graceMs: 0 };
    const hanging = scanInSandbox({ ...task, ...times, name: "hang", module: PROBE });
    await assert.rejects(hanging, { name: "ScanFailure", message: /longer than 0.2 s/ });
  });
  await t.step("C 15 rejects when the time limit is zero", async () => {
    const late = scanInSandbox({ ...task, timeoutMs: 0 });
    await assert.rejects(late, { name: "ScanFailure", message: /more than 0 s of CPU time/ });
  });
  await t.step("C 15 rejects when the worker fails", async () => {
    const failing = scanInSandbox({ ...task, name: "throw", timeoutMs: 120_000, module: PROBE });
    await assert.rejects(failing, (error) => {
      assert.ok(error instanceof ScanFailure);
      assert.equal(error.message, "Scanner failed");
      assert.match(String(error.cause), /evil/);
      return true;
    });
  });
  await t.step("C 15 rejects with the reason of the signal when it aborts", async () => {
    const controller = new AbortController();
    const hanging = scanInSandbox({
      ...task,
      name: "hang",
      signal: controller.signal,
      timeoutMs: 120_000,
      module: PROBE,
    });
    controller.abort("enough");
    await assert.rejects(hanging, (error) => error === "enough");
    const late = scanInSandbox({ ...task, signal: controller.signal, timeoutMs: 120_000 });
    await assert.rejects(late, (error) => error === "enough");
  });
  await t.step("C 15 rejects when the file cannot be read", async () => {
    const missing = { ...task, path: `${directory.path}/missing` };
    await assert.rejects(scanInSandbox({ ...missing, timeoutMs: 120_000 }), (error) => {
      assert.ok(error instanceof ScanFailure);
      assert.equal(error.message, "Content could not be read");
      return true;
    });
  });
  await t.step("C 15 ends the worker when its stop flag is set or its time is over", async () => {
    for (const [stopped, timeoutMs] of [[1, 2 ** 30], [0, 0]] as const) {
      // The worker gives up the permissions that it has, so they must not be those of the tests.
      const worker = new Worker(WORKERS.scan, {
        type: "module",
        deno: { permissions: READ_ONLY },
      });
      const stop = new Int32Array(new SharedArrayBuffer(4)).fill(stopped);
      const { promise, resolve } = Promise.withResolvers<SandboxReply>();
      worker.addEventListener("message", ({ data }: MessageEvent<SandboxReply>) => {
        if (data.kind !== "ready") resolve(data);
      });
      worker.postMessage({ path, name: "x", skip: [], timeoutMs, stop } satisfies SandboxRequest);
      assert.deepEqual(await promise, { kind: "late" });
      worker.terminate();
    }
  });
  await t.step(
    "C 15 reads a file through links, with the permissions of its name only",
    async () => {
      await Deno.mkdir(`${directory.path}/deep`);
      await Deno.symlink(directory.path, `${directory.path}/deep/parent`);
      await Deno.symlink("content", `${directory.path}/to-content`);
      for (const link of ["to-content", "deep/parent/content", "deep/parent/to-content"]) {
        const linked = { ...task, path: `${directory.path}/${link}` };
        assert.equal(
          (await scanInSandbox({ ...linked, timeoutMs: 120_000 })).size,
          path.length,
          link,
        );
      }
    },
  );
  await t.step("returns the result of the scan", async () => {
    const scan = await scanInSandbox({ ...task, timeoutMs: 120_000 });
    assert.equal(scan.hashes.md5, createHash("md5").update(path).digest("hex"));
    assert.equal(scan.size, path.length);
  });
});
