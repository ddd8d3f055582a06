import { type Caller, ownerOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "../tree/changes.ts";
import type { CommitSearches } from "./commit_searches.ts";
import { isSegment } from "./names.ts";
import type { Revisions } from "./revisions.ts";
import type { HubStore } from "./store.ts";

/** What reading from the hub works with. */
export interface Hub {
  readonly tree: Tree;
  readonly store: HubStore;
  readonly revisions: Revisions;
  readonly searches: CommitSearches;
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
/** Another name of it. */
export const HEAD = "HEAD";

/** Namespaces that addresses use for something else. */
const RESERVED = new Set(["api", "datasets", "lfs", "m", "models", "spaces", "t"]);

/**
 * The repository with a name in the tree of the caller, which need not exist (C 20).
 *
 * @throws {AppError} `ErrHubRepositoryNotFound` when no repository can have the name.
 */
export function repositoryNamed(caller: Caller, { kind, id }: RepositoryName): Repository {
  if (!isRepositoryId(id)) throw repositoryNotFound({ kind, id }, `: ${expectedId(id)}`);
  return { kind, id, userId: ownerOf(caller), directory: `${kind}/${id}` };
}

/** Whether a repository can have the name: the clients must take it for one, too. */
export function isRepositoryId(id: string): boolean {
  const [namespace = "", name = "", ...others] = id.split("/");
  return others.length === 0 && isNamespace(namespace) && isSegment(name);
}

/** What a name that no repository can have should be instead. */
function expectedId(id: string): string {
  const [namespace = ""] = id.split("/");
  return RESERVED.has(namespace)
    ? `the namespace ${quoted(namespace)} is reserved, as addresses of the hub begin so`
    : "expected namespace/name";
}

/**
 * The repository with a name that it is to get.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when no repository can have the name, with the reason.
 */
export function nameable(caller: Caller, name: RepositoryName, verb: string): Repository {
  const { id } = name;
  if (isRepositoryId(id)) return repositoryNamed(caller, name);
  const expected = expectedId(id).replace(
    "namespace/name",
    "a namespace and a name, each of up to 96 letters, digits, and single dots, dashes and underscores",
  );
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Cannot ${verb} ${quoted(id)}: ${expected}`,
  );
}

/** Whether repositories can be in a namespace. */
export function isNamespace(text: string): boolean {
  return isSegment(text) && !RESERVED.has(text);
}

/**
 * Finds the directory of a repository.
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`.
 */
export async function findRepository(
  { tree }: Pick<Hub, "tree">,
  repository: Repository,
): Promise<ResourceRecord> {
  const { userId, directory } = repository;
  const scope = { userId, everyone: false };
  const record = (await tree.records.findByPath(scope, [directory])).get(directory);
  if (record?.isDir) return record;
  throw repositoryNotFound(repository);
}

/** A repository in a certain state: that of the branch or commit id that a request names. */
export interface RevisionName {
  readonly repository: Repository;
  readonly revision: string;
}

/** The error for a path that a repository does not have. */
export function entryNotFound(
  { id }: RepositoryName,
  path: string,
  problem = "not found",
): AppError {
  return new AppError("ErrHubEntryNotFound", `${quoted(path)} in ${id}: ${problem}`);
}

/** The error for a repository that does not exist. */
export function repositoryNotFound({ kind, id }: RepositoryName, reason = ""): AppError {
  const what = kind === "models" ? "Model" : "Dataset";
  return new AppError("ErrHubRepositoryNotFound", `${what} ${quoted(id)} not found${reason}`);
}
