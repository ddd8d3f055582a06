/** What the cases of the benchmarks share. */

import type { ChildServer } from "../support/child_server.ts";
import type { Client } from "../support/client.ts";
import { run } from "../support/tools.ts";

export const MB = 1_000_000;
export const ROUNDS = 5;
export interface Case {
  readonly name: string;
  /** Returns the lines of its result. */
  measure(bench: Bench): Promise<string[]>;
}

/** What a case works with. */
export interface Bench {
  readonly directory: string;
  readonly server: ChildServer;
  readonly client: Client;
}

/** Seconds that something takes. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export function spread(values: readonly number[], digits = 2): string {
  const shown = (value: number) => value.toFixed(digits);
  return `${shown(median(values))} (${shown(Math.min(...values))}…${shown(Math.max(...values))})`;
}

/** Runs each of the works in turn, several times, so that the machine's moods meet all of them. */
export async function compare(
  works: Readonly<Record<string, () => Promise<unknown>>>,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, work] of Object.entries(works)) {
      const time = await seconds(work);
      // The first round warms up: caches, and memory that was never touched before.
      if (round > 0) (times[name] ??= []).push(time);
    }
    await between();
  }
  return times;
}

export function ratios(times: Record<string, number[]>, ours: string): string[] {
  const own = times[ours] ?? [];
  return Object.entries(times).map(([name, values]) =>
    name === ours
      ? `${name}: ${spread(values)} s`
      : `${name}: ${spread(values)} s, its time to ours ${
        spread(values.map((it, at) => it / (own[at] ?? 1)))
      }`
  );
}

export async function curl(client: Client, ...args: string[]): Promise<void> {
  const auth = `Authorization: Bearer ${client.token}`;
  const { code, stderr } = await run("curl", ["-sSgf", "-o", "/dev/null", "-H", auth, ...args]);
  if (code !== 0) throw new Error(stderr);
}

/** Random content, written in pieces. */
export async function randomFile(path: string, size: number): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const piece = new Uint8Array(65536);
  for (let written = 0; written < size; written += piece.length) {
    await file.write(crypto.getRandomValues(piece).subarray(0, size - written));
  }
}

/** The most memory that a process had resident so far. */
export async function peakMemory(pid: number): Promise<string> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const kib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
  return `peak memory ${Math.round(kib * 1024 / MB)} MB`;
}
