import type { Context } from "hono";
import {
  findRepository,
  type Hub,
  MAIN,
  type Repository,
  type RepositoryName,
  repositoryNamed,
  requireRevision,
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
  // The addresses of Git LFS have the name with this ending, which no name has.
  const named: RepositoryName = { kind, id: `${ns}/${name.replace(/\.git$/, "")}` };
  return repositoryNamed(callerOf(c), named);
}

/**
 * The repository that the address of a request names, which must exist.
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`.
 */
export async function existingOf(c: Handled, hub: Hub, mount: Mount): Promise<Repository> {
  const repository = repositoryOf(c, mount);
  await findRepository(hub, repository);
  return repository;
}

/**
 * The repository that a request writes to. Only its present state can be written to.
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`, `ErrHubRevisionNotFound`.
 */
export async function writableOf(c: Handled, hub: Hub, mount: Mount): Promise<Repository> {
  const revision = c.req.param("rev") ?? MAIN;
  if (revision === MAIN) return await existingOf(c, hub, mount);
  const repository = repositoryOf(c, mount);
  await requireRevision(hub, repository, revision);
  return repository;
}

/** The address of a repository. */
export function urlOf(origin: string, { base }: Mount, { kind, id }: RepositoryName): string {
  return `${origin}${base}${kind === "models" ? "" : `/${kind}`}/${id}`;
}
