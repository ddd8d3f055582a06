import * as v from "valibot";
import { capacityOverview, getStats, type HostCapacity } from "../core/capacity/mod.ts";
import { mintCredential } from "../core/credentials.ts";
import { BASE_PATH } from "../schemas/base_path.ts";
import { CapacityOverview } from "../schemas/capacity.ts";
import type { Settings } from "../schemas/settings.ts";
import { readJwtSecret } from "../storage/disk/jwt_secret.ts";
import { parseOptions } from "./arguments.ts";
import { overviewText } from "./capacity_text.ts";
import { authority, loadSettings, protocolOf } from "./environment.ts";
import { hostCapacity } from "./host_capacity.ts";
import { written } from "./output.ts";
import { printError } from "./print_error.ts";
import { hasControls } from "./progress_bar.ts";
import { existingDirectory } from "./existing_directory.ts";

const WATCH_INTERVAL_MS = 1000;
const REQUEST_TIMEOUT_MS = 5000;

/** `strongroom capacity`: prints what the host can carry, and what the server runs. */
export async function run(args: string[]): Promise<number> {
  const { json, watch } = parseOptions(args, {
    json: { type: "boolean", default: false },
    watch: { type: "boolean", default: false },
  });
  const settings = loadSettings();
  const { dataDir } = settings;
  // Before a server ever ran, the directory does not exist.
  const directory = await existingDirectory(dataDir);
  const host: HostCapacity = {
    ...hostCapacity(dataDir, printError),
    stats: () => getStats(directory),
  };
  const origin = `${protocolOf(settings)}//${authority(settings)}`;
  // On a terminal, each overview replaces the previous one.
  const clears = watch && !json && Deno.stdout.isTerminal() && hasControls();
  for (;;) {
    const answer = await fetchOverview(origin, settings);
    const overview = answer ?? capacityOverview(host);
    const text = json
      ? JSON.stringify(
        { answered_by: answer === undefined ? null : origin, ...overview },
        undefined,
        watch ? 0 : 2,
      )
      : `${source(answer !== undefined, origin)}\n${overviewText(overview, { bars: watch })}`;
    if (clears) Deno.stdout.writeSync(CLEAR);
    if (!await written(`${text.trimEnd()}\n`) || !watch) return 0;
    await new Promise((resolve) => setTimeout(resolve, WATCH_INTERVAL_MS));
  }
}

/** Erases a terminal. */
const CLEAR = new TextEncoder().encode("\x1b[H\x1b[J");

/** Who answered. */
function source(isServer: boolean, origin: string): string {
  return isServer
    ? `Answer      of the server at ${origin}`
    : `Answer      of this command: it has no answer of a server at ${origin}`;
}

/** A credential for the server, or undefined if others hold the key or no secret exists yet. */
async function ownCredential(settings: Settings): Promise<string | undefined> {
  const { dataDir, jwtPublicKey, jwksUrl, jwtIssuer: issuer, jwtAudience: audience } = settings;
  if (jwtPublicKey !== undefined || jwksUrl !== undefined) return undefined;
  const secret = settings.jwtSecret ?? await readJwtSecret(dataDir);
  const privileges = ["capacity.view"];
  return secret &&
    await mintCredential({ secret, userId: 1, privileges, ttlSeconds: 60, issuer, audience });
}

const Reply = v.object({ data: CapacityOverview });
const Refusal = v.object({ msg: v.string() });

/**
 * Fetches `GET /capacity` from the server at `origin`. Undefined if nothing listens there, or if this
 * process can make no credential for it.
 *
 * @throws {Error} when the reply is not that of a strongroom server.
 */
async function fetchOverview(
  origin: string,
  settings: Settings,
): Promise<CapacityOverview | undefined> {
  const token = await ownCredential(settings);
  const response = token && await connect(`${origin}${BASE_PATH}/capacity`, token);
  if (!response) return undefined;
  const body: unknown = await response.json().catch(() => undefined);
  const reply = v.safeParse(Reply, body);
  if (response.ok && reply.success) return reply.output.data;
  const refusal = v.safeParse(Refusal, body);
  const why = refusal.success ? refusal.output.msg : `status ${response.status}`;
  throw new Error(`Cannot read the capacity of the server at ${origin}: ${why}`);
}

async function connect(url: string, token: string): Promise<Response | undefined> {
  try {
    const headers = { Authorization: `Bearer ${token}` };
    return await fetch(url, { headers, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  } catch (error) {
    // fetch throws a TypeError when it cannot connect.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
