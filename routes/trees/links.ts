import type { Context } from "hono";
import type { Link } from "../../core/links.ts";
import {
  addLink,
  findLink,
  followLink,
  hasLinkEnded,
  type LinkService,
  listLinks,
  removeLink,
} from "../../core/tree/links.ts";
import { type LinkEntry, LinkRequest } from "../../schemas/links.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { jsonBody } from "../request/body.ts";
import { representationOf, select, type Selection } from "../request/conditional.ts";
import { sendDownload } from "../transfers/download.ts";
import { isoTime } from "../../core/entries.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { permit } from "../request/permit.ts";
import { idOf, pageOf, parseQuery } from "../request/query.ts";
import type { Services } from "../serving/route.ts";

export type Handled = Context<AppEnvironment>;

/** The path of a link at the root of the server. */
export const LINK_PATH = "/l/{token}";

/** `POST /links/` (C 19). */
export async function postLink(
  c: Handled,
  { links, publicUrl, isTraced }: Pick<Services, "links" | "publicUrl" | "isTraced">,
): Promise<Response> {
  const url = publicUrl.for(c);
  const { path, expires_in: expiresIn, once } = await jsonBody(c.req.raw, LinkRequest);
  auditChange(c, { paths: [path] });
  const { link, token } = await addLink(links, { caller: callerOf(c), path, expiresIn, once });
  auditLink(c, link);
  return success(c, { ...entryOf(link), url: `${url}/l/${isTraced ? "#" : ""}${token}` });
}

/** `GET /links/`: newest first (C 19). */
export async function getLinks(c: Handled, links: LinkService): Promise<Response> {
  const page = pageOf(parseQuery(c.req.url));
  const found = await listLinks(links, { caller: callerOf(c), ...page });
  const items = found.map(({ link, status }) => ({ ...entryOf(link), status }));
  return success(c, { items, total: items.length });
}

/** `DELETE /links/{id}` (C 19). */
export async function deleteLink(c: Handled, links: LinkService): Promise<Response> {
  const id = idOf(c.req.param("id") ?? "");
  auditChange(c, { paths: [], details: { link: id } });
  const link = await removeLink(links, { caller: callerOf(c), id });
  auditLink(c, link);
  return success(c, entryOf(link));
}

/**
 * `GET /l/{token}`, or `POST /l` with the token in a form: the file, or the directory as a ZIP, without a
 * credential (C 19).
 */
export async function serveLink(c: Handled, links: LinkService): Promise<Response> {
  const { raw } = c.req;
  // Read at once: a signal that is read after the client has gone never aborts (Deno 2.9.6).
  const { signal } = raw;
  const link = await findLink(links, c.get("linkToken") ?? "");
  permit(raw, () => hasLinkEnded(links, link));
  auditLink(c, link);
  const found = await followLink(links, link, {
    sends: raw.method !== "HEAD",
    // A part of the only download would use it up.
    select: (record): Selection =>
      link.once
        ? { status: 200, range: { start: 0, end: representationOf(record).size } }
        : select(raw, representationOf(record)),
    signal,
  });
  return await sendDownload(c, found, {
    "Cache-Control": "no-store",
    ...(link.once && { "Accept-Ranges": "none" }),
  });
}

function auditLink(c: Handled, { id, userId, path, jti, expiresAt, once }: Link): void {
  const details = {
    link: id,
    jti: jti ?? undefined,
    expires_at: isoTime(expiresAt),
    once: once ? "yes" : undefined,
  };
  auditChange(c, { paths: [path], tree: userId, details });
}

function entryOf(link: Link): LinkEntry {
  return {
    id: link.id,
    user_id: link.userId,
    path: link.path,
    created_by: link.createdBy,
    jti: link.jti,
    created_at: isoTime(link.createdAt),
    expires_at: isoTime(link.expiresAt),
    once: link.once,
  };
}
