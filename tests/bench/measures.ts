/** Helpers shared by the benchmark cases. */

import type { ChildServer } from "../support/child_server.ts";
import type { Client, Reply } from "../support/client.ts";
import { run } from "../support/tools.ts";

export const MB = 1_000_000;
export const ROUNDS = 5;

/** A benchmark case. */
export interface Case {
  readonly name: string;
  /** Runs the case and returns the lines of its result. */
  measure(context: CaseContext): Promise<string[]>;
}

/** The environment of a case. */
export interface CaseContext {
  readonly directory: string;
  readonly server: ChildServer;
  readonly client: Client;
}

/** Measures how long `work` takes, in seconds. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
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
 * equally.
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
      const time = await seconds(work);
      // The first round warms up caches and memory.
      if (round > 0) (times[name] ??= []).push(time);
    }
    await between();
  }
  return times;
}

/** Formats the times, and those of the references as ratios to `own`. */
export function ratios(times: Record<string, number[]>, own: string): string[] {
  const ownTimes = times[own] ?? [];
  return Object.entries(times).map(([name, values]) =>
    name === own
      ? `${name}: ${spread(values)} s`
      : `${name}: ${spread(values)} s, ratio ${
        spread(values.map((it, at) => it / (ownTimes[at] ?? 1)))
      }`
  );
}

/**
 * Runs curl with the credential of a client.
 *
 * @throws {Error} when curl fails or the status is an error.
 */
export async function curl(client: Client, ...args: string[]): Promise<void> {
  const auth = `Authorization: Bearer ${client.token}`;
  const { code, stderr } = await run("curl", ["-sSgf", "-o", "/dev/null", "-H", auth, ...args]);
  if (code !== 0) throw new Error(stderr);
}

/** Writes a file of random bytes. */
export async function randomFile(path: string, size: number): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const chunk = new Uint8Array(65536);
  for (let written = 0; written < size; written += chunk.length) {
    await file.write(crypto.getRandomValues(chunk).subarray(0, size - written));
  }
}

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
