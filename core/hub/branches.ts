import { type Caller, ownerOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { release } from "../record_lists.ts";
import { copy } from "../tree/copy.ts";
import { remove } from "../tree/remove.ts";
import { restore } from "../tree/restore.ts";
import { addTag, listTags, removeTag } from "../tree/tags.ts";
import {
  branchesOf,
  branchNameOf,
  branchOf,
  isBranchName,
  MAX_TAGS,
  tagNameOf,
} from "./past_revisions.ts";
import { requireRevision } from "./read_revision.ts";
import { findRepository, type Hub, MAIN, type Repository } from "./repository.ts";

/** A name of a state of a repository. */
export interface Reference {
  readonly name: string;
  readonly commitId: string;
}

/** The branches and tags of a repository (C 26). */
export async function referencesOf(
  hub: Hub,
  caller: Caller,
  repository: Repository,
): Promise<{ readonly branches: readonly Reference[]; readonly tags: readonly Reference[] }> {
  const idOf = async (revision: string) =>
    (await requireRevision(hub, repository, revision)).commitId;
  const branches = [{ name: MAIN, commitId: await idOf(MAIN) }];
  for (const { directory } of await branchesOf(hub, repository)) {
    const name = branchNameOf(repository, directory);
    branches.push({ name, commitId: await idOf(name) });
  }
  const tags: Reference[] = [];
  const { directory } = repository;
  for (const tag of await listTags(hub.tree, { caller, path: directory, limit: MAX_TAGS })) {
    const own = tagNameOf(repository, "");
    const name = tag.name.startsWith(own) ? tag.name.slice(own.length) : tag.name;
    tags.push({ name, commitId: await idOf(`refs/tags/${name}`) });
  }
  return { branches, tags };
}

/** A request to name a revision of a repository. */
export interface ReferenceRequest {
  readonly caller: Caller;
  readonly repository: Repository;
  readonly name: string;
  readonly revision: string;
}

/**
 * Makes a branch of a revision: a copy of its directory, which takes no space (C 26).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when no branch can have the name, `ErrResourcesConflict` when one
 *   has it, and as {@link requireRevision} and a copy do.
 */
export async function createBranch(
  hub: Hub,
  { caller, repository, name, revision }: ReferenceRequest,
): Promise<void> {
  if (!isBranchName(name) || name === MAIN) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Cannot make the branch ${
        quoted(name)
      }: expected letters, digits, and single dots, dashes and underscores`,
    );
  }
  const { past, repository: { directory } } = await requireRevision(hub, repository, revision);
  const destination = branchOf(repository, name).directory;
  const changes = past === undefined
    ? await copy(hub.tree, { caller, sources: [directory], destination, force: false })
    : await restore(hub.tree, { caller, path: directory, at: past, destination, force: false });
  for (const { records } of changes) release(records);
}

/**
 * Deletes a branch with all that is in it.
 *
 * @throws {AppError} `ErrHubRevisionNotFound` when there is none of the name.
 */
export async function deleteBranch(
  hub: Hub,
  { caller, repository, name }: Omit<ReferenceRequest, "revision">,
): Promise<void> {
  const branch = branchOf(repository, name);
  const scope = { userId: ownerOf(caller), everyone: false };
  const { directory } = branch;
  const record = (await hub.tree.records.findByPath(scope, [directory])).get(directory);
  if (!isBranchName(name) || record?.isDir !== true) throw noReference(repository, name);
  for (const { records } of await remove(hub.tree, { caller, paths: [directory] })) {
    release(records);
  }
}

/**
 * Names a revision by a tag of the tree, which keeps it (C 26).
 *
 * @throws {AppError} `ErrTagsConflict` when the repository has a tag of the name, and as {@link requireRevision} and
 *   adding a tag do.
 */
export async function createTag(
  hub: Hub,
  { caller, repository, name, revision, message }: ReferenceRequest & {
    readonly message: string | undefined;
  },
): Promise<void> {
  const { past, repository: { directory } } = await requireRevision(hub, repository, revision);
  if (directory !== repository.directory) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Cannot tag ${quoted(revision)}: it is on a branch, which is a directory of its own`,
    );
  }
  await addTag(hub.tree, {
    caller,
    name: tagNameOf(repository, name),
    path: directory,
    at: past,
    message,
  });
}

/** @throws {AppError} `ErrHubRevisionNotFound` when the repository has no such tag. */
export async function deleteTag(
  hub: Hub,
  { caller, repository, name }: Omit<ReferenceRequest, "revision">,
): Promise<void> {
  await findRepository(hub, repository);
  const { directory } = repository;
  const names = [tagNameOf(repository, name), name];
  const found = (await listTags(hub.tree, { caller, path: directory, limit: MAX_TAGS }))
    .find((tag) => names.includes(tag.name));
  if (found === undefined) throw noReference(repository, name);
  await removeTag(hub.tree, caller, found.name);
}

function noReference({ id }: Repository, name: string): AppError {
  return new AppError("ErrHubRevisionNotFound", `${id} has no branch or tag ${quoted(name)}`);
}
