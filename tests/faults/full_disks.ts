import * as assert from "node:assert/strict";
import { seededRandom } from "../support/random.ts";
import { type FileSystem, fillDisk, smallDisk, SMALLEST_MB } from "../support/small_disk.ts";
import { checkDataDirectory } from "../support/invariants.ts";
import { run } from "../support/tools.ts";
import { openDatabase } from "../support/test_database.ts";
import { until } from "../support/until.ts";
import {
  type CampaignOptions,
  checkStarted,
  modeledClients,
  type Outcome,
  outcomeOf,
  startServer,
} from "./campaign.ts";

const CLIENTS = 3;
const RESERVE_MB = 8;
const FOREIGN_FILE = "foreign";

/**
 * Fills a disk to its last byte while clients change their trees. On the full disk, deletions succeed,
 * and a server starts after a stop or a kill.
 */
export async function fullDisks(
  kind: FileSystem,
  { count, seed, progress }: CampaignOptions,
): Promise<Outcome> {
  await using disk = await smallDisk(SMALLEST_MB[kind], kind);
  assert.ok(disk, `${kind} cannot be mounted here`);
  // As docs/design/full_disk.md says. Otherwise each write needs space.
  if (kind === "btrfs") assert.equal((await run("chattr", ["+C", disk.path])).code, 0);
  const dataDir = `${disk.path}/data`;
  const random = seededRandom(seed);
  const clients = modeledClients(CLIENTS, { seed });
  const env = { STRONGROOM_DISK_RESERVE_MB: String(RESERVE_MB) };
  for (let filled = 1; filled <= count; filled++) {
    await using server = await startServer(dataDir, env);
    await untilGivenUp(dataDir);
    await checkStarted(server, dataDir, clients);
    await Deno.remove(`${disk.path}/${FOREIGN_FILE}`).catch(() => {});
    for (const client of clients) client.mayFail = true;
    let filling = true;
    const working = Promise.all(clients.map((client) => client.work(() => filling)));
    await new Promise((resolve) => setTimeout(resolve, random(300)));
    await fillDisk(disk, FOREIGN_FILE);
    filling = false;
    await working;
    await fillDisk(disk, FOREIGN_FILE);
    for (const client of clients) await client.mustRemove();
    await untilRemoved(dataDir);
    assert.equal(server.starts, 1, server.log);
    const signal = random(2) === 0 ? "SIGKILL" : "SIGTERM";
    assert.equal((await server.end(signal)).code, signal === "SIGKILL" ? 137 : 0);
    await fillDisk(disk, FOREIGN_FILE);
    progress?.(filled);
  }
  await using server = await startServer(dataDir, env);
  await untilGivenUp(dataDir);
  await checkStarted(server, dataDir, clients);
  return outcomeOf(count, clients);
}

/** Waits until a start on a full disk has given all history up: nothing may go while it is checked. */
async function untilGivenUp(dataDir: string): Promise<void> {
  {
    await using database = await openDatabase(dataDir);
    await until(async () => await database.get("SELECT 1 FROM former_states") === undefined);
  }
  await until(() => isSound(dataDir));
}

function isSound(dataDir: string): Promise<boolean> {
  return checkDataDirectory(dataDir).then(() => true, () => false);
}

/**
 * Waits until content without a record is removed, which is shortly after the replies: the next start has no
 * space for a quarantine of it. A full disk may refuse the removal, too.
 */
async function untilRemoved(dataDir: string): Promise<void> {
  for (let attempts = 0; attempts < 20; attempts++) {
    if (await isSound(dataDir)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
