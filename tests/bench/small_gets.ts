/** Many GETs of small replies at once. */

import { hasProgram, run } from "../support/tools.ts";
import { compareRates, type Comparison, fetchAll, median, ROUNDS } from "./measures.ts";

/** What a server is asked for. */
export interface Get {
  readonly url: string;
  /** @default none */
  readonly token?: string;
}

interface Rates {
  readonly title: string;
  /** Requests of a round, if clients of the runtime send them. */
  readonly count: number;
  readonly clients: number;
}

/** What wrk measured in a round. */
interface Round {
  readonly perSecond: number;
  /** The 99th percentile of the times of requests, relative to the median. */
  readonly tail: number;
}

/** The time of a round of wrk. */
const ROUND_SECONDS = 1;

/**
 * Compares how many GETs so many clients at once get replies to. `wrk` sends them if it is installed: it takes
 * 20 to 40 µs of CPU time for a request, on the same cores as the servers, and clients of the runtime 75 µs or
 * more.
 */
export async function compareGets(
  { title, count, clients }: Rates,
  gets: Readonly<Record<string, Get>>,
): Promise<{ readonly comparison: Comparison; readonly note: string }> {
  const unit = "/s";
  if (!await hasProgram("sh", "-c", "command -v wrk")) {
    const requests = Object.entries(gets).map(([name, { url, token }]) =>
      [name, () => fetchAll(url, { headers: headersOf(token) })] as const
    );
    const values = await compareRates({ count, clients }, Object.fromEntries(requests));
    return { comparison: { title, unit, values }, note: `${title}: by clients of the runtime` };
  }
  const rounds: Record<string, Round[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, get] of Object.entries(gets)) {
      const measured = await wrk(get, clients);
      // The first round warms up caches and memory.
      if (round > 0) (rounds[name] ??= []).push(measured);
    }
  }
  const values = Object.fromEntries(
    Object.entries(rounds).map(([name, of]) => [name, of.map(({ perSecond }) => perSecond)]),
  );
  const tail = median(Object.values(rounds)[0]?.map(({ tail }) => tail) ?? []);
  return {
    comparison: { title, unit, values },
    note: `${title}: by wrk; p99 ${tail.toFixed(1)} times p50`,
  };
}

function headersOf(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

async function wrk({ url, token }: Get, clients: number): Promise<Round> {
  const headers = Object.entries(headersOf(token)).flatMap(([name, value]) => [
    "-H",
    `${name}: ${value}`,
  ]);
  const load = ["--threads=1", `--connections=${clients}`, `--duration=${ROUND_SECONDS}s`];
  const { code, stdout, stderr } = await run("wrk", [...load, "--latency", ...headers, url]);
  if (code !== 0) throw new Error(`wrk ${url}: ${stderr}${stdout}`);
  return parseRound(stdout);
}

/**
 * Reads what wrk prints.
 *
 * @throws {Error} when a request failed.
 */
export function parseRound(text: string): Round {
  const [, perSecond] = /Requests\/sec: +([\d.]+)/.exec(text) ?? [];
  if (perSecond === undefined || /Non-2xx|Socket errors/.test(text)) throw new Error(text);
  return { perSecond: Number(perSecond), tail: timeOf(text, "99%") / timeOf(text, "50%") };
}

/** A percentile, in seconds. */
function timeOf(text: string, percentile: string): number {
  const units: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, m: 60 };
  const [, value, unit = ""] = new RegExp(`${percentile} +([\\d.]+)([a-z]+)`).exec(text) ?? [];
  return Number(value) * (units[unit] ?? Number.NaN);
}
