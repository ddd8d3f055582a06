import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { StagedBlob } from "../../core/blob_store.ts";
import { type Chunk, joinChunks } from "../../core/content.ts";
import { quoted } from "../../core/errors.ts";
import { Crc } from "../../core/s3/crc.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { bodyContent, type BodyLimits, uploadBodyLimits } from "../request/body.ts";
import type { HeaderSource } from "../request/conditional.ts";
import { authenticated } from "./authenticate.ts";
import type { RequestHeaders } from "./request_headers.ts";
import { chunkedContent, payloadForm } from "./signed_content.ts";
import type { Handled } from "./target.ts";

/** The digests that clients state of content, and their lengths in bytes. */
const LENGTHS = { crc32: 4, crc32c: 4, crc64nvme: 8, md5: 16, sha1: 20, sha256: 32 } as const;
type Algorithm = keyof typeof LENGTHS;
const CHECKSUM = "x-amz-checksum-";
/** Goes with the checksum of a whole object. */
export const FULL_OBJECT = { "x-amz-checksum-type": "FULL_OBJECT" } as const;
const CHECKSUMS = (Object.keys(LENGTHS) as Algorithm[]).filter((it) => it !== "md5");

/** What is known of content that was staged. */
type Received = Partial<Pick<StagedBlob, "hash" | "sha256" | "crc32">>;

interface StatedDigest {
  readonly header: string;
  readonly algorithm: Algorithm;
  /** In lower-case hex. */
  readonly hex: string;
  /** As the header has it. */
  readonly text: string;
}

/** The body of a request with a signature. */
export class SignedBody {
  /** The size of its content in bytes, as the client states it; 0 if it does not. */
  readonly size: number;
  /** Its content. Keep it only when {@link verify} does not throw. */
  readonly content: AsyncIterable<Chunk>;
  readonly #stated: StatedDigest[];
  readonly #sizeName: string;
  readonly #statedSize: string | null;
  readonly #running = new Map<Algorithm, Running>();
  readonly #digests = new Map<Algorithm, string>();

  /**
   * @param staged The digests that {@link verify} is given. @default none
   * @param isContent Whether the checksums that are stated are those of the body. @default true
   */
  constructor(
    c: Handled,
    limits: BodyLimits,
    staged: readonly Algorithm[] = [],
    isContent = true,
  ) {
    const { raw } = c.req;
    const { verified, target: { headers } } = authenticated(raw);
    const form = payloadForm(verified.payload);
    this.#stated = isContent ? statedDigests(headers) : [];
    if (form.sha256 !== undefined) {
      const header = "X-Amz-Content-Sha256";
      this.#stated.push({ header, algorithm: "sha256", hex: form.sha256, text: form.sha256 });
    }
    const announced = (headers.get("x-amz-trailer") ?? "").split(",")
      .map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
    for (const { algorithm } of [...this.#stated, ...announced.map(announcedDigest)]) {
      if (!staged.includes(algorithm)) this.#running.set(algorithm, running(algorithm));
    }
    const body = bodyContent(raw, limits);
    const name = form.isChunked ? "X-Amz-Decoded-Content-Length" : "Content-Length";
    this.#sizeName = name;
    this.#statedSize = headers.get(name);
    this.size = this.#statedSize === null && !form.isChunked ? 0 : this.requiredSize();
    const content = form.isChunked
      ? chunkedContent(body, {
        form,
        verified,
        size: this.size,
        onTrailer: (trailer) => this.#takeTrailer(trailer, announced),
      })
      : body;
    this.content = this.#running.size === 0 ? content : this.#watched(content);
  }

  /** @throws {S3Error} `InvalidArgument` when the client does not state the size. */
  requiredSize(): number {
    const text = this.#statedSize;
    if (text !== null && /^\d{1,15}$/.test(text)) return Number(text);
    if (text === null) throw new S3Error("MissingContentLength", `${this.#sizeName} is missing`);
    throw new S3Error(
      "InvalidArgument",
      `${this.#sizeName} is ${quoted(text)}, expected a size in bytes`,
    );
  }

  /** @throws {S3Error} when the content, all of which has been read, is not what the client states. */
  verify(received: Received = {}): void {
    for (const { header, algorithm, hex } of this.#stated) {
      const found = stagedDigest(received, algorithm) ?? this.#digest(algorithm);
      if (found === hex) continue;
      throw new S3Error(
        header === "X-Amz-Content-Sha256" ? "XAmzContentSHA256Mismatch" : "BadDigest",
        `The content has the ${algorithm} ${found}, and ${header} states ${hex}`,
      );
    }
  }

  /** A digest can be asked for once, and two headers may state the same. */
  #digest(algorithm: Algorithm): string {
    const known = this.#digests.get(algorithm);
    if (known !== undefined) return known;
    const digest = Buffer.from(this.#running.get(algorithm)?.digest() ?? []).toString("hex");
    this.#digests.set(algorithm, digest);
    return digest;
  }

  /** The whole content, which is verified. */
  async bytes(): Promise<Chunk> {
    const chunks = await Array.fromAsync(this.content);
    this.verify();
    return joinChunks(chunks);
  }

  /** @throws {S3Error} `InvalidArgument` when there is content. */
  async requireEmpty(key: string): Promise<void> {
    const bytes = await this.bytes();
    if (bytes.length === 0) return;
    throw new S3Error(
      "InvalidArgument",
      `The key ${quoted(key)} is that of a directory, and the body has ${bytes.length} bytes`,
    );
  }

  /** The checksums that the client has stated, as headers of the reply. */
  checksumHeaders(): Record<string, string> {
    return Object.fromEntries(
      this.#stated.filter(({ header }) => header.startsWith(CHECKSUM))
        .map(({ header, text }) => [header, text]),
    );
  }

  async *#watched(content: AsyncIterable<Chunk>): AsyncGenerator<Chunk, void> {
    for await (const chunk of content) {
      for (const digest of this.#running.values()) digest.update(chunk);
      yield chunk;
    }
  }

  #takeTrailer(trailer: ReadonlyMap<string, string>, announced: readonly string[]): void {
    for (const name of announced) {
      const value = trailer.get(name);
      if (value === undefined) {
        throw new S3Error("InvalidRequest", `The trailer ${quoted(name)} is missing`);
      }
      this.#stated.push(digestOf(name, announcedDigest(name).algorithm, value));
    }
    const unknown = [...trailer.keys()].find((name) => !announced.includes(name));
    if (unknown === undefined) return;
    throw new S3Error("InvalidRequest", `The trailer ${quoted(unknown)} was not announced`);
  }
}

/**
 * Throws unless joined content has the size and the checksum that a request states of it. The body of the request is a list of
 * its parts, each of which has the content that was stated of it.
 *
 * @throws {S3Error} `InvalidRequest`, `BadDigest`, or `NotImplemented` for a checksum that staging does not compute.
 */
export function verifyJoined(
  headers: RequestHeaders,
  joined: Received & Pick<StagedBlob, "size">,
): void {
  const size = headers.get("x-amz-mp-object-size");
  if (size !== null && size !== String(joined.size)) {
    throw new S3Error(
      "InvalidRequest",
      `The parts have ${joined.size} bytes, and x-amz-mp-object-size is ${quoted(size)}`,
    );
  }
  for (const [name, value] of headers) {
    const algorithm = CHECKSUMS.find((it) => name === `${CHECKSUM}${it}`);
    // A checksum of the checksums of the parts.
    if (algorithm === undefined || /-\d+$/.test(value)) continue;
    const { hex } = digestOf(name, algorithm, value);
    const found = stagedDigest(joined, algorithm);
    if (found === hex) continue;
    if (found === undefined) {
      throw new S3Error("NotImplemented", `The header ${name} is not offered for uploads in parts`);
    }
    throw new S3Error(
      "BadDigest",
      `The content has the ${algorithm} ${found}, and ${name} states ${hex}`,
    );
  }
}

/**
 * The body of a request, to be staged.
 *
 * @param staged What staging computes anyway is not computed twice. @default what it does of files
 */
export function stagedBody(
  c: Handled,
  tree: Tree,
  staged: readonly Algorithm[] = ["crc32", "md5", "sha256"],
): SignedBody {
  return new SignedBody(c, uploadBodyLimits(tree), staged);
}

interface Running {
  update(bytes: Uint8Array): void;
  digest(): Uint8Array;
}

function running(algorithm: Algorithm): Running {
  switch (algorithm) {
    case "md5":
    case "sha1":
    case "sha256": {
      const hash = createHash(algorithm);
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
    }
    case "crc32": {
      let value = 0;
      return { update: (bytes) => value = crc32(bytes, value), digest: () => bytesOf(value) };
    }
    case "crc32c":
    case "crc64nvme":
      return new Crc(algorithm);
  }
}

/** A checksum of 32 bits as bytes, the most significant one first. */
export function bytesOf(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function stagedDigest({ hash, sha256, crc32 }: Received, algorithm: Algorithm): string | undefined {
  switch (algorithm) {
    case "md5":
      return hash;
    case "sha256":
      return sha256;
    case "crc32":
      return crc32 === undefined ? undefined : bytesOf(crc32).toHex();
    case "crc32c":
    case "crc64nvme":
    case "sha1":
      return undefined;
  }
}

/** @throws {S3Error} `InvalidRequest` when there are several checksums, or another one than is announced. */
function statedDigests(headers: HeaderSource): StatedDigest[] {
  const md5 = headers.get("Content-MD5");
  const checksums: StatedDigest[] = [];
  for (const algorithm of CHECKSUMS) {
    const header = `${CHECKSUM}${algorithm}`;
    const value = headers.get(header);
    if (value !== null) checksums.push(digestOf(header, algorithm, value));
  }
  if (checksums.length > 1) throw new S3Error("InvalidRequest", "There is more than one checksum");
  const announced = headers.get("x-amz-sdk-checksum-algorithm")?.toLowerCase();
  const [checksum] = checksums;
  if (announced !== undefined && checksum !== undefined && checksum.algorithm !== announced) {
    throw new S3Error(
      "InvalidRequest",
      `x-amz-sdk-checksum-algorithm is ${quoted(announced)}, and there is a ${checksum.header}`,
    );
  }
  return [...md5 === null ? [] : [digestOf("Content-MD5", "md5", md5)], ...checksums];
}

function announcedDigest(name: string): { readonly algorithm: Algorithm } {
  const algorithm = name.startsWith(CHECKSUM) ? name.slice(CHECKSUM.length) : "";
  switch (algorithm) {
    case "crc32":
    case "crc32c":
    case "crc64nvme":
    case "sha1":
    case "sha256":
      return { algorithm };
    default:
      throw new S3Error("InvalidRequest", `The trailer ${quoted(name)} is not offered here`);
  }
}

function digestOf(header: string, algorithm: Algorithm, base64: string): StatedDigest {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length === LENGTHS[algorithm] && bytes.toString("base64") === base64) {
    return { header, algorithm, hex: bytes.toString("hex"), text: base64 };
  }
  throw new S3Error(
    algorithm === "md5" ? "InvalidDigest" : "InvalidRequest",
    `${header} is ${quoted(base64)}, expected ${LENGTHS[algorithm]} bytes in base64`,
  );
}
