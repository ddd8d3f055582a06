/** The operations on files at their addresses (C 17). */

import {
  BINARY,
  contentResponse,
  enveloped,
  type Json,
  type Operation,
  reference,
} from "./parts.ts";

const PATH: Json = {
  name: "path",
  in: "path",
  required: true,
  schema: { type: "string" },
  description: "The path, percent-encoded; it may have slashes",
};

const IF_MATCH = header("If-Match", "The entity tag that the file has, or * for any");
const IF_NONE_MATCH = header("If-None-Match", "* if no file may be there");

export const GET: Operation = {
  summary: "Download a file",
  parameters: [
    PATH,
    IF_MATCH,
    header("If-None-Match", "The entity tag of the content that the client has"),
    header("Range", "The bytes to send, such as bytes=0-99"),
  ],
  responses: {
    200: contentResponse("The content", BINARY, "application/octet-stream"),
    206: contentResponse("A range of the content", BINARY, "application/octet-stream"),
    304: { description: "The client has the current content" },
  },
  refusals: [400, 404, 412, 416],
};

const ENTRY: Json = reference("ResourceEntry");

export const PUT: Operation = {
  summary: "Store a file, or replace its content",
  parameters: [
    PATH,
    IF_MATCH,
    IF_NONE_MATCH,
    header("Content-MD5", "The MD5 of the content in base64"),
    header("Content-Digest", "Digests of the content by md5 and sha-256 (RFC 9530)"),
    header("Repr-Digest", "The same"),
  ],
  requestBody: { required: true, content: { "*/*": { schema: BINARY } } },
  responses: {
    200: enveloped("The record of the replaced file", ENTRY),
    201: enveloped("The record of the new file", ENTRY),
  },
  refusals: [400, 409, 412],
};

export const DELETE: Operation = {
  summary: "Delete a file, or a directory with its descendants",
  parameters: [PATH, IF_MATCH],
  responses: { 200: enveloped("The deleted records", reference("ResourceList")) },
  refusals: [400, 404, 412],
};

function header(name: string, description: string): Json {
  return { name, in: "header", schema: { type: "string" }, description };
}
