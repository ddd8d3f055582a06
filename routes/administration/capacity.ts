import type { Context } from "hono";
import {
  type CapacityHistory as History,
  capacityOverview,
  type HostCapacity,
} from "../../core/capacity/mod.ts";
import { isoTime } from "../../core/entries.ts";
import type { CapacityHistory } from "../../schemas/capacity.ts";
import { compressed, success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";

/** `GET /capacity`: the load of the host, what it can carry, and the leases held (C 14). */
export function showCapacity(c: Context<AppEnvironment>, host: HostCapacity): Response {
  return success(c, capacityOverview(host));
}

/** `GET /capacity/history` (C 24). */
export async function showCapacityHistory(
  c: Context<AppEnvironment>,
  history: History,
): Promise<Response> {
  const readings = await history.readings();
  const reply: CapacityHistory = {
    interval_s: history.intervalMs / 1000,
    items: readings.map(({ at, readings, level, instances, waiting = null }) => ({
      time: isoTime(at),
      readings,
      level,
      running: instances.running,
      ceiling: instances.ceiling,
      waiting,
    })),
  };
  return compressed(c, reply);
}
