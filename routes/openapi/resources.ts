/** The operations on resources and their events (RS 4, RS 6). */

import { Compression, OnConflict, UploadPaths } from "../../schemas/resources.ts";
import {
  BINARY,
  contentResponse,
  enveloped,
  ID,
  type Json,
  jsonRequestBody,
  type Operation,
  pathParameters,
  query,
  reference,
  schemaOf,
} from "./parts.ts";

const RESOURCES: Json = reference("ResourceList");

export const LIST: Operation = {
  summary: "List directories",
  parameters: [
    ...pathParameters("A directory; the root by default"),
    query("recursive", { type: "boolean", default: false }, "Whether to list all descendants"),
  ],
  responses: { 200: enveloped("The records", RESOURCES) },
  refusals: [400],
};

export const VERDICTS: Operation = {
  summary: "List the verdicts on the files of directories",
  parameters: LIST.parameters ?? [],
  responses: {
    200: enveloped("The verdicts, in the order of a listing", reference("VerdictList")),
  },
  refusals: [400],
};

export const STAT: Operation = {
  summary: "Show a record with its checksums and its verdict",
  parameters: [
    query("path", { type: "string" }, "A path"),
    query("id", ID, "The id of a record"),
  ],
  responses: { 200: enveloped("The record", reference("Stat")) },
  refusals: [400, 404],
};

export const CHECKSUMS: Operation = {
  summary: "List the SHA-256 of files, as sha256sum does",
  parameters: [
    query("path", { type: "string" }, "A file or directory; the root of the own tree by default"),
  ],
  responses: {
    200: contentResponse(
      "A line for each file: its SHA-256, and its path below the directory",
      { type: "string" },
      "text/plain",
    ),
  },
  refusals: [400, 404],
};

const FORM: Json = {
  type: "object",
  properties: { files: { type: "array", items: BINARY }, file: BINARY },
};

export const UPLOAD: Operation = {
  summary: "Upload files, all or none",
  parameters: [
    query("dir", { type: "string" }, "The directory; the root by default"),
    query("paths", schemaOf(UploadPaths), "Whether file names are paths below the directory"),
    query("on_conflict", schemaOf(OnConflict), "What to do about a file that is there"),
  ],
  requestBody: { required: true, content: { "multipart/form-data": { schema: FORM } } },
  responses: { 200: enveloped("The records of the files", RESOURCES) },
  refusals: [400, 409],
};

export const DELETE: Operation = {
  summary: "Delete records with their descendants, all or none",
  parameters: pathParameters("A path to delete"),
  responses: { 200: enveloped("The deleted records", RESOURCES) },
  refusals: [400, 404],
};

export const MKDIR: Operation = {
  summary: "Make a directory and its ancestors",
  requestBody: jsonRequestBody("MkdirResourceRequest"),
  responses: { 200: enveloped("The directory", reference("ResourceEntry")) },
  refusals: [400, 409],
};

export const MOVE: Operation = transfer("Move");
export const COPY: Operation = transfer("Copy");

function transfer(verb: "Move" | "Copy"): Operation {
  return {
    summary: `${verb} records with their descendants, all or none`,
    requestBody: jsonRequestBody(`${verb}ResourceRequest`),
    responses: { 200: enveloped("The added records, then the updated ones", RESOURCES) },
    refusals: [400, 404, 409],
  };
}

const CONTENT_TYPES = ["application/octet-stream", "application/zip"];

export const DOWNLOAD: Operation = {
  summary: "Download a file, or several as a ZIP",
  parameters: [
    ...pathParameters("A path to download"),
    query("id", ID, "The id of a record"),
    query("ids[]", { type: "array", items: ID }, "Ids of records"),
    query("compression", schemaOf(Compression), "How to compress the entries of a ZIP"),
    { name: "Range", in: "header", schema: { type: "string" } },
  ],
  responses: {
    200: contentResponse("The content", BINARY, ...CONTENT_TYPES),
    206: contentResponse("A range of the content", BINARY, ...CONTENT_TYPES),
    304: { description: "The client has the current content" },
  },
  refusals: [400, 404, 416],
};

export const EVENTS: Operation = {
  summary: "Subscribe to changes as Server-Sent Events",
  parameters: [
    query("scope", { enum: ["own", "all"], default: "own" }, "Whose records"),
    query("last_event_id", { type: "string" }, "Replay what came after this event"),
    { name: "Last-Event-ID", in: "header", schema: { type: "string" } },
  ],
  responses: {
    200: contentResponse(
      "Events resource.added, resource.updated, resource.deleted, resource.verdict, scan.* and reset",
      { type: "string" },
      "text/event-stream",
    ),
  },
  refusals: [400],
};

const COUNT: Json = { type: "integer", minimum: 0 };

export const USAGE: Operation = {
  summary: "Read what the caller's tree holds, or all trees together",
  parameters: [
    query("scope", { enum: ["own", "all"], default: "own" }, "all needs resources.admin"),
  ],
  responses: {
    200: enveloped("The usage, in bytes", {
      type: "object",
      required: ["files", "directories", "bytes", "stored_bytes", "quota"],
      properties: {
        files: COUNT,
        directories: COUNT,
        bytes: { ...COUNT, description: "Shared content counts for each file" },
        stored_bytes: { ...COUNT, description: "Each content counts once" },
        quota: { type: ["integer", "null"], minimum: 0 },
      },
    }),
  },
  refusals: [400],
};
