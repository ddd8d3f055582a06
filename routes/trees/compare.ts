import type { Context } from "hono";
import { compare, type CompareService } from "../../core/compare/compare.ts";
import type { NamedSide } from "../../core/compare/sides.ts";
import { AppError } from "../../core/errors.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { parseQuery, type Query } from "../request/query.ts";
import { callerOf } from "../serving/auth.ts";

/** `GET /resources/compare` (C 29). */
export async function compareResources(
  c: Context<AppEnvironment>,
  service: CompareService,
): Promise<Response> {
  // Read at once: a signal that is read after the client has gone never aborts (Deno 2.9.6).
  const { signal } = c.req.raw;
  const query = parseQuery(c.req.url);
  const [from, to] = [sideOf(query, "from"), sideOf(query, "to")];
  return success(c, await compare(service, { caller: callerOf(c), from, to, signal }));
}

function sideOf(query: Query, name: "from" | "to"): NamedSide {
  const [path, ...others] = query.get(name) ?? [];
  if (path !== undefined && path.trim() !== "" && others.length === 0) {
    return { path, at: query.get(`${name}_at`)?.[0] };
  }
  throw new AppError("ErrResourcesInvalidRequest", `Cannot compare: expected one path as ${name}`);
}
