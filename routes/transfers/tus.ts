import { Buffer } from "node:buffer";
import type { MiddlewareHandler } from "hono";
import { AppError, quoted } from "../../core/errors.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { maxUploadSize } from "../../core/tree/upload_size.ts";
import { CHECKSUM_ALGORITHMS, type ChecksumAlgorithm } from "../../core/uploads.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { addHeader } from "../reply/respond.ts";

/** Where uploads that can be resumed are, relative to the base (C 21). */
export const UPLOADS_PATH = "/uploads";
/** The types of a body that is appended to an upload: that of tus, and the one that generated clients know. */
const CONTENT_TYPES = ["application/offset+octet-stream", "application/octet-stream"];

const TUS_VERSION = "1.0.0";
const EXTENSIONS = "creation,creation-defer-length,creation-with-upload,checksum,concatenation," +
  "termination,expiration";
/** The longest `Upload-Concat`: more than 100 addresses. */
const MAX_CONCAT_LENGTH = 16 * 1024;
/** The longest `Upload-Metadata`: the longest path takes about a third of it. */
const MAX_METADATA_LENGTH = 16 * 1024;
/** The lengths of checksums in bytes. */
const CHECKSUM_BYTES: Readonly<Record<ChecksumAlgorithm, number>> = {
  sha1: 20,
  sha256: 32,
  md5: 16,
};

/**
 * Middleware that sets the headers of every reply about uploads (tus 1.0.0). It comes before CORS, which
 * replies to preflights itself.
 */
export function tusHeaders(tree: Tree): MiddlewareHandler<AppEnvironment> {
  const maxSize = String(maxUploadSize(tree));
  return function tusHeaders(c, next) {
    addHeader(c, "Tus-Resumable", TUS_VERSION);
    addHeader(c, "Tus-Version", TUS_VERSION);
    if (c.req.method === "OPTIONS") {
      addHeader(c, "Tus-Extension", EXTENSIONS);
      addHeader(c, "Tus-Max-Size", maxSize);
      addHeader(c, "Tus-Checksum-Algorithm", CHECKSUM_ALGORITHMS.join());
    }
    return next();
  };
}

/**
 * Refuses a request of another version of tus, or of none.
 *
 * @throws {AppError} `ErrPreconditionFailed`.
 */
export function requireTus(headers: Headers): void {
  const version = headers.get("Tus-Resumable");
  if (version === TUS_VERSION) return;
  const given = version === null ? "missing" : quoted(version);
  throw new AppError("ErrPreconditionFailed", `Tus-Resumable is ${given}, expected ${TUS_VERSION}`);
}

/** Whether a request states that its body is content of an upload. */
export function hasContent(headers: Headers): boolean {
  return CONTENT_TYPES.includes(headers.get("Content-Type") ?? "");
}

/**
 * Refuses a body that is not content of an upload.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest`.
 */
export function requireContent(headers: Headers): void {
  if (hasContent(headers)) return;
  const type = quoted(headers.get("Content-Type") ?? "");
  throw invalid(`the Content-Type is ${type}, expected ${CONTENT_TYPES.join(" or ")}`);
}

/**
 * A number of bytes in a header.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is missing or not such a number.
 */
export function byteCountOf(headers: Headers, name: string): number {
  const text = headers.get(name);
  const value = /^\d{1,16}$/.test(text ?? "") ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  const given = text === null ? "missing" : quoted(text);
  throw invalid(`${name} is ${given}, expected a number of bytes`);
}

/**
 * Whether the client states the size of an upload later (tus 1.0.0, creation-defer-length).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when `Upload-Defer-Length` is not 1, or the size is there.
 */
export function isDeferred(headers: Headers): boolean {
  const header = headers.get("Upload-Defer-Length");
  if (header === null) return false;
  if (header !== "1") throw invalid(`Upload-Defer-Length is ${quoted(header)}, expected 1`);
  if (headers.has("Upload-Length")) {
    throw invalid("Upload-Length and Upload-Defer-Length are given");
  }
  return true;
}

/** What `Upload-Concat` says of an upload. */
export interface Concat {
  /** As the client sent it; "" for an upload that is a file of its own. */
  readonly header: string;
  /** The ids of the parts that the file is joined from. */
  readonly ids?: readonly string[];
}

/**
 * Parses `Upload-Concat` (tus 1.0.0, concatenation).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is malformed, or a joined upload has a size or
 *   content.
 */
export function concatOf(headers: Headers): Concat {
  const header = headers.get("Upload-Concat")?.trim() ?? "";
  if (header === "" || header === "partial") return { header };
  if (!header.startsWith("final;")) {
    throw invalid(`Upload-Concat is ${quoted(header)}, expected partial, or final; and addresses`);
  }
  if (header.length > MAX_CONCAT_LENGTH) {
    throw invalid(`Upload-Concat is longer than ${MAX_CONCAT_LENGTH} characters`);
  }
  for (const name of ["Upload-Length", "Upload-Defer-Length"]) {
    if (headers.has(name)) throw invalid(`${name} is given, but the parts have the size`);
  }
  if (hasContent(headers)) throw invalid("a joined upload has no content but that of its parts");
  const addresses = header.slice("final;".length).split(" ").filter((address) => address !== "");
  if (addresses.length === 0) throw invalid("Upload-Concat has no parts");
  const ids = addresses.map((address) => {
    const id = address.split("?", 1).join().split("/").at(-1) ?? "";
    if (/^[0-9a-f]{32}$/.test(id)) return id;
    throw invalid(`Upload-Concat has ${quoted(address)}, expected the address of an upload`);
  });
  return { header, ids };
}

/**
 * The checksum that the client states of the body, if it does.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is malformed, or of another algorithm.
 */
export function checksumOf(
  headers: Headers,
): { readonly algorithm: ChecksumAlgorithm; readonly hex: string } | undefined {
  const header = headers.get("Upload-Checksum");
  if (header === null) return undefined;
  const [name = "", text = ""] = header.trim().split(/ +/);
  const algorithm = CHECKSUM_ALGORITHMS.find((known) => known === name);
  if (algorithm === undefined) {
    throw invalid(
      `Upload-Checksum is by ${quoted(name)}, expected one of ${CHECKSUM_ALGORITHMS.join(", ")}`,
    );
  }
  const digest = Buffer.from(text, "base64");
  if (digest.length === CHECKSUM_BYTES[algorithm] && digest.toString("base64") === text) {
    return { algorithm, hex: digest.toString("hex") };
  }
  throw invalid(
    `Upload-Checksum has the ${algorithm} ${quoted(text)}, expected ${
      CHECKSUM_BYTES[algorithm]
    } bytes in base64`,
  );
}

/**
 * The values in `Upload-Metadata`, by key.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is malformed or too long.
 */
export function parseMetadata(header: string): Map<string, string> {
  if (header.length > MAX_METADATA_LENGTH) {
    throw invalid(`Upload-Metadata is longer than ${MAX_METADATA_LENGTH} characters`);
  }
  const metadata = new Map<string, string>();
  if (header.trim() === "") return metadata;
  for (const pair of header.split(",")) {
    const [key = "", encoded = "", ...rest] = pair.trim().split(" ");
    const value = decoded(encoded);
    if (!/^[!-+\--~]+$/.test(key) || value === undefined || rest.length > 0) {
      throw invalid(
        `Upload-Metadata has ${quoted(pair.trim())}, expected a key and its value in base64`,
      );
    }
    if (metadata.has(key)) throw invalid(`Upload-Metadata has ${quoted(key)} twice`);
    metadata.set(key, value);
  }
  return metadata;
}

/** UTF-8 in base64, or undefined if it is not. */
function decoded(encoded: string): string | undefined {
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.toString("base64") !== encoded) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // It is not UTF-8.
    return undefined;
  }
}

function invalid(reason: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot upload: ${reason}`);
}
