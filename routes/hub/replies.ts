import type { Context } from "hono";
import { type Chunk, joinChunks } from "../../core/content.ts";
import { requireWritable } from "../../core/hub/read_revision.ts";
import {
  findRepository,
  type Hub,
  MAIN,
  type Repository,
  type RepositoryName,
  repositoryNamed,
  type RevisionName,
} from "../../core/hub/repository.ts";
import type { RepositoryPage } from "../../core/hub/store.ts";
import { callerOf } from "../serving/auth.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { isGitLfs } from "../reply/error_forms.ts";
import { respond } from "../reply/respond.ts";
import type { Mount } from "./hub_route.ts";

export type Handled = Context<AppEnvironment>;

const encoder = new TextEncoder();

/** A reply with JSON. */
export function hubJson(
  c: Handled,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return hubBytes(c, encoder.encode(JSON.stringify(body)), headers);
}

/** A reply with a list of the items of a page. */
export function hubList(
  c: Handled,
  { text }: RepositoryPage,
  headers: Readonly<Record<string, string>>,
): Response {
  const bytes = joinChunks([encoder.encode("["), text.subarray(1), encoder.encode("]")]);
  return hubBytes(c, bytes, headers);
}

/** Like {@link hubJson}, with the JSON. */
export function hubBytes(
  c: Handled,
  bytes: Chunk,
  headers: Readonly<Record<string, string>> = {},
): Response {
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
  return repositoryNamed(callerOf(c), { kind, id: idIn(c) });
}

/** The name of the repository in the address of a request, with its namespace if there is one. */
export function idIn(c: Handled): string {
  const { ns, name = "" } = c.req.param();
  // The addresses of Git LFS have the name with this ending, which no name has.
  const plain = isGitLfs(c.req.path) ? name.replace(/\.git$/, "") : name;
  return ns === undefined ? plain : `${ns}/${plain}`;
}

/**
 * The revision that the address of a request names. See {@link repositoryOf}.
 *
 * @throws {AppError} `ErrHubRepositoryNotFound` when no repository can have the name.
 */
export function revisionOf(c: Handled, mount: Mount): RevisionName {
  return { repository: repositoryOf(c, mount), revision: c.req.param("rev") ?? MAIN };
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
 * The repository, or the branch of it, that a request writes to.
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`, `ErrHubRevisionNotFound`.
 */
export async function writableOf(c: Handled, hub: Hub, mount: Mount): Promise<Repository> {
  const { repository, revision } = revisionOf(c, mount);
  return await requireWritable(hub, repository, revision);
}

/**
 * The address that a new repository and its commits are shown by. Older clients take the segment before the
 * namespace for the kind, unless it is the host: without the one of models, they would read `hub`.
 */
export function pageOf(server: string, { base }: Mount, { kind, id }: RepositoryName): string {
  return `${server}${base}/${kind}/${id}`;
}

/** The address below which a repository has its files. */
export function urlOf(server: string, { base }: Mount, { kind, id }: RepositoryName): string {
  return `${server}${base}${kind === "models" ? "" : `/${kind}`}/${id}`;
}
