import { type Caller, ownerOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "../tree/changes.ts";
import type { Revision, Revisions } from "./revisions.ts";

/** What reading from the hub works with. */
export interface Hub {
  readonly tree: Tree;
  readonly revisions: Revisions;
}

/** The kinds of repositories, named as the directories that have them. */
export const REPOSITORY_KINDS = ["models", "datasets"] as const;
export type RepositoryKind = typeof REPOSITORY_KINDS[number];

/** The address of a repository (C 20). */
export interface RepositoryName {
  readonly kind: RepositoryKind;
  /** `namespace/name`. */
  readonly id: string;
}

/** A repository: a directory of the tree that a request acts in (C 20). */
export interface Repository extends RepositoryName {
  readonly userId: number;
  /** Its path in the tree, such as `models/ns/name`. */
  readonly directory: string;
}

/** The branch that every repository has. */
export const MAIN = "main";

/** Namespaces that addresses use for something else. */
const RESERVED = new Set(["api", "datasets", "lfs", "models", "spaces", "t"]);

/**
 * The repository with a name in the tree of the caller, which need not exist (C 20).
 *
 * @throws {AppError} `ErrHubRepositoryNotFound` when no repository can have the name.
 */
export function repositoryNamed(caller: Caller, { kind, id }: RepositoryName): Repository {
  const [namespace = "", name = "", ...others] = id.split("/");
  const isValid = others.length === 0 && isSegment(namespace) && isSegment(name) &&
    !RESERVED.has(namespace);
  if (!isValid) throw notFound({ kind, id });
  return { kind, id, userId: ownerOf(caller), directory: `${kind}/${id}` };
}

/**
 * Finds the directory of a repository.
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`.
 */
export async function findRepository(
  { tree }: Hub,
  repository: Repository,
): Promise<ResourceRecord> {
  const { userId, directory } = repository;
  const scope = { userId, everyone: false };
  const record = (await tree.records.findByPath(scope, [directory])).get(directory);
  if (record?.isDir) return record;
  throw notFound(repository);
}

/**
 * The present state of a repository, if it has the revision: `main`, or its commit id (C 20).
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`, `ErrHubRevisionNotFound`.
 */
export async function requireRevision(
  hub: Hub,
  repository: Repository,
  revision: string,
): Promise<Revision> {
  await findRepository(hub, repository);
  const current = await hub.revisions.of(repository);
  if ([MAIN, `refs/heads/${MAIN}`, current.commitId].includes(revision)) return current;
  throw new AppError(
    "ErrHubRevisionNotFound",
    `Revision ${quoted(revision)} of ${repository.id} not found: ` +
      `expected ${MAIN} or the commit id ${current.commitId}`,
  );
}

/** What the clients take for a part of a repository's name. */
function isSegment(text: string): boolean {
  return /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?$/.test(text) &&
    !text.includes("--") && !text.includes("..") && !text.endsWith(".git");
}

function notFound({ kind, id }: RepositoryName): AppError {
  const what = kind === "models" ? "Model" : "Dataset";
  return new AppError("ErrHubRepositoryNotFound", `${what} ${quoted(id)} not found`);
}
