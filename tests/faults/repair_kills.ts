import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { check } from "../../storage/upkeep/check/check.ts";
import { filesBelow } from "../support/backups.ts";
import { runArguments } from "../support/program.ts";
import { signalTo } from "../support/processes.ts";
import { noise, seededRandom } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { blobFile, loseContent, overwriteContent } from "../support/stored_content.ts";
import { openDatabase } from "../support/test_database.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { until } from "../support/until.ts";
import type { CampaignOptions, Outcome } from "./campaign.ts";

/** The files of each kind of damage, half of them in the database. */
const FILES = 60;
const KINDS = ["sound", "damaged", "lost", "kept"] as const;

const REPAIR = ["check", "--repair", "--read-data"];

const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");

/**
 * Kills repairs at random moments. However often that happens, the next repair ends with the same result
 * as one that was never killed, and nothing that was stored is lost.
 */
export async function repairKills({ count, seed, progress }: CampaignOptions): Promise<Outcome> {
  await using directory = await TempDir.make();
  const prepared = `${directory.path}/prepared`;
  await prepare(prepared);
  const random = seededRandom(seed);
  const expected = `${directory.path}/expected`;
  await run("cp", ["-a", prepared, expected]);
  const longest = await timeOfRepair(expected);
  const [before, state] = [await everythingIn(prepared), await stateOf(expected)];
  let tried = 0;
  while (tried < count) {
    const dataDir = `${directory.path}/killed`;
    await run("cp", ["-a", prepared, dataDir]);
    // The later ones find what the former ones have left.
    for (let kill = 0; kill < 3 && tried < count; kill++) {
      if (await killedAfter(dataDir, random(1000) / 1000 * longest)) tried++;
      progress?.(tried);
    }
    await repair(dataDir);
    assert.deepEqual(await stateOf(dataDir), state);
    const after = new Set(await everythingIn(dataDir));
    assert.deepEqual(before.filter((it) => !after.has(it)), []);
    await Deno.remove(dataDir, { recursive: true });
  }
  return { tried, acknowledged: 0, failed: tried };
}

/** Makes a data directory that has every kind of damage that a repair moves content for. */
async function prepare(dataDir: string): Promise<void> {
  await using server = await TestServer.start({ dataDir });
  const one = await server.as(1);
  for (const [seed, kind] of KINDS.entries()) {
    const files: Record<string, Uint8Array<ArrayBuffer>> = {};
    for (let index = 0; index < FILES; index++) {
      const size = index % 2 === 0 ? 100 + index : 70_000 + index;
      files[`f${index}`] = noise(size, 1000 * seed + index);
    }
    assert.equal((await one.upload(kind, files)).status, 200);
    for (const content of Object.values(files)) await damage(dataDir, kind, content);
  }
  for (let index = 0; index < FILES; index++) {
    const path = blobFile(dataDir, md5(noise(50, 9000 + index)));
    await Deno.mkdir(path.slice(0, -33), { recursive: true });
    await Deno.writeFile(path, noise(50, 9000 + index));
  }
  await using database = await openDatabase(dataDir);
  await database.script("PRAGMA foreign_keys = OFF; DELETE FROM records WHERE path = 'sound'");
}

async function damage(
  dataDir: string,
  kind: typeof KINDS[number],
  content: Uint8Array,
): Promise<void> {
  const hash = md5(content);
  if (kind === "sound") return;
  if (kind === "damaged") {
    return await overwriteContent(dataDir, hash, content.map((byte) => byte ^ 1));
  }
  await loseContent(dataDir, hash);
  if (kind === "lost") return;
  const day = `${dataDir}/quarantine/2026-01-01`;
  await Deno.mkdir(day, { recursive: true });
  await Deno.writeFile(`${day}/${hash}`, content);
}

function startRepair(dataDir: string): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    // With the right to run programs, it would start another process, which SIGKILL would not reach.
    args: runArguments(REPAIR, ["--allow-all", "--deny-run"]),
    env: { STRONGROOM_DATA_DIR: dataDir },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
}

/** What a repair creates first. */
const hasBegun = (dataDir: string) => async () =>
  await Deno.lstat(`${dataDir}/damaged`).then(() => true, () => false);

/** Repairs, and returns how long that takes from its first change on, in milliseconds. */
async function timeOfRepair(dataDir: string): Promise<number> {
  const process = startRepair(dataDir);
  await until(hasBegun(dataDir));
  const started = performance.now();
  assert.equal((await process.status).code, 2);
  return performance.now() - started;
}

/** Kills a repair so long after its first change. Returns whether it had not ended. */
async function killedAfter(dataDir: string, ms: number): Promise<boolean> {
  const process = startRepair(dataDir);
  let ended = false;
  const ending = process.status.finally(() => ended = true);
  await until(async () => ended || await hasBegun(dataDir)());
  await Promise.race([ending, new Promise((resolve) => setTimeout(resolve, ms))]);
  signalTo(process, "SIGKILL");
  return (await ending).signal === "SIGKILL";
}

async function repair(dataDir: string): Promise<void> {
  await check(dataDir, { readData: true, repair: true, onProgress: () => {} });
}

/** What is left to find, and all records. */
async function stateOf(dataDir: string): Promise<unknown> {
  const { findings } = await check(dataDir, {
    readData: true,
    repair: false,
    onProgress: () => {},
  });
  await using database = await openDatabase(dataDir);
  return {
    findings: findings.listed.map(({ message }) => message).sort(),
    records: await database.all("SELECT user_id, path, hash, size FROM records ORDER BY path"),
  };
}

/** The digests of all bytes that are stored anywhere in a data directory. */
async function everythingIn(dataDir: string): Promise<string[]> {
  const digests: string[] = [];
  for (const name of ["blobs", "quarantine", "damaged"]) {
    for (const path of await filesBelow(`${dataDir}/${name}`)) {
      digests.push(md5(await Deno.readFile(path)));
    }
  }
  await using database = await openDatabase(dataDir);
  for (const { bytes } of await database.all("SELECT bytes FROM contents")) {
    if (bytes instanceof Uint8Array) digests.push(md5(bytes));
  }
  return digests;
}
