import type { Context } from "hono";
import { capacityOverview, type HostCapacity } from "../core/capacity/mod.ts";
import { success } from "./envelope.ts";
import type { AppEnvironment } from "./environment.ts";

/** `GET /capacity`: how the host is, how much it carries and who has a lease (C 14). */
export function showCapacity(c: Context<AppEnvironment>, host: HostCapacity): Response {
  return success(c, capacityOverview(host));
}
