import { createHash } from "node:crypto";
import type { ByteRange } from "../../../core/blob_store.ts";
import type { Chunk } from "../../../core/content.ts";
import { isMissing, S3Failure } from "./failures.ts";
import type { S3Requests } from "./requests.ts";
import { escaped, textsOf } from "./xml.ts";

/** A part of an object that was sent. */
export interface SentPart {
  readonly etag: string;
  /** In Base64. */
  readonly crc32: string;
}

/** An object in a listing. */
export interface ListedObject {
  readonly key: string;
  readonly size: number;
}

/** Part of an object on its way. */
export interface OpenObject {
  /** The size of all of the object in bytes. */
  readonly size: number;
  readonly body: ReadableStream<Chunk>;
}

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

/** How long an object that was there counts as being there. None gets other bytes under its name. */
const SEEN_MS = 600_000;
/** How many of them are remembered. */
const MAX_SEEN = 50_000;

/** An object that was there. */
interface SeenObject {
  readonly size: number;
  readonly at: number;
}

/** The objects of a bucket. Each operation is one request, or few. */
export class Bucket {
  readonly #requests: S3Requests;
  /** Whether the store takes checksums of its own. */
  #takesChecksums = true;
  readonly #seen = new Map<string, SeenObject>();

  constructor(requests: S3Requests) {
    this.#requests = requests;
  }

  /** Writes a whole object. */
  async put(key: string, body: Chunk, crc32: string): Promise<void> {
    await consume(
      await this.#requests.send({ method: "PUT", key, body, headers: this.#checksum(crc32) }),
    );
    this.#note(key, body.length);
  }

  /** Writes a small object, and finds out whether the store takes checksums. */
  async probe(key: string, body: Chunk, crc32: string): Promise<void> {
    try {
      await this.put(key, body, crc32);
    } catch (error) {
      const isRefused = error instanceof S3Failure &&
        (error.status === 400 || error.status === 501);
      if (!isRefused || !this.#takesChecksums) throw error;
      this.#takesChecksums = false;
      await this.put(key, body, crc32);
    }
  }

  /** Begins an object in parts, and returns the id of the upload. */
  async beginUpload(key: string): Promise<string> {
    const xml = await this.#requests.text({
      method: "POST",
      key,
      query: { uploads: "" },
      headers: this.#takesChecksums ? { "x-amz-checksum-algorithm": "CRC32" } : {},
      // Another one would be left.
      idempotent: false,
    });
    const [id] = textsOf(xml, "UploadId");
    if (id === undefined) throw new S3Failure("The content store began no upload");
    return id;
  }

  /** Sends a part of an object. Parts are numbered from 1. */
  async putPart(
    key: string,
    { uploadId, number, body, crc32 }: {
      uploadId: string;
      number: number;
      body: Chunk;
      crc32: string;
    },
  ): Promise<SentPart> {
    const response = await this.#requests.send({
      method: "PUT",
      key,
      query: { partNumber: String(number), uploadId },
      headers: this.#checksum(crc32),
      body,
    });
    const etag = response.headers.get("etag");
    await consume(response);
    if (etag === null) throw new S3Failure("The content store acknowledged no part");
    return { etag, crc32 };
  }

  /** Makes an object of its parts, which are in order. */
  async completeUpload(
    key: string,
    { uploadId, parts, size }: { uploadId: string; parts: readonly SentPart[]; size: number },
  ): Promise<void> {
    try {
      const xml = await this.#requests.text({
        method: "POST",
        key,
        query: { uploadId },
        headers: { "content-type": "application/xml" },
        body: new TextEncoder().encode(this.#completion(parts)),
        idempotent: false,
      });
      // A store may begin its reply before it has done the work.
      const [code = "no result"] = textsOf(xml, "Code");
      if (textsOf(xml, "ETag").length > 0) return this.#note(key, size);
      throw new S3Failure(`The content store made no object: ${code}`, { status: 500, code });
    } catch (error) {
      // If only the reply was lost, the object is there.
      if (!(error instanceof S3Failure) || await this.sizeOf(key) !== size) throw error;
    }
  }

  /** Ends unfinished uploads of an object. */
  async abortUploads(key: string): Promise<void> {
    const xml = await this.#requests.text({
      method: "GET",
      query: { uploads: "", prefix: key },
    });
    for (const upload of textsOf(xml, "Upload")) {
      const [uploadId = ""] = textsOf(upload, "UploadId");
      if (textsOf(upload, "Key")[0] === key) await this.abortUpload(key, uploadId);
    }
  }

  /** Ends an unfinished upload, if there is one. */
  async abortUpload(key: string, uploadId: string): Promise<void> {
    await this.#orMissing(
      this.#requests.send({ method: "DELETE", key, query: { uploadId } }).then(consume),
    );
  }

  /** Opens a range of an object that is not empty; undefined if there is no such object. */
  async open(key: string, { start, end }: ByteRange): Promise<OpenObject | undefined> {
    const headers = { range: `bytes=${start}-${end - 1}` };
    const response = await this.#orMissing(this.#requests.send({ method: "GET", key, headers }));
    if (response === undefined) {
      this.#seen.delete(key);
      return undefined;
    }
    const size = Number(response.headers.get("content-range")?.split("/")[1]);
    if (response.status === 206 && Number.isSafeInteger(size) && response.body !== null) {
      this.#note(key, size);
      return { size, body: response.body };
    }
    await consume(response);
    throw new S3Failure(`The content store replied ${response.status} instead of a range`);
  }

  /**
   * The size of an object that is not empty; undefined if there is none.
   *
   * @param when Whether what was so up to ten minutes ago will do. @default it has to be so now
   */
  async sizeOf(key: string, when?: "lately"): Promise<number | undefined> {
    const seen = when === "lately" ? this.#seen.get(key) : undefined;
    if (seen !== undefined && performance.now() - seen.at < SEEN_MS) return seen.size;
    // The reply to HEAD does not tell a missing object from a missing bucket.
    const opened = await this.open(key, { start: 0, end: 1 });
    await opened?.body.cancel();
    return opened?.size;
  }

  /** Deletes an object, if there is one. */
  async delete(key: string): Promise<void> {
    this.#seen.delete(key);
    await this.#orMissing(this.#requests.send({ method: "DELETE", key }).then(consume));
  }

  /**
   * Deletes up to 1000 objects by one request, as far as they are there.
   *
   * @returns why some were not deleted, by their names.
   */
  async deleteAll(keys: readonly string[]): Promise<Map<string, S3Failure>> {
    for (const key of keys) this.#seen.delete(key);
    const named = keys.map((key) => `<Object><Key>${escaped(key)}</Key></Object>`).join("");
    const body = new TextEncoder().encode(
      `<Delete xmlns="${NAMESPACE}"><Quiet>true</Quiet>${named}</Delete>`,
    );
    const md5 = createHash("md5").update(body).digest("base64");
    const xml = await this.#requests.text({
      method: "POST",
      query: { delete: "" },
      headers: { "content-type": "application/xml", "content-md5": md5 },
      body,
    });
    if (!xml.includes("<DeleteResult")) {
      throw new S3Failure("The content store does not delete several objects", { status: 501 });
    }
    const failures = textsOf(xml, "Error").map((error) => {
      const [[key = ""], [code = ""]] = [textsOf(error, "Key"), textsOf(error, "Code")];
      const needed = code === "AccessDenied" ? "; it needs the right s3:DeleteObject" : "";
      const message = `The content store did not delete an object (${code})${needed}`;
      return [key, new S3Failure(message, { code })] as const;
    });
    return new Map(failures.filter(([, { code }]) => code !== "NoSuchKey"));
  }

  /** Lists the objects whose names begin with a prefix, in pages. */
  async *list(prefix: string): AsyncGenerator<readonly ListedObject[]> {
    for (let token: string | undefined = "";;) {
      const xml: string = await this.#requests.text({
        method: "GET",
        query: {
          "list-type": "2",
          prefix,
          ...(token !== "" && { "continuation-token": token }),
        },
      });
      yield textsOf(xml, "Contents").map((object) => ({
        key: textsOf(object, "Key")[0] ?? "",
        size: Number(textsOf(object, "Size")[0]),
      }));
      token = textsOf(xml, "NextContinuationToken")[0];
      if (token === undefined) return;
    }
  }

  #note(key: string, size: number): void {
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined && this.#seen.size >= MAX_SEEN) this.#seen.delete(oldest);
    this.#seen.delete(key);
    this.#seen.set(key, { size, at: performance.now() });
  }

  #checksum(crc32: string): Record<string, string> {
    return this.#takesChecksums ? { "x-amz-checksum-crc32": crc32 } : {};
  }

  #completion(parts: readonly SentPart[]): string {
    const listed = parts.map(({ etag, crc32 }, index) => {
      const checksum = this.#takesChecksums ? `<ChecksumCRC32>${crc32}</ChecksumCRC32>` : "";
      return `<Part><PartNumber>${index + 1}</PartNumber><ETag>${
        escaped(etag)
      }</ETag>${checksum}</Part>`;
    });
    return `<CompleteMultipartUpload xmlns="${NAMESPACE}">${
      listed.join("")
    }</CompleteMultipartUpload>`;
  }

  async #orMissing<T>(result: Promise<T>): Promise<T | undefined> {
    try {
      return await result;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

/** Reads the rest of a reply that says nothing more, so that its connection can be used again. */
async function consume(response: Response): Promise<void> {
  await response.body?.cancel();
}
