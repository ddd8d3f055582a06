import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { type S3Checksum, S3ChecksumKind } from "../../schemas/s3_metadata.ts";
import type { StagedBlob } from "../blob_store.ts";
import type { Chunk } from "../content.ts";
import type { ObjectFacts } from "../object_facts.ts";
import { Crc } from "./crc.ts";

export type ChecksumAlgorithm = S3ChecksumKind["algorithm"];
export type ChecksumType = S3ChecksumKind["type"];
export const CHECKSUM_ALGORITHMS = S3ChecksumKind.entries.algorithm.options;
export const CHECKSUM_TYPES = S3ChecksumKind.entries.type.options;

/** How many bytes a checksum has. */
export const CHECKSUM_BYTES: Readonly<Record<ChecksumAlgorithm, number>> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
};

/** The checksum that each file has: staging computes it. */
export const USUAL: S3ChecksumKind = { algorithm: "CRC32", type: "FULL_OBJECT" };

/** A checksum of some content, in base64. */
export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly value: string;
}

/** What is known of content that was staged. */
export type Received = Partial<Pick<StagedBlob, "hash" | "sha256" | "crc32">>;

/** A digest that is computed piece by piece. It can be asked for once. */
export interface RunningDigest {
  update(bytes: Uint8Array): void;
  digest(): Uint8Array;
}

/** Begins a digest. */
export function runningDigest(algorithm: ChecksumAlgorithm | "MD5"): RunningDigest {
  switch (algorithm) {
    case "MD5":
    case "SHA1":
    case "SHA256": {
      const hash = createHash(algorithm);
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
    }
    case "CRC32": {
      let value = 0;
      return { update: (bytes) => value = crc32(bytes, value), digest: () => bytesOf(value) };
    }
    case "CRC32C":
    case "CRC64NVME":
      return new Crc(algorithm);
  }
}

/** A checksum of 32 bits as bytes, the most significant one first. */
function bytesOf(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** The digest of staged content in lower-case hex, if staging has computed it. */
export function stagedDigest(
  { hash, sha256, crc32 }: Received,
  algorithm: ChecksumAlgorithm | "MD5",
): string | undefined {
  switch (algorithm) {
    case "MD5":
      return hash;
    case "SHA256":
      return sha256;
    case "CRC32":
      return crc32 === undefined ? undefined : bytesOf(crc32).toHex();
    case "CRC32C":
    case "CRC64NVME":
    case "SHA1":
      return undefined;
  }
}

/** Content whose checksum is known when all of it has been read and staged. */
export class WatchedContent {
  readonly content: AsyncIterable<Chunk>;
  readonly #algorithm: ChecksumAlgorithm;
  readonly #running: RunningDigest;

  /** @param isStaged Whether staging computes what it does of files, which is not computed twice. */
  constructor(content: AsyncIterable<Chunk>, algorithm: ChecksumAlgorithm, isStaged: boolean) {
    this.#algorithm = algorithm;
    this.#running = runningDigest(algorithm);
    const isKnown = isStaged && (algorithm === "CRC32" || algorithm === "SHA256");
    this.content = isKnown ? content : this.#watched(content);
  }

  /** The checksum, once. @param received What staging has computed. @default nothing */
  checksum(received: Received = {}): Checksum {
    const algorithm = this.#algorithm;
    const staged = stagedDigest(received, algorithm);
    const bytes = staged === undefined ? this.#running.digest() : Uint8Array.fromHex(staged);
    return { algorithm, value: bytes.toBase64() };
  }

  async *#watched(content: AsyncIterable<Chunk>): AsyncGenerator<Chunk, void> {
    for await (const chunk of content) {
      this.#running.update(chunk);
      yield chunk;
    }
  }
}

/** The checksum of an object. */
export function checksumOf(
  { crc32 }: { readonly crc32: number },
  facts: ObjectFacts | undefined,
): S3Checksum {
  return facts?.metadata.checksum ?? { ...USUAL, value: bytesOf(crc32).toBase64() };
}

/** What is kept of the checksum of a whole object: nothing of the one that each file has. */
export function keptChecksum(checksum: Checksum | undefined): S3Checksum | undefined {
  if (checksum === undefined || checksum.algorithm === USUAL.algorithm) return undefined;
  return { ...checksum, type: "FULL_OBJECT" };
}
