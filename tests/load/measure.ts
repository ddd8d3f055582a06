import { mintCredential } from "../../core/credentials.ts";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { Client } from "../support/client.ts";
import type { ChildServer } from "../support/child_server.ts";
import { USER_PRIVILEGES } from "../support/server.ts";
import { RemoteWorker } from "../../storage/threads/rpc.ts";
import { type Attack, delay } from "./attack.ts";
import type { AttackThread } from "./attack_worker.ts";
import { ATTACKS } from "./attacks.ts";
import { Others, type Sample } from "./others.ts";

const PRIVILEGES = [...USER_PRIVILEGES, "scans.view", "scans.run"];
const SECRET = "the secret of a server that is attacked";

/** The settings of a server to {@link measure}. */
export const ATTACKED_SERVER = { STRONGROOM_METRICS: "open", STRONGROOM_JWT_SECRET: SECRET };

/** How many requests and connections the others and this program have at most. */
const MAX_OF_OTHERS = 6;
/** How many files a process needs for itself. */
const RESERVED_FILES = 500;
/** How long to wait for a server to recover. */
const MAX_RECOVERY_MS = 60_000;
/** Others whose requests take less are not held up. */
export const MAX_HELD_UP_MS = 250;

export interface MeasureOptions {
  /** Whether the attack is a small one, for tests. */
  readonly small: boolean;
  /** How long others are measured before, in milliseconds. */
  readonly quietMs: number;
  /** Resolves when the attack has lasted long enough. */
  readonly attacked: (others: Others) => Promise<void>;
}

/** What others and the server had of an attack. */
export interface Result {
  readonly quiet: readonly Sample[];
  readonly attacked: readonly Sample[];
  /** The peak of the server's resident memory during the attack, in bytes. */
  readonly peakBytes: number;
  /** How long after its end others were held up, or the server held something of it. */
  readonly recoverySeconds: number;
  /** How many replies the attacker has read, by status. */
  readonly replies: ReadonlyMap<number, number>;
}

/** Measures others before, during and after an attack. */
export async function measure(
  server: ChildServer,
  attack: Attack,
  { small, quietMs, attacked }: MeasureOptions,
): Promise<Result> {
  // Each attack has users of its own.
  const userId = 2 * ATTACKS.indexOf(attack) + 1;
  const attacker = await client(server, userId);
  const other = await client(server, userId + 1);
  await Others.prepare(other);
  await attack.prepare?.(attacker, small);
  await using others = new Others(other, attack.others);
  const began = performance.now();
  await delay(quietMs);
  await Deno.writeTextFile(`/proc/${server.pid}/clear_refs`, "5");
  const attackBegan = performance.now();
  const idle = await connections(server.pid);
  using thread = new RemoteWorker<AttackThread>(new URL("attack_worker.ts", import.meta.url), {
    env: "inherit",
    net: "inherit",
    read: "inherit",
    sys: "inherit",
  });
  const { url, token } = attacker;
  const attacking = thread.remote.run(attack.name, {
    url,
    token,
    small,
    maxConnections: maxConnections(),
  });
  await attacked(others);
  const peakBytes = await peakMemory(server.pid);
  const ended = performance.now();
  await thread.remote.end();
  const replies = await attacking;
  // Closes the connections that its client keeps.
  thread[Symbol.dispose]();
  const released = await release(server, idle);
  // What still waits has been held up, too.
  await others[Symbol.asyncDispose]();
  const quiet = others.between(began, attackBegan);
  const undisturbedMs = Math.max(MAX_HELD_UP_MS, 2 * (percentile(quiet, 99) || 0));
  const last = others.samples.filter((it) => it.milliseconds > undisturbedMs || !it.succeeded)
    .reduce((last, it) => Math.max(last, it.began + it.milliseconds), released);
  return {
    quiet,
    attacked: others.between(attackBegan, ended),
    peakBytes,
    recoverySeconds: (last - ended) / 1000,
    replies,
  };
}

async function client({ origin }: ChildServer, userId: number): Promise<Client> {
  const ttlSeconds = 3600;
  const token = await mintCredential({
    secret: SECRET,
    userId,
    privileges: PRIVILEGES,
    ttlSeconds,
  });
  return new Client(origin + BASE_PATH, token);
}

/** The time that a percentage of requests took at most, in milliseconds. */
export function percentile(samples: readonly Sample[], percent: number): number {
  const sorted = samples.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * percent / 100))] ?? NaN;
}

/** Waits until the server holds nothing of the attack. Returns when that was. */
async function release(server: ChildServer, idle: number): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < MAX_RECOVERY_MS) {
    if (
      await inFlight(server) <= MAX_OF_OTHERS &&
      await connections(server.pid) <= idle + MAX_OF_OTHERS
    ) {
      const released = performance.now();
      await delay(1000);
      return released;
    }
    await delay(100);
  }
  return performance.now();
}

/** How many requests a server serves, with the one that asks. */
export async function inFlight({ origin }: ChildServer): Promise<number> {
  const text = await metrics(origin);
  return Number(/^strongroom_http_requests_in_flight (\d+)$/m.exec(text)?.[1]);
}

/** The metrics of a server. Waits until it has time for them. */
async function metrics(origin: string): Promise<string> {
  for (;;) {
    try {
      return await (await fetch(`${origin}/metrics`)).text();
    } catch {
      // It accepts no connections yet.
      await delay(100);
    }
  }
}

/** How many connections this process, and a server that it starts, may have open. */
function maxConnections(): number {
  const limits = Deno.readTextFileSync("/proc/self/limits");
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity) - RESERVED_FILES;
}

/** How many sockets a process has. */
async function connections(pid: number): Promise<number> {
  let count = 0;
  for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
    try {
      if ((await Deno.readLink(`/proc/${pid}/fd/${name}`)).startsWith("socket:")) count++;
    } catch (error) {
      // It was closed meanwhile.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return count;
}

/** The peak of the resident memory since the file `clear_refs` was written. */
async function peakMemory(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024;
}
