import * as v from "valibot";
import { CapacityOverview } from "../schemas/capacity.ts";
import { BASE_PATH } from "../routes/app.ts";

const Reply = v.object({ data: CapacityOverview });
const Refusal = v.object({ msg: v.string() });
const PATIENCE_MS = 5000;

/**
 * Asks the server at an origin for its `GET /capacity`.
 *
 * @param token A credential with `capacity.view`.
 * @returns undefined where nobody listens there.
 * @throws {Error} where whoever listens does not answer as a server of ours does.
 */
export async function askCapacity(
  origin: string,
  token: string,
): Promise<CapacityOverview | undefined> {
  const response = await reach(`${origin}${BASE_PATH}/capacity`, token);
  if (response === undefined) return undefined;
  const body: unknown = await response.json().catch(() => undefined);
  const reply = v.safeParse(Reply, body);
  if (response.ok && reply.success) return reply.output.data;
  const refusal = v.safeParse(Refusal, body);
  const why = refusal.success ? refusal.output.msg : `it answered ${response.status}`;
  throw new Error(`The server at ${origin} does not tell its capacity: ${why}`);
}

async function reach(url: string, token: string): Promise<Response | undefined> {
  try {
    const headers = { Authorization: `Bearer ${token}` };
    return await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (error) {
    // What fetch throws where no connection comes about.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
