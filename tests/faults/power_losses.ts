import * as assert from "node:assert/strict";
import { BlockLog } from "../support/block_log.ts";
import { type Random, seededRandom } from "../support/random.ts";
import {
  type ImageFileSystem,
  makeFileSystem,
  mountImage,
  SMALLEST_MB,
} from "../support/small_disk.ts";
import { checkDataDirectory } from "../support/invariants.ts";
import { TempDir } from "../support/temp_dir.ts";
import {
  type CampaignOptions,
  modeledClients,
  type Outcome,
  outcomeOf,
  startServer,
} from "./campaign.ts";
import { ModeledClient } from "./modeled_client.ts";
import { stepwiseProgram } from "./stepwise_program.ts";

const CLIENTS = 3;
const STEPS = 40;
const SPARE_MB = 128;
/** The user of a client that tries whether the server accepts changes. */
const LAST_USER = 9;

/** The block log of a server under load, and what its clients know. */
interface Recording {
  readonly log: BlockLog;
  /** The directory of the program. */
  readonly program: string;
  /** The settings of the server. */
  readonly env: Readonly<Record<string, string>>;
  readonly clients: readonly ModeledClient[];
  /** The position of the log when the load began. */
  readonly begin: number;
}

/**
 * Cuts the power of a disk at random moments: logs all writes to it while clients change their trees, in
 * steps where they can, and starts a server on what the disk may hold at such a moment.
 */
export async function powerLosses(
  kind: ImageFileSystem,
  { count, seed, progress }: CampaignOptions,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  await using directory = await TempDir.make();
  await using program = await stepwiseProgram();
  const image = `${directory.path}/logged`;
  const recording = await record(kind, { seed, image, program: program.path, env });
  assert.ok(recording, `${kind} cannot be mounted here`);
  const { log, begin, clients } = recording;
  const random = seededRandom(seed);
  for (let lost = 1; lost <= count; lost++) {
    const position = begin + random(log.position - begin);
    await checkCut(recording, { image: `${directory.path}/cut`, position, random });
    progress?.(lost);
  }
  return outcomeOf(count, clients);
}

/** Whether {@link powerLosses} works here. */
export async function canLosePower(kind: ImageFileSystem): Promise<boolean> {
  await using directory = await TempDir.make();
  const log = new BlockLog(SMALLEST_MB[kind] * 2 ** 20);
  const image = `${directory.path}/image`;
  await using served = await log.serve(image);
  if (served === undefined || !await makeFileSystem(image, kind)) return false;
  await using disk = await mountImage(image);
  return disk !== undefined;
}

async function record(
  kind: ImageFileSystem,
  { seed, image, program, env }: Pick<Recording, "program" | "env"> & {
    readonly seed: number;
    readonly image: string;
  },
): Promise<Recording | undefined> {
  const log = new BlockLog((SMALLEST_MB[kind] + SPARE_MB) * 2 ** 20);
  await using served = await log.serve(image);
  if (served === undefined || !await makeFileSystem(image, kind)) return undefined;
  await using disk = await mountImage(image);
  if (disk === undefined) return undefined;
  const keepsHistory = env.STRONGROOM_HISTORY !== undefined;
  const clients = modeledClients(CLIENTS, { seed, clock: () => log.position, keepsHistory });
  await using server = await startServer(`${disk.path}/data`, env, program);
  for (const client of clients) await client.connect(server.origin);
  const begin = log.position;
  await Promise.all(clients.map((client) => client.work((steps) => steps < STEPS)));
  return { log, program, env, clients, begin };
}

/** Starts a server on the disk as it may be after a power loss, and checks what it holds. */
async function checkCut(
  { log, program, env, clients }: Recording,
  { image, position, random }: { image: string; position: number; random: Random },
): Promise<void> {
  await log.writeImage(image, position, random);
  await using disk = await mountImage(image);
  assert.ok(disk, "the file system cannot be mounted after the power loss");
  const dataDir = `${disk.path}/data`;
  await using server = await startServer(dataDir, env, program);
  await checkDataDirectory(dataDir);
  for (const client of clients) {
    await client.connect(server.origin);
    await client.check(position);
  }
  const last = new ModeledClient({ user: LAST_USER, seed: position });
  await last.connect(server.origin);
  await last.mustSucceed();
}
