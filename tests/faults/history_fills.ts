import * as assert from "node:assert/strict";
import { statfs } from "node:fs/promises";
import * as v from "valibot";
import { Usage } from "../../schemas/usage.ts";
import { dataOf } from "../support/client.ts";
import { noise, seededRandom } from "../support/random.ts";
import { checkDataDirectory } from "../support/invariants.ts";
import { smallDisk } from "../support/small_disk.ts";
import { type CampaignOptions, type Outcome, startServer } from "./campaign.ts";

const DISK_MB = 64;
const RESERVE_MB = 8;
const MB = 1_000_000;
/** How much of the history no upload takes the place of. */
const SPARE_MB = 2;
/** What the former contents of one file fill the disk with. */
const PART_MB = 2;
const ENV = { STRONGROOM_DISK_RESERVE_MB: String(RESERVE_MB), STRONGROOM_HISTORY: "30d" };

/** Fills a disk with history. Then an upload that needs its place gets it: none is refused before (C 26). */
export async function historyFills({ count, seed, progress }: CampaignOptions): Promise<Outcome> {
  await using disk = await smallDisk(DISK_MB, "tmpfs");
  assert.ok(disk, "tmpfs cannot be mounted here");
  const dataDir = `${disk.path}/data`;
  await using server = await startServer(dataDir, ENV);
  const client = await server.as(1);
  const random = seededRandom(seed);
  const freeMB = async () => {
    const { bavail, bsize } = await statfs(disk.path);
    return bavail * bsize / MB;
  };
  const historyMB = async () =>
    v.parse(Usage, dataOf(await client.send("GET", "/usage/"))).history_bytes / MB;
  let acknowledged = 0;
  const put = async (path: string, megabytes: number) => {
    const content = noise(Math.floor(megabytes * MB), ++acknowledged);
    const reply = await client.put(path, content);
    assert.ok(reply.status < 300, `${path} of ${megabytes} MB was refused: ${reply.text}`);
  };
  for (let filled = 1; filled <= count; filled++) {
    // With less than twice the reserve, it is given up by and by.
    while (await freeMB() > 2 * RESERVE_MB + PART_MB + SPARE_MB) await put("file", PART_MB);
    assert.ok(await historyMB() > PART_MB, "there is no history");
    // More than is free, and no more than there is with all history.
    const least = await freeMB() - RESERVE_MB;
    const most = least + await historyMB() - SPARE_MB;
    await put("large", least + random(1000) / 1000 * (most - least));
    const removed = await client.remove({ path: "large", purge: "true" });
    assert.equal(removed.status, 200, removed.text);
    if (filled % 20 === 0) await checkDataDirectory(dataDir);
    progress?.(filled);
  }
  return { tried: count, acknowledged, failed: 0 };
}
