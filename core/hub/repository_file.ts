import { type Caller, ownerOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { ResourceRecord } from "../ports.ts";
import { download, type FileDownload, type FileSelection } from "../tree/download.ts";
import type { PastPoint } from "../history_changes.ts";
import type { Tree } from "../tree/changes.ts";
import { treeAt } from "../tree/past_tree.ts";
import { isLfsFile } from "./git_files.ts";
import { readRevision } from "./read_revision.ts";
import { entryNotFound, type Hub, type Repository, type RevisionName } from "./repository.ts";
import { pathIn } from "./tree_list.ts";

/** A request for a file of a repository. */
export interface RepositoryFileRequest extends RevisionName {
  /** Relative to the repository. */
  readonly path: string;
  /** Called with the commit id before anything about the file is refused. It may be called again. */
  readonly onRevision: (commitId: string) => void;
}

/** A file of a repository at a revision, which the gate has admitted. */
export interface RepositoryFile {
  readonly commitId: string;
  readonly record: ResourceRecord;
  /** In lower-case hex. */
  readonly sha256: string;
  /** The id of its blob in Git, if it is none of Git LFS. */
  readonly blobId: string | undefined;
  /** With the directory that has it. */
  readonly repository: Repository;
  /** @default the present state has it */
  readonly past: PastPoint | undefined;
}

/**
 * Finds a file of a repository (C 20).
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`, `ErrHubRevisionNotFound`, `ErrHubEntryNotFound`,
 *   `ErrResourcesQuarantined` when the gate refuses it.
 */
export function findRepositoryFile(
  hub: Hub,
  request: RepositoryFileRequest,
): Promise<RepositoryFile> {
  const { onRevision } = request;
  const { verdicts, gate } = hub.tree;
  return readRevision(hub, request, async ({ commitId }, _record, place) => {
    const { repository, tree: { records }, past } = place;
    const { userId, directory } = repository;
    onRevision(commitId);
    const path = pathIn(place, request.path);
    const found = await records.findByPath({ userId, everyone: false }, [path]);
    const record = found.get(path);
    if (record === undefined) throw entryNotFound(repository, request.path);
    if (record.isDir) throw entryNotFound(repository, request.path, "it is a folder");
    await gate?.namedBelow(directory).admit(record);
    const { sha256 } = await verdicts.on(record);
    // Without it, the repository would have no commit id.
    if (sha256 === null) throw new Error(`The SHA-256 of ${record.hash} is not known`);
    const file = { directory, path: path.slice(directory.length + 1), size: record.size };
    const ids = isLfsFile(file)
      ? new Map<string, string>()
      : await hub.store.blobIds([record.hash]);
    return { commitId, record, sha256, blobId: ids.get(record.hash), repository, past };
  });
}

/** A request for the content that a file had when its address was made. */
export interface PromisedFileRequest<Selection extends FileSelection> {
  readonly caller: Caller;
  /** The directory of the repository, from which refusals name the file. */
  readonly repository: string;
  /** The id of the record of the file. */
  readonly record: number;
  /** In lower-case hex. */
  readonly sha256: string;
  /** When the tree had the file. @default it has it */
  readonly past?: PastPoint | undefined;
  /** Selects what to read of it. */
  readonly select: (record: ResourceRecord) => Selection;
  readonly signal: AbortSignal;
}

/**
 * Prepares the download of a file that still has the content that was promised, wherever it is by now
 * (C 31).
 *
 * @throws {AppError} `ErrHubRevisionNotFound` when it has other content, or is gone,
 *   `ErrResourcesQuarantined` when the gate refuses it.
 */
export async function openPromisedFile<Selection extends FileSelection>(
  present: Tree,
  request: PromisedFileRequest<Selection>,
): Promise<FileDownload<Selection>> {
  const { past, caller } = request;
  if (past === undefined) return await openIn(present, request);
  try {
    return await openIn((await treeAt(present, ownerOf(caller), past)).tree, request);
  } catch (error) {
    const isGone = error instanceof AppError && error.kind === "ErrVersionsNotFound";
    throw isGone ? replaced(request.sha256) : error;
  }
}

async function openIn<Selection extends FileSelection>(
  tree: Tree,
  request: PromisedFileRequest<Selection>,
): Promise<FileDownload<Selection>> {
  const { caller, repository, record: id, sha256, select, signal } = request;
  const scope = { userId: ownerOf(caller), everyone: false };
  const isPromised = async (record: ResourceRecord) =>
    (await tree.verdicts.on(record)).sha256 === sha256;
  const present = (await tree.records.findById(scope, [id])).get(id);
  // Other content is missing here, even if the gate refuses it.
  if (present === undefined || !await isPromised(present)) throw replaced(sha256);
  const found = await download({ ...tree, gate: tree.gate?.namedBelow(repository) }, {
    ...{ caller, select, signal, paths: [], ids: [id], compression: "auto" },
  }).catch((error) => {
    throw error instanceof AppError && error.kind === "ErrResourcesNotFound"
      ? replaced(sha256)
      : error;
  });
  // It may have been replaced or deleted before the download found it.
  if (found.kind === "file" && await isPromised(found.record)) return found;
  await found.content?.return();
  throw replaced(sha256);
}

function replaced(sha256: string): AppError {
  return new AppError(
    "ErrHubRevisionNotFound",
    `The file with the SHA-256 ${quoted(sha256)} has been replaced or deleted since; ask again`,
  );
}
