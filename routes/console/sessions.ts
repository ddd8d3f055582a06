import type { Context } from "hono";
import type { ListedSession } from "../../core/console_sessions.ts";
import { isoTime } from "../../core/entries.ts";
import { AppError, quoted } from "../../core/errors.ts";
import type { SessionEntry } from "../../schemas/console.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { recordEnd, sessionHolder, type SessionParts } from "./session.ts";

type Handled = Context<AppEnvironment>;

/** `GET /console/sessions`: where the user is signed in, newest first (C 27). */
export async function listSessions(c: Handled, parts: SessionParts): Promise<Response> {
  const { userId } = await sessionHolder(c, parts);
  const current = c.get("session")?.name;
  const items = (await parts.sessions.list(userId)).map((session) => entryOf(session, current));
  return success(c, { items, total: items.length });
}

/** `DELETE /console/sessions/{name}`: ends one of the user's sessions, at all servers (C 27). */
export async function endSession(c: Handled, parts: SessionParts): Promise<Response> {
  const { userId } = await sessionHolder(c, parts);
  const name = c.req.param("name") ?? "";
  const ended = await parts.sessions.endNamed(userId, name);
  await recordEnd(c, parts.audit, ended);
  if (ended !== undefined) return success(c, null);
  throw new AppError("ErrSessionsNotFound", `No open session ${quoted(name)} of yours`);
}

function entryOf(
  session: ListedSession & { readonly name: string },
  current: string | undefined,
): SessionEntry {
  return {
    name: session.name,
    means: session.means,
    browser: session.browser ?? null,
    address: session.address ?? null,
    created_at: isoTime(session.createdAt),
    last_used_at: isoTime(session.usedAt),
    is_current: session.name === current,
  };
}
