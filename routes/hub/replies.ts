import type { Context } from "hono";
import {
  type Repository,
  type RepositoryName,
  repositoryNamed,
} from "../../core/hub/repository.ts";
import { callerOf } from "../auth.ts";
import type { AppEnvironment } from "../environment.ts";
import { respond } from "../respond.ts";
import type { Mount } from "./hub_route.ts";

export type Handled = Context<AppEnvironment>;

const encoder = new TextEncoder();

/** A reply with JSON. */
export function hubJson(
  c: Handled,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const bytes = encoder.encode(JSON.stringify(body));
  return respond(c, c.req.method === "HEAD" ? null : bytes, 200, {
    "Content-Type": "application/json",
    "Content-Length": String(bytes.length),
    ...headers,
  });
}

/**
 * The repository that the address of a request names, in the tree that it acts in.
 *
 * @throws {AppError} `ErrHubRepositoryNotFound` when no repository can have the name.
 */
export function repositoryOf(c: Handled, { kind }: Mount): Repository {
  const { ns = "", name = "" } = c.req.param();
  const named: RepositoryName = { kind, id: `${ns}/${name}` };
  return repositoryNamed(callerOf(c), named);
}
