import * as assert from "node:assert/strict";
import { restore } from "../../storage/upkeep/backup/restore.ts";
import {
  type BackupCommand,
  filesBelow,
  runBackup,
  startBackup,
  stateOf,
} from "../support/backups.ts";
import { type Client, items } from "../support/client.ts";
import { allRecords } from "../support/invariants.ts";
import { signalTo } from "../support/processes.ts";
import { noise, seededRandom } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";
import type { CampaignOptions, Outcome } from "./campaign.ts";

/** The files of a round. Two rounds of files exist at a time. */
const FILES = 60;

type State = ReadonlyMap<string, string>;

function sorted(state: State): State {
  return new Map([...state].sort(([a], [b]) => a < b ? -1 : 1));
}

/** The state of a server, as {@link stateOf} returns it. */
async function stateOfServer(server: TestServer): Promise<State> {
  const records = await allRecords(server);
  return sorted(new Map(records.map((it) => [`${it.userId}:${it.path}`, it.hash])));
}

/** Replaces half of the files by others. */
async function change(client: Client, round: number): Promise<void> {
  if (round > 1) await client.remove({ path: `d${round - 2}` });
  const files = Array.from(
    { length: FILES },
    (_, it) => [`f${it}`, noise(70_000 + it, round * 100 + it)],
  );
  items(await client.upload(`d${round}`, Object.fromEntries(files)));
}

/** Restores the backup to a new directory and returns its state. */
async function restored(directory: TempDir, backup: string): Promise<State> {
  const dataDir = `${directory.path}/${crypto.randomUUID()}`;
  const { findings } = await restore(dataDir, backup, () => {});
  assert.deepEqual(findings.listed, []);
  const state = sorted(await stateOf(dataDir));
  await Deno.remove(dataDir, { recursive: true });
  return state;
}

/** The number of the snapshot that the backup holds. */
async function snapshotNumber(backup: string): Promise<number> {
  return JSON.parse(await Deno.readTextFile(`${backup}/backup.json`)).snapshot.number;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

/** Runs the command, and returns how long it takes from when this path exists. */
async function workTime(command: BackupCommand, path: string): Promise<number> {
  let ended = false;
  const ending = startBackup(command).output().finally(() => ended = true);
  // It does not exist any more if the command has ended before it was looked for.
  await until(async () => ended || await exists(path));
  const started = performance.now();
  assert.equal((await ending).code, 0);
  return performance.now() - started;
}

/** Kills the command so long after this path exists, unless it ends before. Returns whether it did. */
async function killedIn(command: BackupCommand, path: string, ms: number): Promise<boolean> {
  const child = startBackup(command);
  let ended = false;
  const ending = child.output().finally(() => ended = true);
  await until(async () => ended || await exists(path));
  const timer = setTimeout(() => signalTo(child, "SIGKILL"), ms);
  const { signal } = await ending;
  clearTimeout(timer);
  return signal === "SIGKILL";
}

/**
 * Kills backups at random moments. After each kill, the backup has its former or the new state; in the
 * end it holds nothing else.
 */
export async function backupKills({ count, seed, progress }: CampaignOptions): Promise<Outcome> {
  await using directory = await TempDir.make();
  const backup = `${directory.path}/backup`;
  const begun = `${backup}/tmp/snapshot`;
  const random = seededRandom(seed);
  await using server = await TestServer.start({ settings: { history: 0 } });
  const one = await server.as(1);
  await change(one, 0);
  const command = { command: "backup", dataDir: server.dataDir, backup } as const;
  const longest = await workTime(command, begun);
  let kept = await stateOfServer(server);
  let [tried, round] = [0, 0];
  while (tried < count) {
    await change(one, ++round);
    const number = await snapshotNumber(backup);
    const ms = longest * random(1200) / 1000;
    if (await killedIn(command, begun, ms)) tried++;
    progress?.(tried);
    if (await snapshotNumber(backup) !== number) kept = await stateOfServer(server);
    assert.deepEqual(await restored(directory, backup), kept, `round ${round}, after ${ms} ms`);
  }
  const last = await runBackup(command);
  assert.deepEqual([last.code, last.stderr], [0, ""]);
  assert.deepEqual(await restored(directory, backup), await stateOfServer(server));
  assert.equal((await filesBelow(`${backup}/contents`)).length, round === 0 ? FILES : 2 * FILES);
  assert.equal((await filesBelow(`${backup}/snapshots`)).length, 1);
  assert.deepEqual(await filesBelow(`${backup}/tmp`), []);
  return { tried, acknowledged: round, failed: tried };
}

/** Kills restores at random moments. No server starts then, and the next restore is whole. */
export async function restoreKills({ count, seed, progress }: CampaignOptions): Promise<Outcome> {
  await using directory = await TempDir.make();
  const backup = `${directory.path}/backup`;
  const dataDir = `${directory.path}/restored`;
  const random = seededRandom(seed);
  await using server = await TestServer.start({ settings: { history: 0 } });
  for (const round of [0, 1]) await change(await server.as(1), round);
  assert.equal((await runBackup({ command: "backup", dataDir: server.dataDir, backup })).code, 0);
  const expected = await stateOfServer(server);
  const command = { command: "restore", dataDir, backup } as const;
  const begun = `${dataDir}/restoring`;
  const longest = await workTime(command, begun);
  for (let tried = 0; tried < count;) {
    await Deno.remove(dataDir, { recursive: true });
    const ms = longest * random(1000) / 1000;
    if (await killedIn(command, begun, ms)) tried++;
    progress?.(tried);
    if (await exists(begun)) {
      await assert.rejects(TestServer.start({ dataDir }), /run strongroom restore again/);
      const { findings } = await restore(dataDir, backup, () => {});
      assert.deepEqual(findings.listed, []);
    }
    assert.deepEqual(sorted(await stateOf(dataDir)), expected, `after ${ms} ms`);
  }
  return { tried: count, acknowledged: 0, failed: count };
}
