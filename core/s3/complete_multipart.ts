import { createHash } from "node:crypto";
import { MIB } from "../../schemas/units.ts";
import type { S3Checksum, S3Metadata } from "../../schemas/s3_metadata.ts";
import type { StagedBlob } from "../blob_store.ts";
import type { ChangeSet } from "../tree/change_set.ts";
import { storing } from "../tree/placement.ts";
import { Staging } from "../tree/staging.ts";
import { type Checksum, checksumOf, USUAL } from "./checksum.ts";
import { conditionOf, type StoreRequest } from "./condition.ts";
import {
  allParts,
  discardParts,
  knownUpload,
  type NamedUpload,
  noSuchUpload,
} from "./multipart.ts";
import { checksumOfParts, requireStated, type StatedChecksums } from "./part_checksums.ts";
import { S3Error } from "./s3_error.ts";
import type { S3Service } from "./service.ts";
import type { UploadedPart } from "./store.ts";

/** All parts but the last are at least so large, as at Amazon's. */
const MIN_PART_BYTES = 5 * MIB;

/** A part of an object, as the client states it. */
export interface StatedPart {
  readonly number: number;
  /** In lower-case hex. */
  readonly md5: string;
  /** Undefined if it states none. */
  readonly checksum: Checksum | undefined;
}

/** A request to store the object that an upload has received in parts. */
export interface CompleteRequest extends NamedUpload, StoreRequest {
  readonly parts: readonly StatedPart[];
  /** What the client states of the whole object. */
  readonly stated: StatedChecksums & {
    /** In bytes. Undefined if it is not stated. */
    readonly size: number | undefined;
  };
}

/** The object that an upload has become. */
export interface CompletedUpload {
  readonly changes: ChangeSet;
  /** Without quotes. */
  readonly etag: string;
  readonly checksum: S3Checksum;
}

/**
 * Stores the object that an upload has received in parts, in one change. The upload and its parts are gone then.
 * If that is refused, they stay. Who asks again, as the reply was lost, gets the object that is there.
 *
 * @throws {S3Error} `InvalidPart`, `InvalidPartOrder`, `EntityTooSmall`, `NoSuchUpload`, `BadDigest`, `InvalidRequest`.
 * @throws {AppError} as storing a file does.
 */
export async function completeMultipart(
  s3: S3Service,
  request: CompleteRequest,
): Promise<CompletedUpload> {
  const { caller, path } = request;
  const { tree, uploads } = s3;
  const upload = await knownUpload(s3, request);
  if (upload === undefined) return await alreadyCompleted(s3, request);
  const { id } = upload;
  const all = await allParts(s3, id);
  // They are gone if another request has just completed it.
  if (all.size === 0 && await knownUpload(s3, request) === undefined) {
    return await alreadyCompleted(s3, request);
  }
  const chosen = chosenParts(all, request);
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
  await using blob: StagedBlob = await uploads.parts.join(
    chosen.map(({ part: id, position, size }) => ({ id, position, size })),
  );
  const { checksum: wanted } = upload;
  const checksum = await checksumOfParts(wanted, { parts: chosen, whole: blob });
  requireStated(wanted, { ...request, checksum, kept: chosen, whole: blob });
  const metadata: S3Metadata = {
    ...upload.metadata,
    ...isUsual(checksum) ? {} : { checksum },
    parts: sizesOf(chosen),
  };
  await using staging = new Staging(tree, {
    caller,
    mayReplace: true,
    decide: (_file, found) => decide(found),
    async alongside(transaction) {
      // A retry after a crash gets the object.
      await transaction.endMultipart(id);
      await transaction.completeUploads(chosen.map(({ part }) => part), Date.now());
    },
    facts: () => ({ etag, metadata }),
  });
  const { changes } = await staging.store([{ path, blob }]);
  await discardParts(s3, all);
  return { changes, etag, checksum };
}

function isUsual({ algorithm, type }: S3Checksum): boolean {
  return algorithm === USUAL.algorithm && type === USUAL.type;
}

/** @throws {S3Error} `NoSuchUpload` unless the object at the path is the one of the parts. */
async function alreadyCompleted(
  s3: S3Service,
  request: CompleteRequest,
): Promise<CompletedUpload> {
  const { facts, found } = await conditionOf(s3, request);
  const etag = multipartEtag(request.parts);
  const record = found.get(request.path);
  if (facts?.etag !== etag || record === undefined) throw noSuchUpload(request.id);
  return { changes: [], etag, checksum: checksumOf(record, facts) };
}

function chosenParts(
  all: ReadonlyMap<number, UploadedPart>,
  { parts: stated, stated: { size } }: CompleteRequest,
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
  if (chosen.length === 0) throw new S3Error("MalformedXML", "At least one part is required");
  const sum = chosen.reduce((sum, { size }) => sum + size, 0);
  if (size === undefined || size === sum) return chosen;
  throw new S3Error(
    "InvalidRequest",
    `The parts have ${sum} bytes, and x-amz-mp-object-size is ${size}`,
  );
}

/** The ETag of an object that was uploaded in parts: the MD5 of their MD5s, and how many they are. */
function multipartEtag(parts: readonly Pick<UploadedPart, "md5">[]): string {
  const hash = createHash("md5");
  for (const { md5 } of parts) hash.update(md5, "hex");
  return `${hash.digest("hex")}-${parts.length}`;
}

/** The sizes of parts, as metadata has them: most follow one of the same size. */
function sizesOf(parts: readonly Pick<UploadedPart, "size">[]): [size: number, count: number][] {
  const sizes: [number, number][] = [];
  for (const { size } of parts) {
    const last = sizes.at(-1);
    if (last?.[0] === size) last[1]++;
    else sizes.push([size, 1]);
  }
  return sizes;
}
