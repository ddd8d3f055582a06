/** Many small requests at once. */

import { hasProgram, run } from "../support/tools.ts";
import { TempDir } from "../support/temp_dir.ts";
import { compareRates, type Comparison, fetchAll, median, ROUNDS } from "./measures.ts";

/** What a server is asked for. */
export interface SmallRequest {
  readonly url: string;
  /** @default none */
  readonly token?: string;
  /** Which part of the content is asked for. @default all */
  readonly range?: string;
}

interface Rates {
  readonly title: string;
  /** Requests of a round, if clients of the runtime send them. */
  readonly count: number;
  readonly clients: number;
}

interface Compared {
  readonly comparison: Comparison;
  readonly note: string;
}

/** What wrk measured in a round. */
interface Round {
  readonly perSecond: number;
  /** The 99th percentile of the times of requests, relative to the median. */
  readonly tail: number;
}

/** The time of a round of wrk. */
const ROUND_SECONDS = 1;

/** A script for wrk that puts content of 1 KB, each at a name that begins with the argument. */
const PUTS = `
local prefix, count = "", 0
function init(args) prefix = args[1] end
function request()
  count = count + 1
  local body = prefix .. count .. string.rep(" ", 1000)
  return wrk.format("PUT", wrk.path .. prefix .. count, nil, string.sub(body, 1, 1000))
end
`;

/** Compares how many GETs so many clients at once get replies to. */
export function compareGets(
  rates: Rates,
  gets: Readonly<Record<string, SmallRequest>>,
): Promise<Compared> {
  return compareRequests(rates, gets, {
    send: (get) => fetchAll(get.url, { headers: headersOf(get) }),
    round: (get, clients) => wrk(get, { clients }),
  });
}

/** Compares how many new files of 1 KB so many clients at once store, at names below the addresses. */
export async function comparePuts(
  rates: Rates,
  puts: Readonly<Record<string, SmallRequest>>,
): Promise<Compared> {
  await using directory = await TempDir.make();
  const script = `${directory.path}/puts.lua`;
  await Deno.writeTextFile(script, PUTS);
  let next = 0;
  return await compareRequests(rates, puts, {
    send: (put) => {
      const name = `${rates.clients}-${next++}`;
      const init = { method: "PUT", headers: headersOf(put), body: name.padEnd(1000) };
      return fetchAll(put.url + name, init);
    },
    round: (put, clients) => wrk(put, { clients, script: [script, `${clients}-${next++}-`] }),
  });
}

/**
 * Compares servers. `wrk` sends the requests if it is installed: it takes 20 to 40 µs of CPU time for a request,
 * on the same cores as the servers, and clients of the runtime 75 µs or more.
 */
async function compareRequests(
  { title, count, clients }: Rates,
  requests: Readonly<Record<string, SmallRequest>>,
  by: {
    readonly send: (request: SmallRequest) => Promise<unknown>;
    readonly round: (request: SmallRequest, clients: number) => Promise<Round>;
  },
): Promise<Compared> {
  const unit = "/s";
  if (!await hasProgram("sh", "-c", "command -v wrk")) {
    const sent = Object.entries(requests).map(([name, it]) => [name, () => by.send(it)] as const);
    const values = await compareRates({ count, clients }, Object.fromEntries(sent));
    return { comparison: { title, unit, values }, note: `${title}: by clients of the runtime` };
  }
  const rounds: Record<string, Round[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, request] of Object.entries(requests)) {
      const measured = await by.round(request, clients);
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

function headersOf({ token, range }: SmallRequest): Record<string, string> {
  return {
    ...token !== undefined && { Authorization: `Bearer ${token}` },
    ...range !== undefined && { Range: range },
  };
}

async function wrk(
  request: SmallRequest,
  { clients, script }: { readonly clients: number; readonly script?: readonly [string, string] },
): Promise<Round> {
  const headers = Object.entries(headersOf(request)).flatMap(([name, value]) => [
    "-H",
    `${name}: ${value}`,
  ]);
  const load = ["--threads=1", `--connections=${clients}`, `--duration=${ROUND_SECONDS}s`];
  const [path, argument] = script ?? [];
  const scripted = path === undefined ? [] : ["--script", path];
  const { code, stdout, stderr } = await run("wrk", [
    ...[...load, "--latency", ...headers, ...scripted, request.url],
    ...argument === undefined ? [] : ["--", argument],
  ]);
  if (code !== 0) throw new Error(`wrk ${request.url}: ${stderr}${stdout}`);
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
