import type { Context } from "hono";
import type { AuditTrail } from "../../core/audit.ts";
import { listAudit } from "../../core/list_audit.ts";
import { numberFor } from "../../core/people/named.ts";
import type { PeopleStore } from "../../core/people/store.ts";
import type { AuditList } from "../../schemas/audit.ts";
import { PAGE } from "../../schemas/queries.ts";
import { callerOf } from "../serving/auth.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { integerOf, parseQuery, timeOf } from "../request/query.ts";

/** `GET /audit/`: newest first (C 22). */
export async function getAudit(
  c: Context<AppEnvironment>,
  trail: AuditTrail | undefined,
  people: PeopleStore,
): Promise<Response> {
  const query = parseQuery(c.req.url);
  const text = (name: string) => query.get(name)?.[0];
  const caller = callerOf(c);
  const number = async (what: "user" | "tree") => {
    const named = text(what);
    return named === undefined ? undefined : await numberFor(people, caller, { named, what });
  };
  const { lines, skipped, next = null } = await listAudit(trail, {
    caller,
    filter: {
      user: await number("user"),
      tree: await number("tree"),
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
