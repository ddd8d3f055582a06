import type { Context } from "hono";
import type { AuditTrail } from "../../core/audit.ts";
import { listAudit } from "../../core/list_audit.ts";
import type { AuditList } from "../../schemas/audit.ts";
import { PAGE, USER_ID } from "../../schemas/queries.ts";
import { callerOf } from "../serving/auth.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { integerOf, parseQuery, timeOf } from "../request/query.ts";

/** `GET /audit/`: newest first (C 22). */
export async function getAudit(
  c: Context<AppEnvironment>,
  trail: AuditTrail | undefined,
): Promise<Response> {
  const query = parseQuery(c.req.url);
  const text = (name: string) => query.get(name)?.[0];
  const { lines, skipped, next = null } = await listAudit(trail, {
    caller: callerOf(c),
    filter: {
      user: integerOf(query, "user", USER_ID),
      tree: integerOf(query, "tree", USER_ID),
      action: text("action"),
      outcome: text("outcome"),
      path: text("path"),
      since: timeOf(query, "since"),
      until: timeOf(query, "until"),
    },
    limit: integerOf(query, "limit", PAGE.limit) ?? PAGE.limit.default,
    before: text("before"),
  });
  const page: AuditList = { items: [...lines], total: lines.length, skipped, next };
  return success(c, page);
}
