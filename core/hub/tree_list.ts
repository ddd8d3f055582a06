import { MAX_TARGETS } from "../paths.ts";
import { AppError } from "../errors.ts";
import { repositoryPath } from "./kept_directory.ts";
import { type ReadPlace, readRevision } from "./read_revision.ts";
import { entryNotFound, type Hub, type RevisionName } from "./repository.ts";
import type { RepositoryPage } from "./store.ts";

/** A page with the commit id of the state that it is from. */
export interface TreePage {
  readonly commitId: string;
  readonly page: RepositoryPage;
}

/** A request for a part of a tree. */
export interface TreeRequest extends RevisionName {
  /** Relative to the repository; "" is the repository. */
  readonly path: string;
  readonly recursive: boolean;
  /** Whether records have the last commit. */
  readonly expand: boolean;
  /** The path, relative to the repository, after which the page begins. @default the start */
  readonly after?: string | undefined;
  readonly limit: number;
}

/**
 * The files and folders below a folder of a repository, in the order of the bytes of their paths (C 20).
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`, `ErrHubRevisionNotFound`, `ErrHubEntryNotFound`.
 */
export function listTree(hub: Hub, request: TreeRequest): Promise<TreePage> {
  const { path, recursive, expand, after, limit } = request;
  return readRevision(hub, request, async ({ commitId }, _record, place) => {
    const { repository: { userId, directory }, past } = place;
    const below = path === "" ? directory : pathIn(place, path);
    if (below !== directory) await requireFolder(place, path, below);
    const page = await hub.store.page({
      past,
      userId,
      directory,
      form: treeForm(hub, expand ? commitId : undefined),
      below,
      recursive,
      after: after === undefined ? "" : `${directory}/${after}`,
      limit,
    });
    return { commitId, page };
  });
}

/** A request for the records at some paths. */
export interface PathsInfoRequest extends RevisionName {
  /** Relative to the repository. */
  readonly paths: readonly string[];
  /** Whether records have the last commit. */
  readonly expand: boolean;
}

/**
 * The files and folders at some paths, in the order of the paths. Those that are missing, or invalid, are
 * left out (C 20).
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`, `ErrHubRevisionNotFound`, `ErrResourcesInvalidRequest` when
 *   there are too many paths.
 */
export function pathsInfo(hub: Hub, request: PathsInfoRequest): Promise<TreePage> {
  const { paths, expand } = request;
  if (paths.length > MAX_TARGETS) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Too many paths: ${paths.length} (maximum: ${MAX_TARGETS})`,
    );
  }
  const wanted = new Set(paths.flatMap((path) => cleanPath(path) ?? []));
  return readRevision(hub, request, async ({ commitId }, _record, place) => {
    const { repository: { userId, directory }, past } = place;
    const page = await hub.store.at({
      past,
      userId,
      directory,
      form: treeForm(hub, expand ? commitId : undefined),
      paths: [...wanted].map((path) => `${directory}/${path}`),
    });
    return { commitId, page };
  });
}

/**
 * The path in the tree of one in a repository.
 *
 * @throws {AppError} `ErrHubEntryNotFound` when nothing can have the path.
 */
export function pathIn({ repository }: Pick<RevisionName, "repository">, path: string): string {
  const clean = cleanPath(path);
  if (clean !== undefined) return `${repository.directory}/${clean}`;
  throw entryNotFound(repository, path, "it is not a valid path");
}

function cleanPath(path: string): string | undefined {
  try {
    return repositoryPath(path);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function treeForm({ tree }: Hub, commitId: string | undefined) {
  return { kind: "tree", commitId, unscannedAs: tree.verdicts.shown("unscanned") } as const;
}

async function requireFolder(
  { tree, repository }: ReadPlace,
  path: string,
  below: string,
): Promise<void> {
  const scope = { userId: repository.userId, everyone: false };
  const record = (await tree.records.findByPath(scope, [below])).get(below);
  if (record?.isDir) return;
  throw entryNotFound(repository, path, record === undefined ? "not found" : "it is a file");
}
