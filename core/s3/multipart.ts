import { randomBytes } from "node:crypto";
import { type Caller, ownerOf } from "../caller.ts";
import type { Chunk } from "../content.ts";
import { AppError, quoted } from "../errors.ts";
import { createUpload } from "../tree/create_upload.ts";
import { discardUpload } from "../tree/resumable_upload.ts";
import type { PartDigests } from "../uploads.ts";
import type { S3ChecksumKind, S3Metadata } from "../../schemas/s3_metadata.ts";
import { type Checksum, type ChecksumAlgorithm, WatchedContent } from "./checksum.ts";
import { S3Error } from "./s3_error.ts";
import type { S3Service } from "./service.ts";
import type { MultipartUpload, UploadedPart } from "./store.ts";

/** The most unfinished uploads of a tree, and the parts of all of them. */
export const MAX_UPLOADS = 1000;
const MAX_UNFINISHED_PARTS = 20_000;
export const MAX_PARTS = 10_000;
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
  { caller, path, metadata, checksum }: {
    readonly caller: Caller;
    readonly path: string;
    readonly metadata: S3Metadata;
    /** What the object is to have. Undefined for the checksum that each file has. */
    readonly checksum: S3ChecksumKind | undefined;
  },
): Promise<MultipartUpload> {
  tree.policy?.refuseUpload({ userId: ownerOf(caller), path });
  const now = Date.now();
  const upload = {
    id: randomBytes(ID_BYTES).toString("hex"),
    userId: ownerOf(caller),
    path,
    metadata,
    checksum,
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

/** The upload that a request names, or undefined. */
export async function knownUpload(
  { store }: S3Service,
  { caller, path, id }: NamedUpload,
): Promise<MultipartUpload | undefined> {
  const upload = await store.findUpload(ownerOf(caller), id, Date.now());
  return upload?.path === path ? upload : undefined;
}

/** The error for an upload that is not there. */
export function noSuchUpload(id: string): S3Error {
  return new S3Error("NoSuchUpload", `The upload ${quoted(id)} does not exist, or has expired`);
}

/** A part to receive. */
export interface PartRequest extends NamedUpload {
  readonly number: number;
  /** In bytes. */
  readonly size: number;
  /** The memory of its chunks is given away. */
  readonly content: AsyncIterable<Chunk>;
  /** The algorithm of the checksum that the client states. Undefined if it states none. */
  readonly states: ChecksumAlgorithm | undefined;
  /** Whether `verify` needs the SHA-256 of the content. */
  readonly needsSha256: boolean;
  /** Whether the content is here already, and the server is to compute the checksum. @default false */
  readonly isCopy?: boolean;
  /** Throws unless the content is what the client has sent. Returns the checksum that it states. */
  readonly verify: (received: PartDigests) => Checksum | undefined;
}

/** A part that was received. */
export interface ReceivedPart extends Pick<UploadedPart, "md5" | "createdAt"> {
  /** Undefined if neither the client states one nor the upload needs it. */
  readonly checksum: Checksum | undefined;
}

/**
 * Receives a part of an upload, in place of the one with its number.
 *
 * @throws {S3Error} `NoSuchUpload`, `InvalidRequest` when it has another checksum than the upload.
 * @throws {AppError} as {@link createUpload} does, and what `content` and `verify` throw.
 */
export async function uploadPart(s3: S3Service, request: PartRequest): Promise<ReceivedPart> {
  const { caller, number, size, states, verify } = request;
  const { store, uploads } = s3;
  const { id, checksum: wanted } = await findMultipart(s3, request);
  requireWanted(wanted, request);
  const algorithm = states === undefined ? wanted?.algorithm : undefined;
  const watched = algorithm && new WatchedContent(request.content, algorithm, true);
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
    const { content } = watched ?? request;
    const needsSha256 = request.needsSha256 || algorithm === "SHA256";
    const received = await receive(s3, upload.id, { size, content, needsSha256 });
    const { position, digests } = received;
    const checksum = verify(digests) ?? watched?.checksum(digests);
    const part = {
      number,
      part: upload.id,
      position,
      size,
      md5: digests.hash,
      checksum: wanted && checksum?.value,
      createdAt: Date.now(),
    };
    unused = await store.keepPart(id, part, Date.now() + uploads.expiryMs);
    if (unused === upload.id) throw new S3Error("NoSuchUpload", "The upload has just ended");
    return { ...part, checksum };
  } finally {
    if (unused !== undefined) await discardUpload(uploads, unused);
  }
}

/**
 * The checksum of a part is by the algorithm of the upload. Where that of the object is one of checksums, the client
 * has to state each.
 */
function requireWanted(
  wanted: S3ChecksumKind | undefined,
  { states, isCopy = false }: Pick<PartRequest, "states" | "isCopy">,
): void {
  if (wanted === undefined || states === wanted.algorithm) return;
  if (states === undefined && (isCopy || wanted.type === "FULL_OBJECT")) return;
  throw new S3Error(
    "InvalidRequest",
    `The upload was created with the checksum algorithm ${wanted.algorithm}, and the part has ${
      states ?? "no checksum"
    }`,
  );
}

/** Receives the content of a part. Returns where it is, and its digests. */
async function receive(
  { uploads: { parts, store, expiryMs } }: S3Service,
  id: string,
  { size, content, needsSha256 }: Pick<PartRequest, "size" | "content" | "needsSha256">,
): Promise<{ readonly position: number; readonly digests: PartDigests }> {
  const part = await parts.open(id, 0);
  try {
    await part.beginWhole(needsSha256);
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
export async function allParts(s3: S3Service, id: string): Promise<Map<number, UploadedPart>> {
  const parts = await s3.store.parts(id, 0, MAX_PARTS);
  return new Map(parts.map((part) => [part.number, part]));
}

/** Ends an upload, and removes its parts. */
export async function abortMultipart(s3: S3Service, request: NamedUpload): Promise<void> {
  const { id } = await findMultipart(s3, request);
  const parts = await allParts(s3, id);
  // The upload goes first: without it, its parts expire.
  await s3.store.removeUpload(id);
  await discardParts(s3, parts);
}

/** Discards parts. Their rows go at once: each change of them is synced. */
export async function discardParts(
  { uploads }: S3Service,
  parts: ReadonlyMap<number, UploadedPart>,
): Promise<void> {
  const ids = [...parts.values().map(({ part }) => part)];
  await uploads.store.removeAll(ids);
  for (const part of ids) await uploads.parts.remove(part);
}
