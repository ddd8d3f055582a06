import * as v from "valibot";
import { capacityOverview, getStats, type HostCapacity } from "../core/capacity/mod.ts";
import { mintCredential } from "../core/credentials.ts";
import { BASE_PATH } from "../routes/routes.ts";
import { CapacityOverview } from "../schemas/capacity.ts";
import type { Settings } from "../schemas/settings.ts";
import { readJwtSecret } from "../storage/jwt_secret.ts";
import { parseOptions } from "./arguments.ts";
import { overviewText } from "./capacity_text.ts";
import { authority, hostCapacity, loadSettings, printError } from "./environment.ts";
import { existingDirectory } from "./existing_directory.ts";
import { withSettingContext } from "./usage_error.ts";

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
  const stats = () => getStats(existingDirectory(dataDir));
  await withSettingContext(
    "STRONGROOM_DATA_DIR",
    dataDir,
    "a directory that can be created",
    stats,
  );
  const host: HostCapacity = { ...hostCapacity(dataDir, printError), stats };
  // On a terminal, each overview replaces the previous one.
  const clear = watch && !json && Deno.stdout.isTerminal() ? "\x1b[H\x1b[J" : "";
  for (;;) {
    const overview = await overviewOf(settings, host);
    const text = json
      ? JSON.stringify(overview, undefined, watch ? 0 : 2)
      : overviewText(overview, { bars: watch });
    console.log(clear + text.trimEnd());
    if (!watch) return 0;
    await new Promise((resolve) => setTimeout(resolve, WATCH_INTERVAL_MS));
  }
}

/** The overview of the running server with these settings, or else of this process. */
async function overviewOf(settings: Settings, host: HostCapacity): Promise<CapacityOverview> {
  const token = await ownCredential(settings);
  return token && await fetchOverview(`http://${authority(settings)}`, token) ||
    capacityOverview(host);
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
 * Fetches `GET /capacity` from the server at `origin`; undefined if nothing listens there.
 *
 * @throws {Error} when the reply is not that of a strongroom server.
 */
async function fetchOverview(origin: string, token: string): Promise<CapacityOverview | undefined> {
  const response = await connect(`${origin}${BASE_PATH}/capacity`, token);
  if (response === undefined) return undefined;
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
