/** The operations on files at their addresses (C 17). */

import { type HeaderName, headersOf } from "./headers.ts";
import type { Operation } from "./operation.ts";
import {
  AT,
  BINARY,
  contentResponse,
  enveloped,
  type Json,
  PURGE,
  reference,
  requestHeader,
} from "./parts.ts";

const ETAG = '"5d41402abc4b2a76b9719d911017c592"';
const DATE = "Sun, 22 Nov 2026 09:00:00 GMT";

const PATH: Json = {
  name: "path",
  in: "path",
  required: true,
  schema: { type: "string" },
  description: "The path, percent-encoded. It may have slashes, which need not be encoded",
  example: "models/llama/model.safetensors",
};

const IF_MATCH = requestHeader("If-Match", "The entity tag that the file has, or * for any", ETAG);
const IF_UNMODIFIED_SINCE = requestHeader(
  "If-Unmodified-Since",
  "When the file was last changed; read without If-Match",
  DATE,
);

/** The preconditions of a download (RFC 9110, 13). */
export const PRECONDITIONS: readonly Json[] = [
  IF_MATCH,
  IF_UNMODIFIED_SINCE,
  requestHeader("If-None-Match", "The entity tag of the content that the client has", ETAG),
  requestHeader(
    "If-Modified-Since",
    "When the content that the client has was last changed; read without If-None-Match",
    DATE,
  ),
];

/** What asks for a range of a file (RFC 9110, 14). */
export const RANGE: readonly Json[] = [
  requestHeader("Range", "The bytes to send", "bytes=0-99"),
  requestHeader("If-Range", "Send the range only if the file has this entity tag or date", ETAG),
];

/** The headers of every reply about the content of a file. */
export const FILE_DOWNLOAD_HEADERS: readonly HeaderName[] = [
  "ETag",
  "Last-Modified",
  "Accept-Ranges",
];

export const NOT_MODIFIED: Json = {
  description: "The client has the current content",
  headers: headersOf(FILE_DOWNLOAD_HEADERS, ["X-Version"]),
};

const CONTENT_TYPE = "application/octet-stream";

export const GET: Operation = {
  id: "getFile",
  headId: "headFile",
  tag: "files",
  summary: "Download a file",
  description: "A directory is not found.",
  parameters: [PATH, AT, ...PRECONDITIONS, ...RANGE],
  responses: {
    200: {
      ...contentResponse("The content", BINARY, CONTENT_TYPE),
      headers: headersOf([...FILE_DOWNLOAD_HEADERS, "Content-Disposition"], ["X-Version"]),
    },
    206: {
      ...contentResponse("A range of the content", BINARY, CONTENT_TYPE),
      headers: headersOf(
        [...FILE_DOWNLOAD_HEADERS, "Content-Disposition", "Content-Range"],
        ["X-Version"],
      ),
    },
    304: NOT_MODIFIED,
  },
  refusals: [
    "ErrResourcesNotFound",
    "ErrVersionsNotFound",
    "ErrResourcesQuarantined",
    "ErrResourcesRefused",
    "ErrPreconditionFailed",
    416,
  ],
};

const ENTRY: Json = reference("ResourceEntry");
const SHA256 = "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:";

export const PUT: Operation = {
  id: "putFile",
  tag: "files",
  summary: "Store a file, or replace its content",
  description:
    "The body is the content; without one, the file is empty. Missing directories are made. Replacing a file needs " +
    "resources.edit besides; the file keeps its id.",
  parameters: [
    PATH,
    IF_MATCH,
    IF_UNMODIFIED_SINCE,
    requestHeader("If-None-Match", "* if no file may be there", "*"),
    requestHeader("Content-MD5", "The MD5 of the content in base64", "XUFAKrxLKna5cZ2REBfFkg=="),
    requestHeader("Content-Digest", "Digests of the content by md5 and sha-256 (RFC 9530)", SHA256),
    requestHeader("Repr-Digest", "The same", SHA256),
  ],
  requestBody: { content: { [CONTENT_TYPE]: { schema: BINARY }, "*/*": { schema: BINARY } } },
  responses: {
    200: {
      ...enveloped("The record of the replaced file", ENTRY),
      headers: headersOf(["ETag"]),
    },
    201: { ...enveloped("The record of the new file", ENTRY), headers: headersOf(["ETag"]) },
  },
  refusals: [
    "ErrResourcesInvalidData",
    "ErrResourcesQuotaExceeded",
    "ErrResourcesRefused",
    "ErrResourcesAlreadyExists",
    "ErrResourcesLocked",
    "ErrPreconditionFailed",
  ],
};

export const DELETE: Operation = {
  id: "deleteFile",
  tag: "files",
  summary: "Delete a file, or a directory with its descendants",
  description: "A directory has no entity tag, and matches * only.",
  parameters: [PATH, PURGE, IF_MATCH, IF_UNMODIFIED_SINCE],
  responses: { 200: enveloped("The deleted records", reference("ResourceList")) },
  refusals: ["ErrResourcesNotFound", "ErrResourcesLocked", "ErrPreconditionFailed"],
};
