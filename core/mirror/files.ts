import { isWithin } from "../event_loop.ts";
import { AppError, RetryLater } from "../errors.ts";
import { entryNotFound } from "../hub/repository.ts";
import { repositoryPath } from "../hub/kept_directory.ts";
import type { ContentReader } from "../content.ts";
import type { ResourceRecord } from "../ports.ts";
import { download, type FileDownload, type FileSelection } from "../tree/download.ts";
import { admitKnown, letThrough } from "./admission.ts";
import type { AskedFiles } from "./asked_files.ts";
import type { Fetch } from "./fetch.ts";
import type { Fetches } from "./fetches.ts";
import { directoryOf, type MirroredFile, type MirrorParts, pathOf } from "./mirror.ts";
import type { PolicyJudge } from "./policy_judge.ts";
import type { MirrorRevisions } from "./revisions.ts";
import type { MirrorSpace } from "./space.ts";
import type { MirrorRevision } from "./store.ts";

/** A mirror of another hub (C 28). */
export interface Mirror extends MirrorParts {
  /** The rules of the policy. @default everything may be had */
  readonly rules?: PolicyJudge | undefined;
  readonly asked: AskedFiles;
  readonly revisions: MirrorRevisions;
  readonly fetches: Fetches;
  readonly space: MirrorSpace;
}

/** How long a request waits for the first bytes of a file, in milliseconds: clients wait 10 s. */
const MAX_WAIT_MS = 5000;
const RETRY_AFTER_S = 3;
/** A file of a revision, and its record if it was fetched. */
export interface FoundFile extends MirroredFile {
  readonly record: ResourceRecord | undefined;
}

/**
 * Finds a file of a revision, and admits it by what is known (C 28).
 *
 * @throws {AppError} `ErrHubEntryNotFound`, `ErrResourcesQuarantined` when the gate or the policy refuses it.
 */
export async function findMirrored(
  mirror: Mirror,
  revision: MirrorRevision,
  { path, userId }: { readonly path: string; readonly userId: number },
): Promise<FoundFile> {
  const [file] = await mirror.store.findEntries(revision.revision, [cleanPath(revision, path)]);
  if (file === undefined) throw entryNotFound(revision, path);
  if (file.isDir) throw entryNotFound(revision, path, "it is a folder");
  return await admitFound(mirror, { revision, file }, userId);
}

/** Admits a file by what is known, as {@link findMirrored} does. Throws as that does. */
export async function admitFound(
  mirror: Mirror,
  subject: MirroredFile,
  userId: number,
): Promise<FoundFile> {
  const { revision, file } = subject;
  const record = await recordOf(mirror, subject);
  if (record === undefined) await admitKnown(mirror, subject);
  else await letThrough(mirror, subject, { record, userId });
  mirror.asked.note(subject);
  if (record !== undefined && file.fetchedAt === undefined) {
    // The server was killed before it noted that. The file could not be given up.
    await mirror.store.noteFetched(revision.revision, file.path, Date.now());
  }
  return { ...subject, record };
}

function cleanPath(revision: MirrorRevision, path: string): string {
  try {
    return repositoryPath(path);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw entryNotFound(revision, path, "it is not a valid path");
  }
}

/** The record of a file, if the tree has it. */
async function recordOf(
  { tree, caller }: Mirror,
  subject: MirroredFile,
): Promise<ResourceRecord | undefined> {
  const path = pathOf(subject);
  const scope = { userId: caller.userId, everyone: false };
  return (await tree.records.findByPath(scope, [path])).get(path);
}

/** A request for the content of a file. */
export interface MirroredRequest<Selection extends FileSelection> extends MirroredFile {
  /** The user who asks for it. */
  readonly userId: number;
  /** What is asked for. Without `mayResume`, all of the file: what the client has of it may be wrong. */
  readonly select: (file: Pick<ResourceRecord, "size">, mayResume: boolean) => Selection;
  readonly signal: AbortSignal;
}

/** The content of a file that comes in. */
export interface ComingFile<Selection> {
  readonly kind: "coming";
  readonly selection: Selection;
  readonly content: ContentReader | undefined;
}

/**
 * Opens a file: from the tree, or else as it comes in.
 *
 * @throws {RetryLater} when nothing of it can be read within some seconds.
 * @throws {AppError} as {@link findMirrored} does, and as the other hub refuses it.
 */
export async function openMirrored<Selection extends FileSelection>(
  mirror: Mirror,
  { revision, file, userId, select, signal }: MirroredRequest<Selection>,
): Promise<FileDownload<Selection> | ComingFile<Selection>> {
  const { tree, caller, fetches, totals } = mirror;
  const subject = { revision, file };
  totals.requests++;
  let fetch: Fetch | undefined;
  const selectOf = (it: Pick<ResourceRecord, "size">) =>
    select(it, file.passedOnAt === undefined || file.passedOnAt === fetch?.arrival.passedOnAt);
  for (let attempt = 0;; attempt++) {
    const record = await recordOf(mirror, subject);
    if (record !== undefined) {
      await letThrough(mirror, subject, { record, userId });
      if (attempt === 0) totals.hits++;
      const found = await download(
        { ...tree, gate: tree.gate?.namedBelow(directoryOf(revision)) },
        { caller, select: selectOf, signal, paths: [], ids: [record.id], compression: "auto" },
      );
      if (found.kind === "file") return found;
      throw new Error("A file was downloaded as an archive");
    }
    await admitKnown(mirror, subject);
    const asked = selectOf(file);
    if (asked.range === undefined || asked.isHead) {
      return { kind: "coming", selection: asked, content: undefined };
    }
    fetch = fetches.of(subject, userId);
    const { arrival, ended } = fetch;
    // It depends on who fetches.
    const selection = selectOf(file);
    const { range } = selection;
    if (range === undefined) return { kind: "coming", selection, content: undefined };
    const ready = Promise.race([arrival.hasBytesAt(range.start), ended]);
    const isReady = await isWithin(ready, MAX_WAIT_MS);
    if (!isReady) {
      throw new RetryLater(
        "ErrTooManyRequests",
        `${JSON.stringify(file.path)} of ${revision.id} is being fetched and scanned; ask again`,
        RETRY_AFTER_S,
      );
    }
    const content = await arrival.read(range);
    if (content !== undefined) return { kind: "coming", selection, content };
    await ended;
  }
}
