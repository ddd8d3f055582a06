import type { Context } from "hono";
import { capacityOverview, type HostCapacity } from "../../core/capacity/mod.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";

/** `GET /capacity`: the load of the host, what it can carry, and the leases held (C 14). */
export function showCapacity(c: Context<AppEnvironment>, host: HostCapacity): Response {
  return success(c, capacityOverview(host));
}
