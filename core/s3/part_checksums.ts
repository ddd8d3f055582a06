import type { S3Checksum, S3ChecksumKind } from "../../schemas/s3_metadata.ts";
import type { StagedBlob } from "../blob_store.ts";
import { isTurnOver, takeTurn } from "../event_loop.ts";
import {
  type Checksum,
  type ChecksumAlgorithm,
  type ChecksumType,
  runningDigest,
  stagedDigest,
  USUAL,
} from "./checksum.ts";
import { JoinedCrc } from "./crc.ts";
import { S3Error } from "./s3_error.ts";
import type { UploadedPart } from "./store.ts";

/** What a client states of the checksum of an object that it uploads in parts. */
export interface StatedChecksums {
  /** Undefined if it is not stated. */
  readonly checksum: Checksum | undefined;
  readonly type: ChecksumType | undefined;
}

/** An object in parts. */
export interface ObjectInParts {
  readonly parts: readonly Pick<UploadedPart, "number" | "size" | "checksum">[];
  /** Its whole content. */
  readonly whole: Pick<StagedBlob, "sha256" | "crc32">;
}

/**
 * The checksum of an object that is uploaded in parts.
 *
 * @param wanted What its upload was created with.
 */
export async function checksumOfParts(
  wanted: S3ChecksumKind = USUAL,
  { parts, whole }: ObjectInParts,
): Promise<S3Checksum> {
  const { algorithm, type } = wanted;
  if (type === "COMPOSITE") {
    const digest = runningDigest(algorithm);
    for (const part of parts) digest.update(Uint8Array.fromBase64(keptOf(part)));
    return { algorithm, type, value: `${digest.digest().toBase64()}-${parts.length}` };
  }
  if (algorithm === "CRC32C" || algorithm === "CRC64NVME") {
    const joined = new JoinedCrc(algorithm);
    for (const part of parts) {
      if (isTurnOver()) await takeTurn();
      joined.add({ size: part.size, value: keptOf(part) });
    }
    return { algorithm, type, value: joined.digest() };
  }
  return { algorithm, type, value: wholeChecksum(whole, algorithm) ?? "" };
}

function keptOf({ checksum, number }: ObjectInParts["parts"][number]): string {
  if (checksum !== undefined) return checksum;
  throw new Error(`Part ${number} has no checksum`);
}

/** A checksum of the whole content, if staging has computed it. */
function wholeChecksum(
  whole: ObjectInParts["whole"],
  algorithm: ChecksumAlgorithm,
): string | undefined {
  const hex = stagedDigest(whole, algorithm);
  return hex === undefined ? undefined : Uint8Array.fromHex(hex).toBase64();
}

/**
 * Throws unless an object and its parts have the checksums that the client states of them.
 *
 * @param wanted What its upload was created with.
 * @throws {S3Error} `InvalidRequest`, `InvalidPart`, `BadDigest`.
 */
export function requireStated(
  wanted: S3ChecksumKind | undefined,
  { parts, kept, stated, checksum, whole }: {
    readonly parts: readonly { readonly number: number; readonly checksum: Checksum | undefined }[];
    /** The same parts as they were received. */
    readonly kept: ObjectInParts["parts"];
    readonly stated: StatedChecksums;
    /** The checksum of the object. */
    readonly checksum: S3Checksum;
    readonly whole: ObjectInParts["whole"];
  },
): void {
  const { type } = checksum;
  if (stated.type !== undefined && stated.type !== type) {
    throw new S3Error("InvalidRequest", `The upload has the checksum type ${type}`);
  }
  for (const [at, { number, checksum: own }] of parts.entries()) {
    if (wanted === undefined) break;
    const { algorithm } = wanted;
    if (own === undefined) {
      if (type === "FULL_OBJECT") continue;
      throw new S3Error("InvalidRequest", `Part ${number} is stated without its ${algorithm}`);
    }
    const found = kept[at]?.checksum;
    if (own.algorithm !== algorithm) {
      throw new S3Error(
        "BadDigest",
        `Part ${number} is stated with a ${own.algorithm}, and has a ${algorithm}`,
      );
    }
    if (own.value === found) continue;
    throw new S3Error("InvalidPart", `Part ${number} has the ${algorithm} ${found}`);
  }
  if (stated.checksum !== undefined) requireWhole(stated.checksum, { wanted, checksum, whole });
}

function requireWhole(
  { algorithm, value }: Checksum,
  { wanted, checksum, whole }: {
    readonly wanted: S3ChecksumKind | undefined;
    readonly checksum: S3Checksum;
    readonly whole: ObjectInParts["whole"];
  },
): void {
  const found = algorithm === checksum.algorithm
    ? checksum.value
    // A client that has asked for nothing may state what is known anyway.
    : wanted === undefined
    ? wholeChecksum(whole, algorithm)
    : undefined;
  if (found === undefined) {
    throw new S3Error(
      "InvalidRequest",
      `The upload has the checksum algorithm ${checksum.algorithm}, and a ${algorithm} is stated`,
    );
  }
  // Some clients leave out how many parts there are.
  const isSame = value === found ||
    checksum.type === "COMPOSITE" && value === found.replace(/-\d+$/, "");
  if (isSame) return;
  throw new S3Error("BadDigest", `The object has the ${algorithm} ${found}, and not ${value}`);
}
