import type { Caller } from "../caller.ts";
import { downloadFile, type FileDownload, type FileSelection } from "../tree/download.ts";
import { entryNotFound, type Hub, readRevision, type RevisionName } from "./repository.ts";
import { pathIn } from "./tree_list.ts";

/** The content of a file, as preconditions and ranges see it. */
export interface FileFacts {
  /** In lower-case hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
}

/** A request for a file of a repository. */
export interface RepositoryFileRequest<Selection extends FileSelection> extends RevisionName {
  /** Acts in the tree of the repository. */
  readonly caller: Caller;
  /** Relative to the repository. */
  readonly path: string;
  /** Selects what to read of it. */
  readonly select: (file: FileFacts) => Selection;
  /** Called with the commit id before anything about the file is refused. It may be called again. */
  readonly onRevision: (commitId: string) => void;
}

/** A file of a repository. */
export interface RepositoryFile<Selection extends FileSelection> {
  readonly facts: FileFacts;
  readonly download: FileDownload<Selection>;
}

/**
 * Prepares the download of a file of a repository, as {@link downloadFile} does (C 20).
 *
 * @throws {AppError} as {@link downloadFile} does, and `ErrHubRepositoryNotFound`,
 *   `ErrHubRevisionNotFound`, `ErrHubEntryNotFound`.
 */
export function openRepositoryFile<Selection extends FileSelection>(
  hub: Hub,
  request: RepositoryFileRequest<Selection>,
): Promise<RepositoryFile<Selection>> {
  const { caller, repository, select, onRevision } = request;
  const { userId, directory } = repository;
  const tree = { ...hub.tree, gate: hub.tree.gate?.namedBelow(directory) };
  return readRevision(hub, request, async ({ commitId }) => {
    onRevision(commitId);
    const path = pathIn(request, request.path);
    const found = await tree.records.findByPath({ userId, everyone: false }, [path]);
    const record = found.get(path);
    if (record === undefined) throw entryNotFound(repository, request.path);
    if (record.isDir) throw entryNotFound(repository, request.path, "it is a folder");
    const { sha256 } = await tree.verdicts.on(record);
    // Without it, the repository would have no commit id.
    if (sha256 === null) throw new Error(`The SHA-256 of ${record.hash} is not known`);
    const facts = { sha256, size: record.size, updatedAt: record.updatedAt };
    // If the record changes in between, so does the revision, and this is done again.
    const download = await downloadFile(tree, { caller, path, select: () => select(facts) });
    return { facts, download };
  }, async ({ download }) => {
    await download.content?.return();
  });
}
