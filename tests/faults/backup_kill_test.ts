import * as assert from "node:assert/strict";
import { noise } from "../support/random.ts";
import { filesBelow, runBackup, startBackup, stateOf } from "../support/backups.ts";
import { strongroom } from "../support/child_server.ts";
import { type Client, items } from "../support/client.ts";
import { allRecords } from "../support/invariants.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

/** Each takes about a second. */
const KILLS = Number(Deno.env.get("STRONGROOM_TEST_KILLS") ?? 12);

type State = Map<string, string>;

/** The state of a server, as {@link stateOf} returns it. */
async function stateOfServer(server: TestServer): Promise<State> {
  const records = await allRecords(server);
  const state = records.map((it) => [`${it.userId}:${it.path}`, it.hash] as const);
  return new Map(state.sort(([a], [b]) => a < b ? -1 : 1));
}

/** Replaces half of the files by others. */
async function change(client: Client, round: number): Promise<void> {
  if (round > 1) await client.remove({ path: `d${round - 2}` });
  const names = Array.from({ length: 60 }, (_, it) => `f${it}`);
  const files = names.map((name, it) => [name, noise(3000 + it, round * 100 + it)]);
  items(await client.upload(`d${round}`, Object.fromEntries(files)));
}

function sorted(state: State): State {
  return new Map([...state].sort(([a], [b]) => a < b ? -1 : 1));
}

/** Restores the backup to a new directory and returns its state. */
async function restored(directory: TempDir, backup: string): Promise<State> {
  const dataDir = `${directory.path}/${crypto.randomUUID()}`;
  const { code, stderr } = await runBackup({ command: "restore", dataDir, backup });
  assert.deepEqual([code, stderr], [0, ""]);
  const state = sorted(await stateOf(dataDir));
  await Deno.remove(dataDir, { recursive: true });
  return state;
}

/** The number of the snapshot that the backup holds. */
async function snapshotNumber(backup: string): Promise<number> {
  return JSON.parse(await Deno.readTextFile(`${backup}/backup.json`)).snapshot.number;
}

/** Kills the process after the time, unless it ends before. Returns whether it was killed. */
async function killedAfter(child: Deno.ChildProcess, ms: number): Promise<boolean> {
  const timer = setTimeout(() => child.kill("SIGKILL"), ms);
  const { signal } = await child.output();
  clearTimeout(timer);
  return signal === "SIGKILL";
}

Deno.test("C 22 kill -9 of a backup at any moment leaves its former or the new state", async () => {
  await using directory = await TempDir.make();
  const backup = `${directory.path}/backup`;
  await using server = await TestServer.start();
  const one = await server.as(1);
  await change(one, 0);
  const command = { command: "backup", dataDir: server.dataDir, backup } as const;
  const started = performance.now();
  assert.equal((await runBackup(command)).code, 0);
  const longest = performance.now() - started;
  let kept = await stateOfServer(server);
  let killed = 0;
  for (let round = 1; round <= KILLS; round++) {
    await change(one, round);
    const number = await snapshotNumber(backup);
    // Not before the program has loaded, most of the time.
    const ms = longest * (0.3 + Math.random());
    if (await killedAfter(startBackup(command), ms)) killed++;
    if (await snapshotNumber(backup) !== number) kept = await stateOfServer(server);
    assert.deepEqual(await restored(directory, backup), kept, `round ${round}, after ${ms} ms`);
  }
  assert.ok(killed > 0);
  const last = await runBackup(command);
  assert.deepEqual([last.code, last.stderr], [0, ""]);
  assert.deepEqual(await restored(directory, backup), await stateOfServer(server));
  // Nothing is left of the runs that were killed.
  assert.equal((await filesBelow(`${backup}/contents`)).length, 120);
  assert.equal((await filesBelow(`${backup}/snapshots`)).length, 1);
  assert.deepEqual(await filesBelow(`${backup}/tmp`), []);
});

Deno.test("C 22 a restore that was killed is never served, and can be repeated", async () => {
  await using directory = await TempDir.make();
  const backup = `${directory.path}/backup`;
  await using server = await TestServer.start();
  for (const round of [0, 1]) await change(await server.as(1), round);
  const backedUp = { command: "backup", dataDir: server.dataDir, backup } as const;
  assert.equal((await runBackup(backedUp)).code, 0);
  const expected = await stateOfServer(server);
  const dataDir = `${directory.path}/restored`;
  const command = { command: "restore", dataDir, backup } as const;
  const started = performance.now();
  assert.equal((await runBackup(command)).code, 0);
  const longest = performance.now() - started;
  for (let round = 1; round <= KILLS; round++) {
    await Deno.remove(dataDir, { recursive: true });
    const ms = longest * (0.3 + Math.random() * 0.8);
    if (await killedAfter(startBackup(command), ms)) await checkUnserved(dataDir);
    const { code, stderr } = await runBackup(command);
    // One that had ended before it was killed cannot be repeated.
    if (code !== 0) assert.match(stderr, /is not empty/, `round ${round}`);
    assert.deepEqual(sorted(await stateOf(dataDir)), expected, `round ${round}, after ${ms} ms`);
  }
});

/** Checks that no server starts with a part of the state. */
async function checkUnserved(dataDir: string): Promise<void> {
  const names = (await filesAndFolders(dataDir)).map(({ name }) => name);
  if (!names.includes("restoring")) {
    // Killed before it began, or after its end.
    assert.ok(names.length === 0 || names.includes("strongroom.db"), names.join());
    return;
  }
  const { code, stderr } = await strongroom(["serve"], { STRONGROOM_DATA_DIR: dataDir });
  assert.equal(code, 1);
  assert.match(stderr, /run strongroom restore again/);
}

async function filesAndFolders(path: string): Promise<Deno.DirEntry[]> {
  try {
    return await Array.fromAsync(Deno.readDir(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
