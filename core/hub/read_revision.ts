import { AppError, quoted } from "../errors.ts";
import type { PastPoint } from "../history_changes.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "../tree/changes.ts";
import {
  branchOf,
  findNewest,
  findPast,
  isBranchName,
  type RevisionPlace,
} from "./past_revisions.ts";
import {
  findRepository,
  HEAD,
  type Hub,
  MAIN,
  type Repository,
  type RevisionName,
} from "./repository.ts";
import { KeepsChanging } from "./revisions.ts";
import type { Revision } from "./store.ts";

/** Where a revision is read. */
export interface ReadPlace {
  /** With the directory that has it: a branch has its own. */
  readonly repository: Repository;
  /** The tree as it is, or was. */
  readonly tree: Tree;
  /** @default now */
  readonly past?: PastPoint | undefined;
}

/**
 * What `read` returns for the revision that is named: `main`, a branch, a tag or a commit id (C 20, C 26). See
 * {@link Revisions.during}.
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`, `ErrHubRevisionNotFound`, and what `read` throws.
 */
export async function readRevision<T>(
  hub: Hub,
  { repository: named, revision }: RevisionName,
  read: (revision: Revision, record: ResourceRecord, place: ReadPlace) => Promise<T>,
  discard?: (result: T) => Promise<void>,
): Promise<T> {
  const repository = await presentOf(hub, named, revision);
  // Names without a repository would displace the revisions that are kept.
  if (!hub.revisions.keeps(repository)) await findRepository(hub, repository);
  const isPresent = repository !== named || isMain(revision);
  try {
    return await hub.revisions.during(repository, async (present) => {
      const record = await findRepository(hub, repository);
      if (!isPresent && present.commitId !== revision) throw new Passed();
      return await read(present, record, { repository, tree: hub.tree });
    }, discard);
  } catch (error) {
    const isPassed = error instanceof Passed;
    if (!isPassed && !(error instanceof KeepsChanging)) throw error;
    // However often others change the repository, a version of it stays what it is.
    const found = isPresent
      ? await findNewest(hub, repository)
      : await findPast(hub, repository, revision);
    if (found !== undefined) return await readPast({ repository, revision }, found, read);
    throw isPassed ? revisionNotFound(repository, revision) : error;
  }
}

/** Thrown when a revision is not the present one. */
class Passed extends Error {}

/** The directory whose present state a revision names, if it names one: that of a branch, or else of the repository. */
async function presentOf(
  hub: Hub,
  repository: Repository,
  revision: string,
): Promise<Repository> {
  const branch = revision.replace(/^refs\/heads\//, "");
  if (isMain(revision) || !isBranchName(branch)) return repository;
  const other = branchOf(repository, branch);
  const scope = { userId: other.userId, everyone: false };
  const { records } = hub.tree;
  const record = (await records.findByPath(scope, [other.directory])).get(other.directory);
  return record?.isDir ? other : repository;
}

async function readPast<T>(
  { repository: named, revision: name }: RevisionName,
  { repository, tree, past, revision }: RevisionPlace,
  read: (revision: Revision, record: ResourceRecord, place: ReadPlace) => Promise<T>,
): Promise<T> {
  try {
    const record = await findRepository({ tree }, repository);
    const result = await read(revision, record, { repository, tree, past });
    // What was given up while it was read was not read whole.
    await findRepository({ tree }, repository);
    return result;
  } catch (error) {
    const isGone = error instanceof AppError && error.kind === "ErrVersionsNotFound";
    throw isGone ? revisionNotFound(named, name) : error;
  }
}

/**
 * The revision of a repository that is named. See {@link readRevision}.
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`, `ErrHubRevisionNotFound`.
 */
export function requireRevision(
  hub: Hub,
  repository: Repository,
  revision: string,
): Promise<Revision & ReadPlace> {
  return readRevision(
    hub,
    { repository, revision },
    (found, _record, place) => Promise.resolve({ ...found, ...place }),
  );
}

/**
 * The repository, or the branch of it, that a request writes to: only present states can be written to.
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`, `ErrHubRevisionNotFound`.
 */
export async function requireWritable(
  hub: Hub,
  named: Repository,
  revision: string,
): Promise<Repository> {
  const repository = await presentOf(hub, named, revision);
  await findRepository(hub, repository);
  if (repository !== named || isMain(revision)) return repository;
  if ((await hub.revisions.of(repository)).commitId === revision) return repository;
  throw revisionNotFound(named, revision);
}

function isMain(revision: string): boolean {
  return [MAIN, HEAD, `refs/heads/${MAIN}`].includes(revision);
}

function revisionNotFound({ id }: Repository, revision: string): AppError {
  return new AppError(
    "ErrHubRevisionNotFound",
    `Revision ${
      quoted(revision)
    } of ${id} not found: expected ${MAIN}, a branch, a tag or the id of a commit`,
  );
}
