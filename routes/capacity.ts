import type { Context } from "hono";
import { capacityOverview, type HostCapacity } from "../core/capacity/mod.ts";
import { success } from "./envelope.ts";
import type { Environment } from "./environment.ts";

/** `GET /capacity`: how the host is, how much it carries and who has a lease (C 14). */
export function showCapacity(c: Context<Environment>, host: HostCapacity): Response {
  return success(c, capacityOverview(host));
}
