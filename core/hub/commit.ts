import { type Caller, ownerOf, permits, requirePermission } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { ObjectGone } from "../lfs_objects.ts";
import { asError } from "../log.ts";
import type { ResourceRecord, WriteTransaction } from "../ports.ts";
import { type ChangeSet, changesOf } from "../tree/change_set.ts";
import { alreadyExists, type Decision, type PlacedFile } from "../tree/placement.ts";
import {
  type Alongside,
  Staging,
  type StagingOptions,
  type UploadedFile,
} from "../tree/staging.ts";
import { type LfsFile, type PlannedCommit, readOperations } from "./operations.ts";
import { commitIdAt } from "./past_revisions.ts";
import type { CommitRequest, CommitTarget, CommittedFiles, HubService } from "./ports.ts";

/** How often the content of a commit is looked up: another commit may take it at the same time. */
const MAX_ATTEMPTS = 3;

type FoundRecords = ReadonlyMap<string, ResourceRecord>;

/** What a commit is to do, and who is told of the versions that it has made. */
export interface CommitPlan extends Pick<StagingOptions, "onVersions"> {
  readonly plan: (staging: Staging) => Promise<PlannedCommit>;
}

/** Content that has waited for a commit. Disposing keeps it waiting unless the commit has taken it. */
interface WaitingContent extends AsyncDisposable {
  readonly ids: readonly string[];
  readonly files: readonly UploadedFile[];
  /** Those whose content does not wait. */
  readonly others: readonly LfsFile[];
}

/**
 * Carries out the operations of a commit, all or none, as one change (C 20). What it deletes makes way for
 * what it adds, and copies are of the state before. Content that the tree has already is not sent.
 * See docs/design/hub_commits.md.
 *
 * @throws {AppError} `ErrNotPermitted` when the caller may not replace, copy or delete files,
 *   `ErrResourcesInvalidRequest` when an operation is invalid or two have the same path,
 *   `ErrResourcesInvalidData` when the content of a file has not been sent, `ErrHubRepositoryNotFound`,
 *   `ErrHubEntryNotFound` when a path to delete or to copy is missing, `ErrResourcesAlreadyExists` when a
 *   directory has the path of a file or the other way round, `ErrPreconditionFailed` when the parent
 *   commit is not the current one, `ErrResourcesQuotaExceeded`.
 */
export async function commitFiles(
  hub: HubService,
  request: CommitRequest,
): Promise<CommittedFiles> {
  const { caller, directory } = request;
  const userId = ownerOf(caller);
  // If the commit id cannot be known, nothing is changed.
  requireParent(request, await hub.revisions.commitIdOf(userId, directory));
  let version: number | undefined;
  const changes = await applyCommit(hub, request, {
    plan: (staging) => readOperations(staging, request),
    onVersions: (versions) => version = versions.get(userId),
  });
  return { commitOid: await commitIdAt(hub, { userId, directory }, version), changes };
}

/**
 * Carries out a planned commit, as {@link commitFiles} does, without its commit ids.
 *
 * @throws {AppError} as {@link commitFiles} does.
 */
export async function applyCommit(
  hub: HubService,
  request: CommitTarget,
  { plan, onVersions }: CommitPlan,
): Promise<ChangeSet> {
  const { caller, parentCommit, message } = request;
  let waiting: WaitingContent;
  await using staging = new Staging(hub.tree, {
    caller,
    decide: (file, found) => decide(caller, file, found),
    mayReplace: true,
    alongside: (transaction) => carryOut(hub, { request, planned, waiting }, transaction),
    // Commit ids are those of what is committed: no other work may share the transaction.
    alone: parentCommit !== undefined,
    message,
    onVersions,
  });
  const planned = await plan(staging);
  return await repeated(hub, async () => {
    await using content = await findWaiting(hub, caller, planned.lfsFiles);
    waiting = content;
    const paths = [...planned.copies, ...content.others].map(({ path }) => path);
    const stored = await staging.store([...planned.staged, ...content.files], { besides: paths });
    await removeTaken(hub, content.ids);
    return stored.changes;
  });
}

/** Refuses a commit on another state than that which its client has seen. */
function requireParent({ parentCommit }: CommitTarget, current: string): void {
  if (parentCommit === undefined) return;
  // Clients may state its first digits.
  if (/^[0-9a-f]{7,}$/.test(parentCommit) && current.startsWith(parentCommit)) return;
  throw new AppError(
    "ErrPreconditionFailed",
    `A commit has happened since ${quoted(parentCommit)}: the current one is ${current}`,
  );
}

/** Runs work again if content that it has found waiting is gone. */
async function repeated(
  { tree }: Pick<HubService, "tree">,
  work: () => Promise<ChangeSet>,
): Promise<ChangeSet> {
  for (let attempt = 1;; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ObjectGone) || attempt === MAX_ATTEMPTS) throw error;
      // Until the transaction that has taken it is committed, readers still find it.
      await tree.records.write(() => Promise.resolve());
    }
  }
}

/** What becomes of a file by the record at its path. A file with the same content stays as it is. */
function decide(
  caller: Caller,
  { path, blob }: PlacedFile,
  found: ResourceRecord | undefined,
): Decision {
  if (found === undefined) return "add";
  if (found.isDir) throw alreadyExists(path, "it is a directory");
  if (found.hash === blob.hash) return "keep";
  requirePermission(caller, "resources.edit");
  return "replace";
}

async function findWaiting(
  { objects, parked }: HubService,
  caller: Caller,
  lfsFiles: readonly LfsFile[],
): Promise<WaitingContent> {
  await using blobs = new AsyncDisposableStack();
  const ids: string[] = [];
  const found = new Map<string, UploadedFile["blob"]>();
  const digests = [...new Set(lfsFiles.map(({ sha256 }) => sha256))];
  for (const object of await objects.waiting(ownerOf(caller), digests, Date.now())) {
    const blob = await parked.unpark(object);
    if (blob === undefined) {
      // Its client has to send it again, unless another commit has just taken it.
      await objects.remove([object.id]);
      continue;
    }
    found.set(object.sha256, blobs.use(blob));
    ids.push(object.id);
  }
  const files: UploadedFile[] = [];
  const others: LfsFile[] = [];
  for (const file of lfsFiles) {
    const blob = found.get(file.sha256);
    if (blob !== undefined && blob.size === (file.size ?? blob.size)) {
      files.push({ path: file.path, blob });
    } else others.push(file);
  }
  const held = blobs.move();
  return { ids, files, others, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

interface CommitParts {
  readonly request: CommitTarget;
  readonly planned: PlannedCommit;
  readonly waiting: WaitingContent;
}

/** What a commit does besides storing the content that came for it. */
async function carryOut(
  hub: HubService,
  { request, planned, waiting }: CommitParts,
  transaction: WriteTransaction,
): Promise<Alongside> {
  const { caller, directory, parentCommit, signal } = request;
  // It may have waited for a turn.
  if (signal?.aborted) {
    throw new AppError("ErrResourcesInvalidRequest", "Cannot commit: the client has gone");
  }
  const { copies, deletions } = planned;
  const userId = ownerOf(caller);
  await transaction.expect(userId, copies.length + deletions.length + waiting.others.length);
  const found = await transaction.findByPath({ userId, everyone: false }, [
    directory,
    ...copies.map(({ from }) => from),
    ...deletions.map(({ path }) => path),
  ]);
  if (found.get(directory)?.isDir !== true) {
    throw new AppError("ErrHubRepositoryNotFound", `Repository ${quoted(directory)} not found`);
  }
  if (parentCommit !== undefined) {
    requireParent(request, await hub.revisions.commitIdOf(userId, directory));
  }
  const files = [
    ...copies.map(({ from, path }) => ({ path, blob: fileAt(from, found) })),
    ...await contentsOf(transaction, caller, waiting.others),
  ];
  const roots = rootsOf(deletions, found);
  const deleted = roots.length === 0 ? [] : await transaction.deleteSubtrees(roots);
  await transaction.takeObjects(waiting.ids);
  return { changes: [changesOf("deleted", deleted, roots)], files };
}

/** The content of files that other files of the tree have, if the caller may know which those are. */
async function contentsOf(
  transaction: WriteTransaction,
  caller: Caller,
  files: readonly LfsFile[],
): Promise<PlacedFile[]> {
  if (files.length === 0) return [];
  const asked = files.map(({ sha256, size }) => ({ sha256, size }));
  const contents = permits(caller, "resources.view")
    ? await transaction.findContents(ownerOf(caller), asked)
    : [];
  return files.map(({ path, sha256 }, index) => {
    const blob = contents[index];
    if (blob !== undefined) return { path, blob };
    throw new AppError(
      "ErrResourcesInvalidData",
      `Cannot commit ${quoted(path)}: content with the SHA-256 ${quoted(sha256)} was not sent`,
    );
  });
}

function rootsOf(deletions: PlannedCommit["deletions"], found: FoundRecords): ResourceRecord[] {
  return deletions.map(({ path, isDir }) => {
    const record = found.get(path);
    if (record?.isDir !== isDir) throw notFound(path);
    return record;
  });
}

function fileAt(path: string, found: FoundRecords): ResourceRecord {
  const record = found.get(path);
  if (record?.isDir !== false) throw notFound(path);
  return record;
}

function notFound(path: string): AppError {
  return new AppError("ErrHubEntryNotFound", `Cannot commit: ${quoted(path)} not found`);
}

/** Removes the files of content that is part of the tree now. */
async function removeTaken({ parked, tree }: HubService, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    try {
      await parked.remove(id);
    } catch (error) {
      // The next start removes it.
      tree.log.warn("Cannot remove a file of uploads/", { error: asError(error) });
    }
  }
}
