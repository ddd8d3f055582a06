import type { Context } from "hono";
import type { Log } from "../../core/log.ts";
import { failure, success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import type { FindFault } from "../serving/route.ts";

/** `GET /healthz`: the process answers (C 1). */
export function healthz(c: Context<AppEnvironment>): Response {
  return success(c, { healthy: true });
}

/** `GET /readyz`: the server can serve now (C 1). The reply names the failing part; the log, why. */
export async function readyz(
  c: Context<AppEnvironment>,
  findFault: FindFault,
  log: Log,
): Promise<Response> {
  const fault = await findFault();
  if (fault === undefined) return success(c, { ready: true });
  log.warn("Not ready", { part: fault.part, problem: fault.problem });
  return failure(c, { kind: "ErrUnavailable", message: `Server not ready: ${fault.part}` });
}
