import type { Context } from "hono";
import { addWaiver, listWaivers, removeWaiver, type WaiverService } from "../../core/waivers.ts";
import type { AuditDetails } from "../../core/audit.ts";
import { type WaiverEntry, WaiverRequest } from "../../schemas/verdicts.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { jsonBody } from "../request/body.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { idOf, pageOf, parseQuery } from "../request/query.ts";
import { waiverOf } from "../reply/verdicts.ts";

type Handled = Context<AppEnvironment>;

/** `POST /waivers/` (C 18). */
export async function postWaiver(c: Handled, waivers: WaiverService): Promise<Response> {
  const { sha256, reason, expires_at } = await jsonBody(c.req.raw, WaiverRequest);
  auditChange(c, { paths: [], details: { sha256, reason } });
  const request = { caller: callerOf(c), sha256, reason, expiresAt: expires_at };
  const entry = waiverOf(await addWaiver(waivers, request));
  auditChange(c, { paths: [], details: detailsOf(entry) });
  return success(c, entry);
}

/** `GET /waivers/`: newest first (C 18). */
export async function getWaivers(c: Handled, waivers: WaiverService): Promise<Response> {
  const page = pageOf(parseQuery(c.req.url));
  const found = await listWaivers(waivers, page);
  return success(c, { items: found.map(waiverOf), total: found.length });
}

/** `DELETE /waivers/{id}` (C 18). */
export async function deleteWaiver(c: Handled, waivers: WaiverService): Promise<Response> {
  const id = idOf(c.req.param("id") ?? "");
  auditChange(c, { paths: [], details: { waiver: id } });
  const entry = waiverOf(await removeWaiver(waivers, id));
  auditChange(c, { paths: [], details: detailsOf(entry) });
  return success(c, entry);
}

/** A waiver in the audit log. */
function detailsOf({ id, sha256, reason, expires_at }: WaiverEntry): AuditDetails {
  return { waiver: id, sha256, reason, expires_at: expires_at ?? undefined };
}
