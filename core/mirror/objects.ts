import { AppError, RetryLater } from "../errors.ts";
import type { LfsPointer } from "../lfs_objects.ts";
import { MAIN } from "../hub/repository.ts";
import { admitFound, type Mirror } from "./files.ts";
import { type MirroredFile, requireForeign } from "./mirror.ts";
import type { FixedRevision } from "./revisions.ts";
import type { MirroredName } from "./store.ts";

/** An object of Git LFS that a client wants of a mirrored repository. */
export interface MirroredObject {
  /** The file that has this content. Undefined without one. */
  readonly subject: MirroredFile | undefined;
  /** Why it cannot be downloaded. Undefined if it can be. */
  readonly refusal: AppError | undefined;
}

/** The objects that were asked for, in their order. */
export type MirroredObjects = Pick<FixedRevision, "staleSince"> & {
  readonly objects: readonly MirroredObject[];
};

/** Who asks for which objects of a repository. */
export interface ObjectsRequest {
  readonly repository: MirroredName;
  readonly pointers: readonly LfsPointer[];
  readonly userId: number;
}

/**
 * Finds files that have some content, and admits them by what is known (C 28). Git LFS does not say of which revision
 * an object is: it is one of the main branch, or else of any revision that is known, the newest first.
 *
 * @throws {AppError} as {@link MirrorRevisions.fix} does for the main branch, unless a known revision has an object.
 */
export async function mirroredObjects(
  mirror: Mirror,
  { repository, pointers, userId }: ObjectsRequest,
): Promise<MirroredObjects> {
  requireForeign(mirror, repository);
  const main = await mainOf(mirror, { repository, userId });
  const isKnown = !(main instanceof AppError);
  const found = await mirror.store.findContents(repository, {
    first: isKnown ? main.revision.revision : undefined,
    sha256s: pointers.map(({ sha256 }) => sha256),
  });
  if (!isKnown && found.length === 0) throw main;
  const bySha256 = new Map(found.map((subject) => [subject.file.sha256, subject]));
  const objects: MirroredObject[] = [];
  for (const { sha256, size } of pointers) {
    const subject = bySha256.get(sha256);
    objects.push(
      subject?.file.size === size
        ? { subject, refusal: await refusalOf(mirror, subject, userId) }
        : { subject: undefined, refusal: notFound(repository) },
    );
  }
  return { objects, staleSince: isKnown ? main.staleSince : undefined };
}

/** What the main branch is, or why nobody can say that. */
async function mainOf(
  { revisions }: Mirror,
  request: Pick<ObjectsRequest, "repository" | "userId">,
): Promise<FixedRevision | AppError> {
  try {
    return await revisions.fix({ ...request, name: MAIN });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Why a file is refused. Who reads one that waits for its scan is told there to ask again. */
async function refusalOf(
  mirror: Mirror,
  subject: MirroredFile,
  userId: number,
): Promise<AppError | undefined> {
  try {
    await admitFound(mirror, subject, userId);
    return undefined;
  } catch (error) {
    if (error instanceof RetryLater) return undefined;
    if (error instanceof AppError) return error;
    throw error;
  }
}

function notFound({ id }: MirroredName): AppError {
  return new AppError(
    "ErrHubEntryNotFound",
    `No revision of ${id} that the mirror knows has this content`,
  );
}
