/** What the kinds of faults share: their servers, clients and results. */

import { ChildServer } from "../support/child_server.ts";
import { checkDataDirectory } from "../support/invariants.ts";
import { ModeledClient, type ModeledClientOptions, SECRET } from "./modeled_client.ts";

/** What became of the faults of one kind. */
export interface Outcome {
  /** Faults that happened. After each one, everything was checked. */
  readonly tried: number;
  /** Changes that the server acknowledged before or during the faults. */
  readonly acknowledged: number;
  /** Requests refused with a 500 response, or without any response. */
  readonly failed: number;
  /** The longest time until all servers served again after an engine had come back. */
  readonly backMs?: number;
}

export interface CampaignOptions {
  readonly count: number;
  readonly seed: number;
  /** Called after each fault. */
  readonly progress?: (tried: number) => void;
}

/** How many errors of a server are printed with a violation. */
const LOGGED_ERRORS = 5;

/**
 * Starts the server as users do.
 *
 * @param root The directory of the program. @default this one
 */
export function startServer(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  root?: string,
): Promise<ChildServer> {
  return ChildServer.start({
    dataDir,
    env: { STRONGROOM_JWT_SECRET: SECRET, ...env },
    ...(root !== undefined && { root }),
  });
}

export function modeledClients(
  count: number,
  options: Omit<ModeledClientOptions, "user">,
): ModeledClient[] {
  return Array.from(
    { length: count },
    (_, index) => new ModeledClient({ ...options, user: index + 1 }),
  );
}

/** Connects the clients to a server that has just started, and checks all that it holds. */
export async function checkStarted(
  server: ChildServer,
  dataDir: string,
  clients: readonly ModeledClient[],
): Promise<void> {
  await checkDataDirectory(dataDir);
  for (const client of clients) {
    await client.connect(server.origin);
    await client.settle();
  }
}

/** Does some work with a server. If it throws, the error names what was done and the server's last errors. */
export async function withServerLog<T>(
  { what, server }: { what: string; server: ChildServer },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const errors = server.log.split("\n").filter((line) => line.includes('"level":"error"'));
    const last = errors.slice(-LOGGED_ERRORS).join("\n");
    throw new Error(`${what}; the last errors of the server:\n${last}`, { cause });
  }
}

export function outcomeOf(tried: number, clients: readonly ModeledClient[]): Outcome {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, it) => total + it, 0);
  return {
    tried,
    acknowledged: sum(clients.map(({ counts }) => counts.acknowledged)),
    failed: sum(clients.map(({ counts }) => counts.failed + counts.unanswered)),
  };
}
