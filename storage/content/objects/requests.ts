import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import type { Chunk } from "../../../core/content.ts";
import type { ContentLocation } from "../../../schemas/content_url.ts";
import { KIB, MIB } from "../../../schemas/units.ts";
import { type CredentialSource, currentCredentials } from "./credentials.ts";
import { failureOf, isTransient, S3Failure } from "./failures.ts";
import { replyText } from "./reply_text.ts";
import type { StoreTotals } from "./store_totals.ts";

export interface S3Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** The name of the object. @default the bucket itself */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Chunk;
  /** Whether it may be sent again. @default true */
  readonly idempotent?: boolean;
}

export interface RequestOptions {
  /** How long the store may take to answer, besides the time for a body. @default 20 s */
  readonly timeoutMs?: number;
  /** How often a request is sent at most. @default 4 */
  readonly attempts?: number;
  /** The first pause before a request is sent again; each is twice the one before. @default 200 ms */
  readonly retryMs?: number;
  /** Counts the requests. @default nothing does */
  readonly totals?: StoreTotals | undefined;
  /** Asked before each request that adds something to the store. @default always */
  readonly mayWrite?: (() => boolean) | undefined;
}

const ATTEMPTS = 4;
const TIMEOUT_MS = 20_000;
const RETRY_MS = 200;
/** More of a reply that is read as text is left out: a page of a listing is a tenth of this. */
const MAX_TEXT_BYTES = 16 * MIB;
const MAX_ERROR_BYTES = 64 * KIB;
/** A body may take as long as it takes at this rate. */
const MIN_BYTES_PER_MS = 50 * KIB / 1000;

/** Signs requests to a store and sends them. */
export class S3Requests {
  readonly #location: ContentLocation;
  readonly #endpoint: URL;
  readonly #signer: SignatureV4;
  readonly #timeoutMs: number;
  readonly #attempts: number;
  readonly #retryMs: number;
  readonly #mayWrite: () => boolean;
  readonly #totals: StoreTotals | undefined;

  constructor(
    location: ContentLocation,
    source: CredentialSource,
    {
      timeoutMs = TIMEOUT_MS,
      attempts = ATTEMPTS,
      retryMs = RETRY_MS,
      mayWrite = () => true,
      totals,
    }: RequestOptions = {},
  ) {
    this.#location = location;
    this.#endpoint = new URL(location.endpoint);
    this.#timeoutMs = timeoutMs;
    this.#attempts = attempts;
    this.#retryMs = retryMs;
    this.#mayWrite = mayWrite;
    this.#totals = totals;
    const current = currentCredentials(source);
    this.#signer = new SignatureV4({
      service: "s3",
      region: location.region,
      credentials: async () => {
        const { sessionToken, ...keys } = await current();
        return { ...keys, ...(sessionToken !== undefined && { sessionToken }) };
      },
      sha256: Sha256,
      uriEscapePath: false,
      applyChecksum: false,
    });
  }

  /**
   * Sends a request, again after failures that pass. The caller reads the body of the reply, or cancels it.
   *
   * @throws {S3Failure} when the store refuses it, or cannot be reached.
   */
  send(request: S3Request): Promise<Response> {
    return this.#attempt(request, (response) => Promise.resolve(response));
  }

  /**
   * Sends a request as {@link send} does, and reads the body of the reply.
   *
   * @throws {S3Failure} as {@link send} does, and when the store stops in the middle of the reply.
   */
  text(request: S3Request): Promise<string> {
    const limits = { stallMs: this.#timeoutMs, maxBytes: MAX_TEXT_BYTES };
    return this.#attempt(request, (response) => replyText(response, limits));
  }

  async #attempt<T>(request: S3Request, read: (response: Response) => Promise<T>): Promise<T> {
    const { idempotent = true } = request;
    for (let attempt = 1;; attempt++) {
      try {
        return await read(await this.#sendOnce(request));
      } catch (error) {
        if (!idempotent || attempt === this.#attempts || !isTransient(error)) throw error;
        const pause = this.#retryMs * 2 ** (attempt - 1) * (0.5 + Math.random());
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  async #sendOnce(request: S3Request): Promise<Response> {
    const { method, body } = request;
    if ((method === "PUT" || method === "POST") && !isDeletion(request) && !this.#mayWrite()) {
      throw new S3Failure(
        "This server is out of touch with the others: its objects may be given up",
      );
    }
    const { url, headers } = await this.#signed(request).catch((cause) => {
      throw new S3Failure("Cannot sign requests to the content store", { cause });
    });
    const late = new AbortController();
    const ms = this.#timeoutMs + (body?.length ?? 0) / MIN_BYTES_PER_MS;
    // Ends with the head of the reply: who reads the body has time limits of its own.
    const timer = setTimeout(() => late.abort(new Error(`No reply within ${ms} ms`)), ms);
    const started = performance.now();
    let response: Response | undefined;
    try {
      response = await fetch(url, {
        method,
        headers,
        redirect: "error",
        signal: late.signal,
        ...(body !== undefined && { body }),
      });
    } catch (error) {
      throw new S3Failure("Cannot reach the content store", { cause: error });
    } finally {
      clearTimeout(timer);
      this.#totals?.count(method, response?.status, performance.now() - started);
    }
    if (response.ok) return response;
    const limits = { stallMs: this.#timeoutMs, maxBytes: MAX_ERROR_BYTES };
    throw failureOf(response, {
      text: await replyText(response, limits).catch(() => ""),
      right: rightOf(request),
    });
  }

  async #signed(
    { method, key = "", query = {}, headers = {} }: S3Request,
  ): Promise<{ url: URL; headers: Record<string, string> }> {
    const url = new URL(`/${this.#location.bucket}${key === "" ? "" : `/${key}`}`, this.#endpoint);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    // Blanks are %20 in signatures.
    url.search = url.search.replaceAll("+", "%20");
    const { protocol, hostname, port, host, pathname } = url;
    const signed = await this.#signer.sign({
      method,
      protocol,
      hostname,
      ...(port !== "" && { port: Number(port) }),
      path: pathname,
      query: { ...query },
      headers: { ...headers, host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" },
    });
    return { url, headers: signed.headers };
  }
}

/** Whether a request deletes objects by their names. */
function isDeletion({ query = {} }: S3Request): boolean {
  return "delete" in query;
}

/** The right that a request needs, as policies of AWS name it. */
function rightOf(request: S3Request): string {
  const { method, key, query = {} } = request;
  if (isDeletion(request)) return "s3:DeleteObject";
  if (method === "PUT" || method === "POST") return "s3:PutObject";
  if (method === "DELETE") {
    return "uploadId" in query ? "s3:AbortMultipartUpload" : "s3:DeleteObject";
  }
  if (key !== undefined) return "s3:GetObject, and s3:ListBucket to see that an object is missing";
  return "uploads" in query ? "s3:ListBucketMultipartUploads" : "s3:ListBucket";
}

/** SHA-256, and HMAC with it, as the signer asks for it. */
class Sha256 {
  #hash: Hash | Hmac;
  readonly #secret: string | Uint8Array | undefined;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = typeof secret === "object" ? bytesOf(secret) : secret;
    this.#hash = this.#begin();
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(typeof data === "string" ? data : bytesOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }

  reset(): void {
    this.#hash = this.#begin();
  }

  #begin(): Hash | Hmac {
    return this.#secret === undefined ? createHash("sha256") : createHmac("sha256", this.#secret);
  }
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
