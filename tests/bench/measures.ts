/** Helpers shared by the benchmark cases. */

import { type ChildServer, ROOT } from "../support/child_server.ts";
import type { Client, Reply } from "../support/client.ts";
import { run } from "../support/tools.ts";
import type { Peer } from "./peers.ts";

export const MB = 1_000_000;

/** `--short` tries the cases: one round, and a tenth of the sizes and numbers that are in their names. */
export const SHORT = Deno.args.includes("--short");
export const ROUNDS = SHORT ? 1 : 5;
export const scaled = (value: number): number => SHORT ? Math.ceil(value / 10) : value;

/** Programs at the same work. The first one is compared with the others. */
export interface Comparison {
  readonly title: string;
  /** Seconds are better when small, and rates when large. */
  readonly unit: "s" | "/s";
  /** What each program reached in each round. */
  readonly values: Readonly<Record<string, readonly number[]>>;
}

/** The result of a case. */
export interface Result {
  readonly comparisons: readonly Comparison[];
  readonly notes: readonly string[];
}

/** A benchmark case. */
export interface Case {
  readonly name: string;
  measure(context: CaseContext): Promise<Result>;
}

/** The environment of a case. */
export interface CaseContext {
  readonly directory: string;
  readonly server: ChildServer;
  readonly client: Client;
  /** Other servers, of those that are installed. */
  readonly peers: readonly Peer[];
}

/** Measures how long `work` takes, in seconds. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/**
 * Runs a program in the root of the checkout. Returns how long it took, and the CPU time of it and its
 * processes, in seconds.
 *
 * @throws {Error} when it fails. A scan with findings (1) or files that cannot be read (2) is not a failure.
 */
export async function processSeconds(
  program: string,
  args: readonly string[],
): Promise<{ readonly wall: number; readonly cpu: number }> {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@" > /dev/null';
  const { code, stderr } = await run("bash", ["-c", script, "bash", program, ...args], {
    cwd: ROOT,
  });
  const [, wall, user, system] = /^([\d.]+) ([\d.]+) ([\d.]+)$/m.exec(stderr) ?? [];
  if (code > 2 || wall === undefined) throw new Error(stderr);
  return { wall: Number(wall), cpu: Number(user) + Number(system) };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Formats values as `median (min…max)`. */
export function spread(values: readonly number[], digits = 2): string {
  const shown = (value: number) => value.toFixed(digits);
  return `${shown(median(values))} (${shown(Math.min(...values))}…${shown(Math.max(...values))})`;
}

/**
 * Times several works in turn, for several rounds, so that variations of the machine affect all of them
 * equally. Each begins when the system has written to the disk what the one before has left to it.
 *
 * @param between Runs after each round, untimed.
 */
export async function compare(
  works: Readonly<Record<string, () => Promise<unknown>>>,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, work] of Object.entries(works)) {
      await run("sync", []);
      const time = await seconds(work);
      // The first round warms up caches and memory.
      if (round > 0) (times[name] ??= []).push(time);
    }
    await between();
  }
  return times;
}

/** After this time, the clients of {@link compareRates} send no more requests: some servers take 40 ms each. */
const MAX_ROUND_SECONDS = 1;

/**
 * Like {@link compare}, for `count` requests by so many clients at once, or fewer if a server is slow.
 * Returns requests per second.
 */
export async function compareRates(
  { count, clients }: { readonly count: number; readonly clients: number },
  requests: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<Record<string, number[]>> {
  const rates: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, request] of Object.entries(requests)) {
      const end = performance.now() + MAX_ROUND_SECONDS * 1000;
      let sent = 0;
      const send = async () => {
        while (sent < count && performance.now() < end) {
          sent++;
          await request();
        }
      };
      const time = await seconds(() => Promise.all(Array.from({ length: clients }, send)));
      // The first round warms up caches and memory.
      if (round > 0) (rates[name] ??= []).push(sent / time);
    }
  }
  return rates;
}

/** How many times as fast the first program of a comparison is as another one, in each round. */
export function speedups({ unit, values }: Comparison, other: string): number[] {
  const [own = []] = Object.values(values);
  return own.map((value, round) => {
    const reference = values[other]?.[round] ?? Number.NaN;
    return unit === "s" ? reference / value : value / reference;
  });
}

/** A comparison as lines of text. */
export function comparisonLines(comparison: Comparison): string[] {
  const { title, unit, values } = comparison;
  const digits = unit === "s" ? 2 : 0;
  const lines = Object.entries(values).map(([name, of], index) => {
    const ratio = index === 0 ? "" : `, ratio ${spread(speedups(comparison, name))}`;
    return `  ${name}: ${spread(of, digits)} ${unit}${ratio}`;
  });
  return [`${title}:`, ...lines];
}

/**
 * Runs curl with the credential of a client.
 *
 * @throws {Error} when curl fails or the status is an error.
 */
export async function curl(client: Client, ...args: string[]): Promise<void> {
  await plainCurl("-H", `Authorization: Bearer ${client.token}`, ...args);
}

/**
 * Runs curl.
 *
 * @throws {Error} when curl fails or the status is an error.
 */
export async function plainCurl(...args: string[]): Promise<void> {
  const { code, stderr } = await run("curl", ["-sSgf", "-o", "/dev/null", ...args]);
  if (code !== 0) throw new Error(`curl ${args.join(" ")}: ${stderr}`);
}

/** Writes a file of random bytes. */
export async function randomFile(path: string, size: number): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const chunk = new Uint8Array(65536);
  for (let written = 0; written < size; written += chunk.length) {
    await file.write(crypto.getRandomValues(chunk).subarray(0, size - written));
  }
}

/** The CPU time that a process has taken, in seconds. */
export async function cpuSeconds(pid: number): Promise<number> {
  const [user = 0, system = 0] = await ticksOf(pid);
  return (user + system) / TICKS;
}

/** The CPU time that those children of a process have taken that have ended, in seconds. */
export async function endedCpuSeconds(pid: number): Promise<number> {
  const [, , user = 0, system = 0] = await ticksOf(pid);
  return (user + system) / TICKS;
}

async function ticksOf(pid: number): Promise<number[]> {
  const text = await Deno.readTextFile(`/proc/${pid}/stat`);
  // The name of the program, which may have blanks, ends with the last parenthesis.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).map(Number);
}

/** Linux counts in these parts of a second (USER_HZ). */
const TICKS = 100;

/** The peak resident memory of a process. */
export async function peakMemory(pid: number): Promise<string> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const kib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
  return `peak memory ${Math.round(kib * 1024 / MB)} MB`;
}

/**
 * Waits for a reply.
 *
 * @throws {Error} when the status is not 200.
 */
export async function expectOk(reply: Promise<Reply>): Promise<Reply> {
  const { status, text } = await reply;
  if (status !== 200) throw new Error(text);
  return reply;
}

/**
 * Sends a request and reads the reply.
 *
 * @throws {Error} when the status is an error.
 */
export async function fetchAll(url: string, init?: RequestInit): Promise<Uint8Array<ArrayBuffer>> {
  const reply = await fetch(url, init);
  const bytes = await reply.bytes();
  if (!reply.ok) throw new Error(`${url}: ${reply.status}`);
  return bytes;
}
