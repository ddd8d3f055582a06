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
/** The longest time under load before a kill. */
const MAX_LOAD_MS = 800;

/** Kills servers at random moments while clients change their trees, in steps where they can. */
export async function kills({ count, seed, progress }: CampaignOptions): Promise<Outcome> {
  await using directory = await TempDir.make();
  await using program = await stepwiseProgram();
  const dataDir = `${directory.path}/data`;
  const start = () => startServer(dataDir, {}, program.path);
  const random = seededRandom(seed);
  const clients = modeledClients(CLIENTS, { seed });
  for (let killed = 0; killed < count; killed++) {
    await using server = await start();
    if (killed > 0) progress?.(killed);
    for (const client of clients) await client.connect(server.origin);
    if (killed > 0) await checkStarted(server, dataDir, clients);
    const working = Promise.all(clients.map((client) => client.work()));
    await new Promise((resolve) => setTimeout(resolve, random(MAX_LOAD_MS)));
    await server.end("SIGKILL");
    await working;
  }
  await using server = await start();
  await checkStarted(server, dataDir, clients);
  progress?.(count);
  return outcomeOf(count, clients);
}
