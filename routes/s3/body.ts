import { Buffer } from "node:buffer";
import { type Chunk, joinChunks } from "../../core/content.ts";
import { quoted } from "../../core/errors.ts";
import {
  type Checksum,
  type ChecksumAlgorithm,
  type Received,
  type RunningDigest,
  runningDigest,
  stagedDigest,
} from "../../core/s3/checksum.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { bodyContent, type BodyLimits, uploadBodyLimits } from "../request/body.ts";
import { authenticated } from "./authenticate.ts";
import {
  type Algorithm,
  announcedDigest,
  digestOf,
  type StatedDigest,
  statedDigests,
} from "./checksums.ts";
import { chunkedContent, payloadForm } from "./signed_content.ts";
import type { Handled } from "./target.ts";

/** Its header states the digest of the content, too, but is no checksum to keep. */
const CONTENT_SHA256 = "X-Amz-Content-Sha256";

/** The body of a request with a signature. */
export class SignedBody {
  /** The size of its content in bytes, as the client states it; 0 if it does not. */
  readonly size: number;
  /** Its content. Keep it only when {@link verify} does not throw. */
  readonly content: AsyncIterable<Chunk>;
  /** The algorithm of the checksum that the client states, maybe at the end; undefined if it states none. */
  readonly states: ChecksumAlgorithm | undefined;
  /** Whether the client states the SHA-256 of the content. */
  readonly statesSha256: boolean;
  readonly #stated: StatedDigest[];
  readonly #sizeName: string;
  readonly #statedSize: string | null;
  readonly #running = new Map<Algorithm, RunningDigest>();
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
    const announced = (headers.get("x-amz-trailer") ?? "").split(",")
      .map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
    const trailing = announced.map(announcedDigest);
    const [checksum] = this.#checksums();
    this.states = checksum?.algorithm ?? trailing[0];
    if (form.sha256 !== undefined) {
      const header = CONTENT_SHA256;
      this.#stated.push({ header, algorithm: "SHA256", hex: form.sha256, text: form.sha256 });
    }
    const stated = [...this.#stated.map(({ algorithm }) => algorithm), ...trailing];
    this.statesSha256 = stated.includes("SHA256");
    for (const algorithm of stated) {
      if (!staged.includes(algorithm)) this.#running.set(algorithm, runningDigest(algorithm));
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
        header === CONTENT_SHA256 ? "XAmzContentSHA256Mismatch" : "BadDigest",
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

  /** The checksum that the client has stated of the content, all of which has been read. */
  checksum(): Checksum | undefined {
    return this.#checksums()[0];
  }

  #checksums(): Checksum[] {
    return this.#stated.flatMap(({ header, algorithm, text }) =>
      algorithm === "MD5" || header === CONTENT_SHA256 ? [] : [{ algorithm, value: text }]
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
        throw new S3Error("MalformedTrailerError", `The trailer ${quoted(name)} is missing`);
      }
      this.#stated.push(digestOf(name, announcedDigest(name), value));
    }
    const unknown = [...trailer.keys()].find((name) => !announced.includes(name));
    if (unknown === undefined) return;
    throw new S3Error("MalformedTrailerError", `The trailer ${quoted(unknown)} was not announced`);
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
  staged: readonly Algorithm[] = ["CRC32", "MD5", "SHA256"],
): SignedBody {
  return new SignedBody(c, uploadBodyLimits(tree), staged);
}
