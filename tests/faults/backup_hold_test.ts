import * as assert from "node:assert/strict";
import { filesBelow, runBackup, startBackup, stateOf } from "../support/backups.ts";
import { ChildServer } from "../support/child_server.ts";
import { type Client, items } from "../support/client.ts";
import { signalTo } from "../support/processes.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

/** It would keep deleted content. */
const WITHOUT_HISTORY = { STRONGROOM_HISTORY: "off" };

const FILES = 200;

interface Scene {
  readonly dataDir: string;
  readonly backup: string;
  readonly server: ChildServer;
  readonly one: Client;
}

async function scene(directory: TempDir, name: string): Promise<Scene> {
  const dataDir = `${directory.path}/${name}`;
  const server = await ChildServer.start({ dataDir, env: WITHOUT_HISTORY });
  const one = await server.as(1);
  for (const dir of ["a", "b"]) {
    const files = Array.from({ length: FILES / 2 }, (_, it) => [
      `${it}`,
      // Large enough for a file.
      `${dir} ${it}`.padEnd(66_000),
    ]);
    items(await one.upload(dir, Object.fromEntries(files)));
  }
  return { dataDir, backup: `${dataDir}.backup`, server, one };
}

/** Starts a backup, and stops its process when it has copied a part of the contents. */
async function stoppedBackup({ dataDir, backup }: Scene): Promise<Deno.ChildProcess> {
  const copied = async () => (await filesBelow(`${backup}/contents`)).length;
  for (;;) {
    const child = startBackup({ command: "backup", dataDir, backup });
    await until(async () => await copied() > 20);
    signalTo(child, "SIGSTOP");
    if (await copied() < FILES) return child;
    // It was faster than this process.
    signalTo(child, "SIGKILL");
    await child.output();
    await Deno.remove(backup, { recursive: true });
  }
}

/** Restores the backup and returns its state. */
async function restored({ dataDir, backup }: Scene): Promise<Map<string, string>> {
  const target = `${dataDir}.restored`;
  const { code, stderr } = await runBackup({ command: "restore", dataDir: target, backup });
  assert.deepEqual([code, stderr], [0, ""]);
  return await stateOf(target);
}

/** Checks that the backup ends well and holds all files. */
async function checkWhole(it: Scene, child: Deno.ChildProcess): Promise<void> {
  Deno.kill(child.pid, "SIGCONT");
  const { code, stderr } = await child.output();
  assert.deepEqual([code, new TextDecoder().decode(stderr)], [0, ""]);
  const files = [...(await restored(it)).values()].filter((hash) => hash !== "");
  assert.equal(files.length, FILES);
}

Deno.test("C 22 content that is deleted during a backup stays until it is copied", async (t) => {
  await using directory = await TempDir.make();

  await t.step("C 5.4 the server deletes it when the backup has ended", async () => {
    const it = await scene(directory, "ends");
    await using _server = it.server;
    const child = await stoppedBackup(it);
    assert.equal((await it.one.remove({ path: "a", recursive: "1" })).status, 200);
    // Content is removed shortly after the reply.
    await until(async () => (await filesBelow(`${it.dataDir}/held`)).length === FILES / 2);
    assert.equal((await filesBelow(`${it.dataDir}/blobs`)).length, FILES / 2);
    await checkWhole(it, child);
    await until(async () => (await filesBelow(`${it.dataDir}/held`)).length === 0);
  });
  await t.step("kill -9 of the backup lets the server delete it", async () => {
    const it = await scene(directory, "killed");
    await using _server = it.server;
    const child = await stoppedBackup(it);
    assert.equal((await it.one.remove({ path: "a", recursive: "1" })).status, 200);
    child.kill("SIGKILL");
    await child.output();
    await until(async () => (await filesBelow(`${it.dataDir}/blobs`)).length === FILES / 2);
    await until(async () => (await filesBelow(`${it.dataDir}/held`)).length === 0);
  });
  await t.step("it stays over kill -9 of the server and its next start", async () => {
    const it = await scene(directory, "server");
    const child = await stoppedBackup(it);
    assert.equal((await it.one.remove({ path: "a", recursive: "1" })).status, 200);
    const removing = it.one.remove({ path: "b", recursive: "1" }).catch(() => {});
    await it.server.end("SIGKILL");
    await removing;
    await using _server = await ChildServer.start({ dataDir: it.dataDir, env: WITHOUT_HISTORY });
    await checkWhole(it, child);
    await until(async () => (await filesBelow(`${it.dataDir}/held`)).length === 0);
  });
  await t.step("it stays over a stop of the server and its next start", async () => {
    const it = await scene(directory, "stopped");
    const child = await stoppedBackup(it);
    assert.equal((await it.one.remove({ path: "a", recursive: "1" })).status, 200);
    assert.equal((await it.server.end("SIGTERM")).code, 0);
    await using server = await ChildServer.start({ dataDir: it.dataDir, env: WITHOUT_HISTORY });
    const one = await server.as(1);
    assert.equal((await one.remove({ path: "b", recursive: "1" })).status, 200);
    await checkWhole(it, child);
    await until(async () => (await filesBelow(`${it.dataDir}/held`)).length === 0);
  });
});
