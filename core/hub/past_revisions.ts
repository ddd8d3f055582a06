import { AppError, quoted, RetryLater } from "../errors.ts";
import type { HistoryStore, KeptCommit } from "../history.ts";
import type { PastPoint } from "../history_changes.ts";
import type { Tree } from "../tree/changes.ts";
import { treeAt } from "../tree/past_tree.ts";
import { isSegment } from "./names.ts";
import type { Hub, Repository } from "./repository.ts";
import { repositoryDigest } from "./revisions.ts";
import type { RepositoryDirectory, Revision } from "./store.ts";

/** How a commit id looks. */
const COMMIT_ID = /^[0-9a-f]{40}$/;
/** How many commit ids a request computes at most. */
const MAX_COMPUTED = 100;
const RETRY_AFTER_S = 1;

/** A state of a repository: what a revision reads. */
export interface RevisionPlace {
  /** With the directory that has it: a branch has its own. */
  readonly repository: Repository;
  /** The tree as it was. */
  readonly tree: Tree;
  readonly past: PastPoint;
  readonly revision: Revision;
}

/** The directory of a branch, beside that of its repository (C 26). */
export function branchOf(repository: Repository, branch: string): Repository {
  return { ...repository, directory: `${repository.directory}@${branch}` };
}

/** Whether a branch can have the name. */
export function isBranchName(text: string): boolean {
  return isSegment(text) && !COMMIT_ID.test(text);
}

/**
 * Finds an earlier state of a repository by a tag or a commit id: undefined if there is none, or none any more. A
 * commit id may be one of a branch.
 * See docs/design/past.md.
 *
 * @throws {RetryLater} when more commit ids have to be computed than a request may.
 */
export async function findPast(
  hub: Hub,
  repository: Repository,
  name: string,
): Promise<RevisionPlace | undefined> {
  const { history } = hub.tree.records;
  if (history === undefined) return undefined;
  try {
    if (!COMMIT_ID.test(name)) return await tagged(hub, history, repository, name);
    return await known(hub, history, repository, name) ??
      await computed(hub, history, repository, name);
  } catch (error) {
    if (error instanceof AppError && error.kind === "ErrVersionsNotFound") return undefined;
    throw error;
  }
}

/** The state of the newest version, as a past one: undefined if no history is kept, or it has no such repository. */
export async function findNewest(
  hub: Hub,
  repository: Repository,
): Promise<RevisionPlace | undefined> {
  const { history } = hub.tree.records;
  if (history === undefined) return undefined;
  try {
    return await placeAt(hub, repository, await newestPoint(history, repository.userId));
  } catch (error) {
    if (error instanceof AppError && error.kind === "ErrVersionsNotFound") return undefined;
    throw error;
  }
}

/** @throws {AppError} `ErrVersionsNotFound` when no history is kept. */
async function newestPoint(history: HistoryStore, userId: number): Promise<PastPoint> {
  return (await history.at(userId, { time: Number.MAX_SAFE_INTEGER })).point;
}

/** The name of the tag of the tree for a tag of a repository. */
export function tagNameOf({ directory }: Repository, tag: string): string {
  return `${directory}@${tag}`;
}

async function tagged(
  hub: Hub,
  history: HistoryStore,
  repository: Repository,
  given: string,
): Promise<RevisionPlace | undefined> {
  const { userId, directory } = repository;
  const name = given.replace(/^refs\/tags\//, "");
  for (const tag of await history.tags({ userId, path: directory, limit: MAX_TAGS })) {
    if (tag.name !== name && tag.name !== tagNameOf(repository, name)) continue;
    return await placeAt(hub, repository, { version: tag.version, tag: tag.id });
  }
  return undefined;
}

/** The most tags of a repository. */
export const MAX_TAGS = 1000;

/** The state with a commit id that was computed before. */
async function known(
  hub: Hub,
  history: HistoryStore,
  repository: Repository,
  commitId: string,
): Promise<RevisionPlace | undefined> {
  const { userId } = repository;
  for (const commit of await history.commits.withId(userId, repository.directory, commitId)) {
    const { directory, version, modifiedAt } = commit;
    const past = version < 0 ? { version: 0, tag: -version } : { version };
    try {
      const { tree } = await treeAt(hub.tree, userId, past);
      return {
        repository: { ...repository, directory },
        tree,
        past,
        revision: { commitId, modifiedAt },
      };
    } catch (error) {
      // Another version may have the same.
      if (!(error instanceof AppError) || error.kind !== "ErrVersionsNotFound") throw error;
    }
  }
  return undefined;
}

/** The state with a commit id among those whose ids nobody has asked for. */
async function computed(
  hub: Hub,
  history: HistoryStore,
  repository: Repository,
  commitId: string,
): Promise<RevisionPlace | undefined> {
  const { userId, directory } = repository;
  const search = `${userId} ${directory} ${commitId}`;
  const places = hub.searches.placesOf(search);
  const isResumed = places.size > 0;
  const repositories = [repository, ...await branchesOf(hub, repository)];
  const room = { left: MAX_COMPUTED };
  let found: RevisionPlace | undefined;
  for (const each of repositories) {
    const from = places.get(each.directory);
    for await (const { commitId: id, version } of commitsOf(hub, history, each, { room, from })) {
      if (id === commitId) found = await placeAt(hub, each, { version });
      if (found !== undefined) break;
      places.set(each.directory, version - 1);
    }
    if (found !== undefined) break;
  }
  hub.searches.ended(search);
  // Somebody may have committed the same files since another client has asked.
  if (found === undefined && isResumed) return await computed(hub, history, repository, commitId);
  return found;
}

/** A commit of a repository. */
export interface RepositoryCommit extends KeptCommit {
  /** When it was made, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly author: number;
  readonly message: string | null;
}

/**
 * The commits of a repository, newest first: the versions of the tree that have changed something in it.
 *
 * @throws {AppError} `ErrVersionsNotFound` when no history is kept.
 * @throws {RetryLater} when more ids have to be computed than there is room for.
 */
export async function* commitsOf(
  hub: Hub,
  history: HistoryStore,
  repository: Repository,
  { room, from }: {
    /** How many commit ids may be computed. */
    readonly room: { left: number };
    /** @default the present version */
    readonly from?: number | undefined;
  },
): AsyncGenerator<RepositoryCommit> {
  const { userId, directory } = repository;
  for (let upTo = from ?? Number.MAX_SAFE_INTEGER;;) {
    const versions = await history.commits.versions(userId, directory, {
      upTo,
      limit: MAX_COMPUTED,
    });
    const numbers = versions.map(({ version }) => version);
    const found = await history.commits.known(userId, directory, numbers);
    const byVersion = new Map(found.map((commit) => [commit.version, commit]));
    for (const note of versions) {
      const { version } = note;
      const commit = byVersion.get(version) ?? await computeAt(hub, repository, { version }, room);
      if (commit !== undefined) yield { ...note, ...commit };
    }
    const last = numbers.at(-1);
    if (last === undefined || numbers.length < MAX_COMPUTED) return;
    upTo = last - 1;
  }
}

/** The commit id of a repository at a point, which is kept; undefined if the repository was not there. */
async function computeAt(
  hub: Hub,
  repository: RepositoryDirectory,
  past: PastPoint,
  room: { left: number },
): Promise<KeptCommit | undefined> {
  const { userId, directory } = repository;
  if (room.left-- <= 0) {
    const message = `The commit ids of ${quoted(directory)} are not known yet`;
    throw new RetryLater("ErrUnavailable", message, RETRY_AFTER_S);
  }
  const { tree } = await treeAt(hub.tree, userId, past);
  const scope = { userId, everyone: false };
  const record = (await tree.records.findByPath(scope, [directory])).get(directory);
  if (record?.isDir !== true) return undefined;
  const { commitId, modifiedAt } = await repositoryDigest(hub.store, { userId, directory, past });
  // Nothing of it was given up while it was read.
  await tree.records.findByPath(scope, [directory]);
  const version = past.tag === undefined ? past.version : -past.tag;
  const commit = { directory, version, commitId, modifiedAt };
  await hub.tree.records.history?.commits.keep(userId, [commit]);
  return commit;
}

/**
 * The commit id that a version of its tree has given a repository. It is the present one, if the version is not known,
 * or not kept any more.
 */
export async function commitIdAt(
  hub: Hub,
  repository: RepositoryDirectory,
  version: number | undefined,
): Promise<string> {
  const { userId, directory } = repository;
  const present = () => hub.revisions.of(repository);
  const { history } = hub.tree.records;
  if (version === undefined || history === undefined) return (await present()).commitId;
  const isNewest = async () => (await newestPoint(history, userId)).version === version;
  try {
    if (await isNewest()) {
      // The present one is cheaper, as it is kept.
      const { commitId, modifiedAt } = await present();
      if (await isNewest()) {
        // Whoever is told it may ask for it after many others have committed.
        await history.commits.keep(userId, [{ directory, version, commitId, modifiedAt }]);
        return commitId;
      }
    }
    const commit = await computeAt(hub, repository, { version }, { left: 1 });
    if (commit !== undefined) return commit.commitId;
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "ErrVersionsNotFound") throw error;
  }
  return (await present()).commitId;
}

/** The state of a repository at a point. */
async function placeAt(
  hub: Hub,
  repository: Repository,
  past: PastPoint,
): Promise<RevisionPlace | undefined> {
  const { userId, directory } = repository;
  const { history } = hub.tree.records;
  const version = past.tag === undefined ? past.version : -past.tag;
  const [found] = await history?.commits.known(userId, directory, [version]) ?? [];
  const commit = found ?? await computeAt(hub, repository, past, { left: 1 });
  if (commit === undefined) return undefined;
  const { tree } = await treeAt(hub.tree, userId, past);
  const { commitId, modifiedAt } = commit;
  return { repository, tree, past, revision: { commitId, modifiedAt } };
}

/** The branches of a repository besides `main`, by name. */
export async function branchesOf(
  { tree }: Pick<Hub, "tree">,
  repository: Repository,
): Promise<Repository[]> {
  const { userId, directory } = repository;
  const parent = directory.slice(0, directory.lastIndexOf("/"));
  const scope = { userId, everyone: false };
  const found: Repository[] = [];
  const query = { scope, recursive: false, directories: [parent], chain: [] };
  for await (const batch of tree.records.list(query)) {
    for (const { path, isDir } of batch) {
      if (!isDir || !path.startsWith(`${directory}@`)) continue;
      if (isBranchName(branchNameOf(repository, path))) {
        found.push({ ...repository, directory: path });
      }
    }
  }
  return found;
}

/** The name of the branch that a directory has. */
export function branchNameOf({ directory }: Pick<Repository, "directory">, path: string): string {
  return path.slice(directory.length + 1);
}
