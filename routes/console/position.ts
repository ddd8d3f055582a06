import { ownerOf } from "../../core/caller.ts";
import { addHeader } from "../reply/respond.ts";
import { callerOf } from "../serving/auth.ts";
import type { Route } from "../serving/route.ts";

/**
 * The header by which the console asks for the id of the last event whose change a reply has for certain, and by
 * which the reply names it. See docs/design/events.md.
 */
const EVENT_HEADER = "X-Strongroom-Event";

/** The handler of a route, which names the last event before it if it reads a tree and the request asks for that. */
export function namingEvent({ method, tree = false, handle }: Route): Route["handle"] {
  if (method !== "GET" || !tree) return handle;
  return async (c, services) => {
    if (c.req.header(EVENT_HEADER) !== undefined) {
      addHeader(c, EVENT_HEADER, await services.events.position(ownerOf(callerOf(c))));
    }
    return await handle(c, services);
  };
}
