import { createHash, randomBytes } from "node:crypto";
import { type Caller, ownerOf } from "../caller.ts";
import type { StagedBlob } from "../blob_store.ts";
import type { Chunk } from "../content.ts";
import { AppError, quoted } from "../errors.ts";
import type { ChangeSet } from "../tree/change_set.ts";
import { createUpload } from "../tree/create_upload.ts";
import { storing } from "../tree/placement.ts";
import { discardUpload } from "../tree/resumable_upload.ts";
import { Staging } from "../tree/staging.ts";
import type { PartDigests } from "../uploads.ts";
import { MIB } from "../../schemas/units.ts";
import type { S3Metadata } from "../../schemas/s3_metadata.ts";
import { conditionOf, type StoreRequest } from "./condition.ts";
import { S3Error } from "./s3_error.ts";
import type { S3Service } from "./service.ts";
import type { MultipartUpload, UploadedPart } from "./store.ts";

/** The most unfinished uploads of a tree, and the parts of all of them. */
export const MAX_UPLOADS = 1000;
const MAX_UNFINISHED_PARTS = 20_000;
export const MAX_PARTS = 10_000;
/** All parts but the last are at least so large, as at Amazon's. */
const MIN_PART_BYTES = 5 * MIB;
/** The `concat` of the uploads that have the content of parts. */
const PART = "s3";
const ID_BYTES = 16;

/**
 * Begins an upload of an object in parts.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the tree has too many, `ErrResourcesRefused` when the policy
 *   refuses the object.
 */
export async function createMultipart(
  { store, uploads, tree }: S3Service,
  { caller, path, metadata }: { caller: Caller; path: string; metadata: S3Metadata },
): Promise<MultipartUpload> {
  tree.policy?.refuseUpload({ userId: ownerOf(caller), path });
  const now = Date.now();
  const upload = {
    id: randomBytes(ID_BYTES).toString("hex"),
    userId: ownerOf(caller),
    path,
    metadata,
    createdAt: now,
    expiresAt: now + uploads.expiryMs,
  };
  if (await store.addUpload(upload, MAX_UPLOADS)) return upload;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `The tree has ${MAX_UPLOADS} unfinished uploads in parts; end some, or wait until they expire`,
  );
}

/** An upload that a request names, by its id and its path. */
export interface NamedUpload {
  readonly caller: Caller;
  readonly path: string;
  readonly id: string;
}

/** @throws {S3Error} `NoSuchUpload` when the tree of the caller has no such upload. */
export async function findMultipart(s3: S3Service, named: NamedUpload): Promise<MultipartUpload> {
  const upload = await knownUpload(s3, named);
  if (upload !== undefined) return upload;
  throw noSuchUpload(named.id);
}

async function knownUpload(
  { store }: S3Service,
  { caller, path, id }: NamedUpload,
): Promise<MultipartUpload | undefined> {
  const upload = await store.findUpload(ownerOf(caller), id, Date.now());
  return upload?.path === path ? upload : undefined;
}

function noSuchUpload(id: string): S3Error {
  return new S3Error("NoSuchUpload", `The upload ${quoted(id)} does not exist, or has expired`);
}

/** A part to receive. */
export interface PartRequest extends NamedUpload {
  readonly number: number;
  /** In bytes. */
  readonly size: number;
  /** The memory of its chunks is given away. */
  readonly content: AsyncIterable<Chunk>;
  /** Throws unless the content is what the client has sent. */
  readonly verify: (received: PartDigests) => void;
}

/**
 * Receives a part of an upload, in place of the one with its number.
 *
 * @throws {S3Error} `NoSuchUpload`.
 * @throws {AppError} as {@link createUpload} does, and what `content` and `verify` throw.
 */
export async function uploadPart(s3: S3Service, request: PartRequest): Promise<UploadedPart> {
  const { caller, number, size, content, verify } = request;
  const { store, uploads } = s3;
  const { id } = await findMultipart(s3, request);
  const upload = await createUpload(uploads, {
    caller,
    size,
    path: undefined,
    sha256: undefined,
    onConflict: "error",
    metadata: "",
    concat: PART,
    place: { whole: id, number, size },
    maxUnfinished: MAX_UNFINISHED_PARTS,
  });
  let unused: string | undefined = upload.id;
  try {
    using _lock = await uploads.locks.acquire(upload.id, () => {});
    const { position, digests } = await receive(s3, upload.id, { size, content });
    verify(digests);
    const part = {
      number,
      part: upload.id,
      position,
      size,
      md5: digests.hash,
      createdAt: Date.now(),
    };
    unused = await store.keepPart(id, part, Date.now() + uploads.expiryMs);
    if (unused === upload.id) throw new S3Error("NoSuchUpload", "The upload has just ended");
    return part;
  } finally {
    if (unused !== undefined) await discardUpload(uploads, unused);
  }
}

/** Receives the content of a part. Returns where it is, and its digests. */
async function receive(
  { uploads: { parts, store, expiryMs } }: S3Service,
  id: string,
  { size, content }: Pick<PartRequest, "size" | "content">,
): Promise<{ readonly position: number; readonly digests: PartDigests }> {
  const part = await parts.open(id, 0);
  try {
    await part.beginWhole();
    let received = 0;
    for await (const chunk of content) {
      received += chunk.length;
      if (received > size) break;
      await part.append(chunk);
    }
    if (received !== size) {
      throw new S3Error("IncompleteBody", `The part has ${received} bytes, not ${size} as stated`);
    }
    const digests = await part.end();
    await store.advance(id, { received, expiresAt: Date.now() + expiryMs, turn: part.turn });
    return { position: part.position, digests };
  } finally {
    await part.close();
  }
}

/** All parts of an upload, by their numbers. */
async function allParts(s3: S3Service, id: string): Promise<Map<number, UploadedPart>> {
  const parts = await s3.store.parts(id, 0, MAX_PARTS);
  return new Map(parts.map((part) => [part.number, part]));
}

/** A request to store the object that an upload has received in parts. */
export interface CompleteRequest extends NamedUpload, StoreRequest {
  /** The parts of the object, as the client states them. */
  readonly stated: readonly { readonly number: number; readonly md5: string }[];
  /** Throws unless the whole content is what the client has sent. */
  readonly verify: (joined: Pick<StagedBlob, "hash" | "sha256" | "crc32" | "size">) => void;
}

/** The object that an upload has become. */
export interface CompletedUpload {
  readonly changes: ChangeSet;
  /** Without quotes. */
  readonly etag: string;
}

/**
 * Stores the object that an upload has received in parts, in one change. The upload and its parts are gone then.
 * If that is refused, they stay. Who asks again, as the reply was lost, gets the object that is there.
 *
 * @throws {S3Error} `InvalidPart`, `InvalidPartOrder`, `EntityTooSmall`, `NoSuchUpload`.
 * @throws {AppError} as storing a file does.
 */
export async function completeMultipart(
  s3: S3Service,
  request: CompleteRequest,
): Promise<CompletedUpload> {
  const { caller, path, stated, verify } = request;
  const { tree, uploads } = s3;
  const upload = await knownUpload(s3, request);
  if (upload === undefined) return await alreadyCompleted(s3, request);
  const { id, metadata } = upload;
  const all = await allParts(s3, id);
  // They are gone if another request has just completed it.
  if (all.size === 0 && await knownUpload(s3, request) === undefined) {
    return await alreadyCompleted(s3, request);
  }
  const chosen = chosenParts(all, stated);
  const etag = multipartEtag(chosen);
  const { requireCondition } = await conditionOf(s3, request);
  const decide = storing({ caller, path, requireCondition });
  using locks = new DisposableStack();
  // In the same order for all requests: two that wait for each other would both fail.
  for (const part of chosen.map(({ part }) => part).sort()) {
    locks.use(await uploads.locks.acquire(part, () => {}));
  }
  // Another request may have completed it meanwhile.
  if (await knownUpload(s3, request) === undefined) return await alreadyCompleted(s3, request);
  await using blob = await uploads.parts.join(
    chosen.map(({ part: id, position, size }) => ({ id, position, size })),
  );
  verify(blob);
  await using staging = new Staging(tree, {
    caller,
    mayReplace: true,
    decide: (_file, found) => decide(found),
    async alongside(transaction) {
      // A retry after a crash gets the object.
      await transaction.endMultipart(id);
      await transaction.completeUploads(chosen.map(({ part }) => part), Date.now());
    },
    facts: { etag, metadata },
  });
  const { changes } = await staging.store([{ path, blob }]);
  await discardParts(s3, all);
  return { changes, etag };
}

/** @throws {S3Error} `NoSuchUpload` unless the object at the path is the one of the parts. */
async function alreadyCompleted(
  s3: S3Service,
  request: CompleteRequest,
): Promise<CompletedUpload> {
  const { facts } = await conditionOf(s3, request);
  const etag = multipartEtag(request.stated);
  if (facts?.etag === etag) return { changes: [], etag };
  throw noSuchUpload(request.id);
}

/** Ends an upload, and removes its parts. */
export async function abortMultipart(s3: S3Service, request: NamedUpload): Promise<void> {
  const { id } = await findMultipart(s3, request);
  const parts = await allParts(s3, id);
  // The upload goes first: without it, its parts expire.
  await s3.store.removeUpload(id);
  await discardParts(s3, parts);
}

/** Their rows go at once: each change of them is synced. */
async function discardParts(
  { uploads }: S3Service,
  parts: ReadonlyMap<number, UploadedPart>,
): Promise<void> {
  const ids = [...parts.values().map(({ part }) => part)];
  await uploads.store.removeAll(ids);
  for (const part of ids) await uploads.parts.remove(part);
}

function chosenParts(
  all: ReadonlyMap<number, UploadedPart>,
  stated: CompleteRequest["stated"],
): UploadedPart[] {
  const chosen = stated.map(({ number, md5 }, at) => {
    if (at > 0 && number <= (stated[at - 1]?.number ?? 0)) {
      throw new S3Error("InvalidPartOrder", "The parts are not in the order of their numbers");
    }
    const part = all.get(number);
    if (part?.md5 === md5) return part;
    const reason = part === undefined ? "was not uploaded" : `has the ETag "${part.md5}"`;
    throw new S3Error("InvalidPart", `Part ${number} ${reason}`);
  });
  const small = chosen.slice(0, -1).find(({ size }) => size < MIN_PART_BYTES);
  if (small !== undefined) {
    throw new S3Error(
      "EntityTooSmall",
      `Part ${small.number} has ${small.size} bytes: all but the last have ${MIN_PART_BYTES} at least`,
    );
  }
  if (chosen.length > 0) return chosen;
  throw new S3Error("MalformedXML", "At least one part is required");
}

/** The ETag of an object that was uploaded in parts: the MD5 of their MD5s, and how many they are. */
function multipartEtag(parts: readonly Pick<UploadedPart, "md5">[]): string {
  const hash = createHash("md5");
  for (const { md5 } of parts) hash.update(md5, "hex");
  return `${hash.digest("hex")}-${parts.length}`;
}
