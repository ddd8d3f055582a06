/** The operations on uploads that can be resumed (C 21), which are those of tus 1.0.0. */

import { OnConflict } from "../../schemas/resources.ts";
import { type HeaderName, headersOf } from "./headers.ts";
import type { Operation } from "./operation.ts";
import {
  BINARY,
  enveloped,
  type Json,
  query,
  reference,
  requestHeader,
  schemaOf,
} from "./parts.ts";
import type { Refusal } from "./refusals.ts";

const ID: Json = {
  name: "id",
  in: "path",
  required: true,
  schema: { type: "string" },
  description: "The id of the upload, the last segment of its Location",
  example: "3f2a9c1d5b7e4860a1c2d3e4f5061728",
};

const required = (parameter: Json): Json => ({ ...parameter, required: true });

const TUS_RESUMABLE = required(
  requestHeader("Tus-Resumable", "The version of the protocol", "1.0.0"),
);
const OFFSET = requestHeader("Upload-Offset", "Where the content begins: what HEAD says", "0");
const LENGTH = requestHeader("Upload-Length", "The size of the file, if it was deferred", "5");
const CHECKSUM = requestHeader(
  "Upload-Checksum",
  "sha1, sha256 or md5, a space, and the digest in base64",
  "md5 XUFAKrxLKna5cZ2REBfFkg==",
);
const SHA256 = requestHeader(
  "Upload-Metadata",
  "sha256 and, in base64, the SHA-256 in hex of the whole file, if this request completes it",
  "sha256 MmNmMjRkYmE1ZmIwYTMwZTI2ZTgzYjJhYzViOWUyOWUxYjE2MWU1YzFmYTc0MjVlNzMwNDMzNjI5MzhiOTgyNA==",
);
const CONTENT: Json = {
  content: Object.fromEntries(
    ["application/offset+octet-stream", "application/octet-stream"]
      .map((type) => [type, { schema: BINARY }]),
  ),
};

/** The headers of every reply about uploads. */
const TUS: readonly HeaderName[] = ["Tus-Resumable", "Tus-Version"];

/** What storing the file can refuse. */
const STORING: readonly Refusal[] = [
  "ErrPreconditionFailed",
  "ErrResourcesAlreadyExists",
  "ErrResourcesInvalidData",
  "ErrResourcesLocked",
  "ErrResourcesQuotaExceeded",
  "ErrResourcesRefused",
];
const APPENDING: readonly Refusal[] = [
  ...STORING,
  "ErrUploadsNotFound",
  "ErrUploadsConflict",
  "ErrUploadsLocked",
  "ErrUploadsTooLarge",
  "ErrUploadsChecksumMismatch",
];

export const DESCRIBE: Operation = {
  id: "describeUploads",
  tag: "uploads",
  summary: "Show what of tus 1.0.0 the server supports",
  responses: {
    204: {
      description: "The headers say it",
      headers: headersOf([...TUS, "Tus-Extension", "Tus-Max-Size", "Tus-Checksum-Algorithm"]),
    },
  },
};

export const CREATE: Operation = {
  id: "createUpload",
  tag: "uploads",
  summary: "Begin an upload that can be resumed",
  description: "The body may have the first bytes. Replacing a file needs resources.edit besides.",
  parameters: [
    TUS_RESUMABLE,
    requestHeader("Upload-Length", "The size of the file in bytes, if it is known", "5"),
    requestHeader("Upload-Defer-Length", "1 if a later request states the size", "1"),
    requestHeader(
      "Upload-Concat",
      "partial for a part of a file, or final; and the addresses of its parts, with spaces between",
      "partial",
    ),
    requestHeader(
      "Upload-Metadata",
      "path, or filename and dir, and sha256: each with its value in base64",
      "path bW9kZWxzL2xsYW1hL21vZGVsLnNhZmV0ZW5zb3Jz",
    ),
    CHECKSUM,
    query(
      "on_conflict",
      { ...schemaOf(OnConflict), default: "error" },
      "What to do about a file that is there",
    ),
  ],
  requestBody: CONTENT,
  responses: {
    201: {
      description: "The upload has begun",
      headers: headersOf([...TUS, "Location"], ["Upload-Offset", "Upload-Expires"]),
    },
  },
  refusals: APPENDING,
};

export const FIND: Operation = {
  id: "getUpload",
  headId: "headUpload",
  tag: "uploads",
  summary: "Show how far an upload is",
  description: "An upload that has received everything is completed, if it was not. " +
    "HEAD needs the header Tus-Resumable, GET does not.",
  parameters: [ID, requestHeader("Tus-Resumable", "The version of the protocol", "1.0.0")],
  responses: {
    200: {
      ...enveloped("The upload", reference("Upload")),
      headers: headersOf(
        [...TUS, "Upload-Offset"],
        [
          "Upload-Length",
          "Upload-Defer-Length",
          "Upload-Concat",
          "Upload-Expires",
          "Upload-Metadata",
        ],
      ),
    },
  },
  refusals: [...STORING, "ErrUploadsNotFound", "ErrUploadsLocked"],
};

export const APPEND: Operation = {
  id: "appendToUpload",
  tag: "uploads",
  summary: "Append content to an upload; its last byte stores the file",
  parameters: [ID, TUS_RESUMABLE, required(OFFSET), LENGTH, CHECKSUM, SHA256],
  requestBody: { required: true, ...CONTENT },
  responses: {
    204: {
      description: "The content has been received",
      headers: headersOf([...TUS, "Upload-Offset"], ["Upload-Expires"]),
    },
  },
  refusals: APPENDING,
};

export const OVERRIDE: Operation = {
  id: "overrideUploadMethod",
  tag: "uploads",
  summary: "Send PATCH or DELETE as POST",
  parameters: [
    ID,
    TUS_RESUMABLE,
    required(requestHeader("X-HTTP-Method-Override", "PATCH or DELETE", "PATCH")),
    OFFSET,
    LENGTH,
    CHECKSUM,
    SHA256,
  ],
  requestBody: CONTENT,
  responses: {
    204: {
      description: "As for the method",
      headers: headersOf(TUS, ["Upload-Offset", "Upload-Expires"]),
    },
  },
  refusals: APPENDING,
};

export const REMOVE: Operation = {
  id: "removeUpload",
  tag: "uploads",
  summary: "End an upload, and remove what it has received",
  parameters: [ID, TUS_RESUMABLE],
  responses: { 204: { description: "The upload is gone", headers: headersOf(TUS) } },
  refusals: ["ErrPreconditionFailed", "ErrUploadsNotFound", "ErrUploadsLocked"],
};
