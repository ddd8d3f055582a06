import { seededRandom } from "../support/random.ts";
import { TempDir } from "../support/temp_dir.ts";
import {
  type CampaignOptions,
  checkStarted,
  modeledClients,
  type Outcome,
  outcomeOf,
  startServer,
} from "./campaign.ts";
import { stepwiseProgram } from "./stepwise_program.ts";

const CLIENTS = 4;
/** So little time that each start gives up most of what the one before has kept. */
export const HISTORY = { STRONGROOM_HISTORY: "20s" };
/** The most requests of all clients before a kill, and the longest time from then on. */
const MAX_STEPS = 60;
const MAX_WAIT_MS = 50;

/** Kills servers at random moments while clients change their trees, in steps where they can. */
export function kills(options: CampaignOptions): Promise<Outcome> {
  return killServers(options, false);
}

/** {@link kills} while trees keep their past, give it up and purge it (C 26): every version that is kept is whole. */
export function killsWithHistory(options: CampaignOptions): Promise<Outcome> {
  return killServers(options, true);
}

async function killServers(
  { count, seed, progress }: CampaignOptions,
  keepsHistory: boolean,
): Promise<Outcome> {
  await using directory = await TempDir.make();
  await using program = await stepwiseProgram();
  const dataDir = `${directory.path}/data`;
  const start = () => startServer(dataDir, keepsHistory ? HISTORY : {}, program.path);
  const random = seededRandom(seed);
  const clients = modeledClients(CLIENTS, { seed, keepsHistory });
  for (let killed = 0; killed < count; killed++) {
    await using server = await start();
    if (killed > 0) progress?.(killed);
    for (const client of clients) await client.connect(server.origin);
    if (killed > 0) await checkStarted(server, dataDir, clients);
    // However slow the host is, clients have done something by then.
    const reached = Promise.withResolvers<void>();
    let left = random(MAX_STEPS);
    const goesOn = () => {
      if (--left <= 0) reached.resolve();
      return true;
    };
    const working = Promise.all(clients.map((client) => client.work(goesOn)));
    await Promise.race([reached.promise, working]);
    await new Promise((resolve) => setTimeout(resolve, random(MAX_WAIT_MS)));
    await server.end("SIGKILL");
    await working;
  }
  await using server = await start();
  await checkStarted(server, dataDir, clients);
  progress?.(count);
  return outcomeOf(count, clients);
}
