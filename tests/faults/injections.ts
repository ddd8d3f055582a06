import * as assert from "node:assert/strict";
import type { ChildServer } from "../support/child_server.ts";
import { InjectedFault } from "../support/injected_fault.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";
import {
  type CampaignOptions,
  checkStarted,
  modeledClients,
  type Outcome,
  outcomeOf,
  startServer,
  withServerLog,
} from "./campaign.ts";
import type { ModeledClient } from "./modeled_client.ts";

export type InjectedError = "EIO" | "ENOSPC";

/** The system calls on files that can fail with each error. */
const CALLS: Readonly<Record<InjectedError, readonly string[]>> = {
  EIO: [
    "write",
    "pwrite64",
    "read",
    "pread64",
    "fsync",
    "fdatasync",
    "openat",
    "rename",
    "unlink",
    "rmdir",
    "mkdir",
    "ftruncate",
    "statx",
    "getdents64",
  ],
  ENOSPC: ["write", "pwrite64", "fsync", "fdatasync", "openat", "rename", "mkdir", "ftruncate"],
};
/** At most about so many calls of one kind are made by a thread. */
const MAX_NTH = 16;
const CLIENTS = 2;
const STEPS = 8;
/** Every so often, a fault persists from its first time on. */
const PERSISTENT_EVERY = 4;

/**
 * Makes the first, second, third … call of each kind fail in a server that clients use. Afterwards the
 * server must go on, if need be after a new start; and a start after a kill must find the same.
 */
export async function injections(
  error: InjectedError,
  { count, seed, progress }: CampaignOptions,
): Promise<Outcome> {
  await using directory = await TempDir.make();
  const dataDir = `${await Deno.realPath(directory.path)}/data`;
  const clients = modeledClients(CLIENTS, { seed });
  let tried = 0;
  let missed = 0;
  for (let round = 0; tried < count; round++) {
    const call = CALLS[error][round % CALLS[error].length] ?? "";
    // After the last one that happened, it begins anew.
    const nth = 1 + Math.floor(round / CALLS[error].length) % MAX_NTH;
    const persists = round % PERSISTENT_EVERY === PERSISTENT_EVERY - 1;
    await using server = await startServer(dataDir);
    await checkStarted(server, dataDir, clients);
    const fault = `${call}:error=${error}:when=${nth}${persists ? "+" : ""}`;
    const hit = await withServerLog(
      { what: fault, server },
      () => workUnder(server, { fault, dataDir, clients }),
    );
    missed = hit ? 0 : missed + 1;
    if (hit) {
      tried++;
      progress?.(tried);
    } else if (missed > 3 * CALLS[error].length) {
      throw new Error("No call of the server fails any more");
    }
  }
  await using server = await startServer(dataDir);
  await checkStarted(server, dataDir, clients);
  return outcomeOf(tried, clients);
}

/** Works while a call fails, and kills the server. Returns whether a call on its files has failed. */
async function workUnder(
  server: ChildServer,
  { fault, dataDir, clients }: {
    fault: string;
    dataDir: string;
    clients: readonly ModeledClient[];
  },
): Promise<boolean> {
  const injected = await InjectedFault.start(server.pid, undefined, fault);
  for (const client of clients) client.mayFail = true;
  await Promise.all(clients.map((client) => client.work((steps) => steps < STEPS)));
  const failed = await injected.end();
  for (const client of clients) client.mayFail = false;
  const hit = failed.some((line) => line.includes(dataDir));
  // It ends itself if the outcome of a change is unknown, and its supervisor starts it again.
  await until(() => serves(server));
  // A server whose writes fail cannot always log why.
  if (!fault.startsWith("write:")) assertDeathsExplained(server.log);
  // All that failed is over: the server serves what it acknowledged, and accepts changes again.
  for (const client of clients) {
    await client.settle();
    await client.mustSucceed();
  }
  await server.end("SIGKILL");
  return hit;
}

function assertDeathsExplained(log: string): void {
  const count = (text: string) => log.split(text).length - 1;
  const [deaths, reasons] = [count("The server died"), count("Cannot go on")];
  assert.ok(deaths <= reasons, `${deaths} deaths, ${reasons} reasons`);
}

async function serves({ origin }: ChildServer): Promise<boolean> {
  const reply = await fetch(`${origin}/healthz`).catch(() => undefined);
  await reply?.body?.cancel();
  return reply !== undefined;
}
