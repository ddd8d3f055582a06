import type { StagedBlob } from "../blob_store.ts";
import { type Caller, ownerOf } from "../caller.ts";
import type { Chunk } from "../content.ts";
import type { ObjectFacts } from "../object_facts.ts";
import { parentOf, refuseUncreatable, sanitizePath } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "./changes.ts";
import { chainOf, missingDirectories, requireParent } from "./directories.ts";
import { type RequireCondition, storing } from "./placement.ts";
import { requireRoom } from "./quota.ts";
import { Staging, type StoredFiles } from "./staging.ts";
import { refuseLarge } from "./upload_size.ts";

/** A request to store content at a path (C 17). */
export interface PutRequest {
  readonly caller: Caller;
  readonly path: string;
  readonly content: AsyncIterable<Chunk>;
  /** A file that has the content as well, as the store of content takes it. @default none */
  readonly spool?: string | undefined;
  /** The size of the content in bytes, if the client has stated it. */
  readonly declaredSize: number | undefined;
  readonly requireCondition: RequireCondition;
  /** Whether the directory above must be there (C 30). @default false: it is made */
  readonly needsParent?: boolean;
  /** Throws unless the content is what the client has sent. */
  readonly verify: (received: Pick<StagedBlob, "hash" | "sha256" | "crc32">) => void;
  /** The owner's records at the path and above it. @default they are looked up */
  readonly found?: ReadonlyMap<string, ResourceRecord>;
  /** What the S3 door keeps of the file; asked for when the content is verified. @default nothing new */
  readonly facts?: () => ObjectFacts | undefined;
}

/**
 * Stores content at a path of the tree that the request acts in, and replaces the file there (C 17).
 * Whatever can be refused without the content is refused before it is read.
 * See docs/design/uploads.md.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path is invalid or the content too large,
 *   `ErrResourcesAlreadyExists` when a directory has the path, or a file a path above it,
 *   `ErrResourcesConflict` when the directory above must be there and is not,
 *   `ErrNotPermitted` when the caller may not replace the file, `ErrResourcesQuotaExceeded` and
 *   `ErrInternal` when it does not fit, `ErrResourcesRefused` when the policy refuses it, and what `requireCondition` and `verify` throw.
 */
export async function put(tree: Tree, request: PutRequest): Promise<StoredFiles> {
  const { caller, content, declaredSize = 0, requireCondition, needsParent = false } = request;
  const { verify, facts, spool } = request;
  const path = sanitizePath(request.path);
  refuseUncreatable(path);
  refuseLarge(tree, { path, size: declaredSize });
  tree.policy?.refuseUpload({ userId: ownerOf(caller), path, size: request.declaredSize });
  const decide = storing({ caller, path, requireCondition });
  const userId = ownerOf(caller);
  const found = request.found ??
    await tree.records.findByPath({ userId, everyone: false }, chainOf(path));
  if (needsParent) requireParent(path, found);
  missingDirectories({ userId, path: parentOf(path), now: 0 }, found);
  decide(found.get(path));
  await requireRoom(tree, {
    caller,
    size: declaredSize,
    replacedBytes: found.get(path)?.size ?? 0,
  });
  await using staging = new Staging(tree, {
    caller,
    decide: (_file, found) => decide(found),
    mayReplace: true,
    facts,
  });
  const file = await staging.stage({ path, content, spool });
  verify(file.blob);
  return await staging.store([file], { found });
}
