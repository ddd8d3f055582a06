/** The operations on uploads that can be resumed (C 21), which are those of tus 1.0.0. */

import { OnConflict } from "../../schemas/resources.ts";
import { BINARY, enveloped, type Json, type Operation, query, schemaOf } from "./parts.ts";

const ID: Json = {
  name: "id",
  in: "path",
  required: true,
  schema: { type: "string", pattern: "^[0-9a-f]{32}$" },
  description: "The id of the upload, the last segment of its Location",
};

const TUS_RESUMABLE = header("Tus-Resumable", "The version of the protocol: 1.0.0", true);
const OFFSET = header("Upload-Offset", "Where the content begins: what HEAD says", true);
const CHECKSUM = header(
  "Upload-Checksum",
  "sha1, sha256 or md5, a space, and the digest in base64",
);

/** The headers that tell how far an upload is. */
const PROGRESS: Json = {
  "Tus-Resumable": replied("The version of the protocol"),
  "Upload-Offset": replied("How many bytes have been received"),
  "Upload-Expires": replied("When the upload expires unless it is complete"),
};

const CONTENT: Json = {
  content: { "application/offset+octet-stream": { schema: BINARY } },
};

export const DESCRIBE: Operation = {
  summary: "Show what of tus 1.0.0 the server supports",
  responses: { 204: { description: "The headers Tus-Version, Tus-Extension and Tus-Max-Size" } },
};

export const CREATE: Operation = {
  summary: "Begin an upload that can be resumed",
  parameters: [
    TUS_RESUMABLE,
    header("Upload-Length", "The size of the file in bytes", true),
    header(
      "Upload-Metadata",
      "path, or filename and dir, and sha256: each with its value in base64",
    ),
    CHECKSUM,
    query("on_conflict", schemaOf(OnConflict), "What to do about a file that is there"),
  ],
  requestBody: { required: false, ...CONTENT },
  responses: {
    201: {
      description: "The upload has begun",
      headers: { Location: replied("The address of the upload"), ...PROGRESS },
    },
  },
  refusals: [400, 409, 412, 413, 460],
};

export const FIND: Operation = {
  summary: "Show how far an upload is",
  parameters: [ID, TUS_RESUMABLE],
  responses: {
    200: {
      ...enveloped("The upload", {
        type: "object",
        properties: {
          id: { type: "string" },
          path: { type: "string" },
          size: { type: "integer" },
          received: { type: "integer" },
          created_at: { type: "string", format: "date-time" },
          expires_at: { type: "string", format: "date-time" },
          completed_at: { type: ["string", "null"], format: "date-time" },
        },
      }),
      headers: { "Upload-Length": replied("The size of the file in bytes"), ...PROGRESS },
    },
  },
  refusals: [400, 404, 409, 412, 423],
};

export const APPEND: Operation = {
  summary: "Append content to an upload; its last byte stores the file",
  parameters: [ID, TUS_RESUMABLE, OFFSET, CHECKSUM],
  requestBody: { required: true, ...CONTENT },
  responses: { 204: { description: "The content has been received", headers: PROGRESS } },
  refusals: [400, 404, 409, 412, 413, 423, 460],
};

export const OVERRIDE: Operation = {
  ...APPEND,
  summary: "Send PATCH or DELETE as POST",
  parameters: [
    ID,
    TUS_RESUMABLE,
    header("X-HTTP-Method-Override", "PATCH or DELETE", true),
    header("Upload-Offset", "As for PATCH"),
    CHECKSUM,
  ],
  requestBody: { required: false, ...CONTENT },
};

export const REMOVE: Operation = {
  summary: "End an upload, and remove what it has received",
  parameters: [ID, TUS_RESUMABLE],
  responses: { 204: { description: "The upload is gone" } },
  refusals: [400, 404, 412, 423],
};

function header(name: string, description: string, required = false): Json {
  return { name, in: "header", required, schema: { type: "string" }, description };
}

function replied(description: string): Json {
  return { schema: { type: "string" }, description };
}
