/** The operations on resources (RS 4, C 17). */

import { Compression, OnConflict, UploadPaths } from "../../schemas/resources.ts";
import { FILE_DOWNLOAD_HEADERS, NOT_MODIFIED, PRECONDITIONS, RANGE } from "./files.ts";
import { headersOf } from "./headers.ts";
import type { Operation } from "./operation.ts";
import type { Refusal } from "./refusals.ts";
import {
  AT,
  BINARY,
  contentResponse,
  enveloped,
  ID,
  type Json,
  jsonRequestBody,
  pathParameters,
  PURGE,
  query,
  reference,
  schemaOf,
} from "./parts.ts";

/** The headers of a reply that may be of an earlier version (C 26). */
const VERSION = headersOf([], ["X-Version"]);

const RESOURCES: Json = reference("ResourceList");

export const LIST: Operation = {
  id: "listResources",
  tag: "resources",
  summary: "List directories",
  description: "Without a path, lists the root, newest first. With paths, lists each directory " +
    "itself, its entries and its ancestors, ordered by path. A path without a record adds nothing.",
  parameters: [
    ...pathParameters("A directory; the root by default"),
    query(
      "recursive",
      // Generators of some languages keep no parameter of two types.
      { type: "string", default: "false" },
      "Whether to list all descendants: true or 1. Other values count as false",
    ),
    AT,
  ],
  responses: { 200: { ...enveloped("The records", RESOURCES), headers: VERSION } },
  refusals: ["ErrVersionsNotFound"],
};

export const STAT: Operation = {
  id: "statResource",
  tag: "resources",
  summary: "Show a record with its checksums and its verdict",
  parameters: [
    query("path", { type: "string" }, "A path", "models/llama/model.safetensors"),
    query("id", ID, "The id of a record, in place of a path"),
    AT,
  ],
  responses: { 200: { ...enveloped("The record", reference("Stat")), headers: VERSION } },
  refusals: ["ErrResourcesNotFound", "ErrVersionsNotFound"],
};

export const CHECKSUMS: Operation = {
  id: "listChecksums",
  tag: "resources",
  summary: "List the SHA-256 of files, as sha256sum does",
  parameters: [
    query(
      "path",
      { type: "string" },
      "A file or directory; the root of the caller's own tree by default",
      "models/llama",
    ),
    AT,
  ],
  responses: {
    200: {
      ...contentResponse(
        "A line for each file: its SHA-256, and its path below the directory",
        { type: "string" },
        "text/plain",
      ),
      headers: VERSION,
    },
  },
  refusals: ["ErrResourcesNotFound", "ErrVersionsNotFound"],
};

const FORM: Json = {
  type: "object",
  properties: {
    files: { type: "array", items: BINARY, description: "Files with their names" },
    file: { ...BINARY, description: "One file, read if there is no part files" },
  },
};

export const UPLOAD: Operation = {
  id: "uploadResources",
  tag: "resources",
  summary: "Upload files, all or none",
  description:
    "The form is read as a stream. Missing directories are made. Replacing files needs " +
    "resources.edit besides.",
  parameters: [
    query("dir", { type: "string" }, "The directory; the root by default", "models/llama"),
    query("paths", schemaOf(UploadPaths), "Whether file names are paths below the directory"),
    query(
      "on_conflict",
      { ...schemaOf(OnConflict), default: "error" },
      "What to do about a file that is there: refuse, keep it if it has the same content, or replace it",
    ),
  ],
  requestBody: { required: true, content: { "multipart/form-data": { schema: FORM } } },
  responses: { 200: enveloped("The records of the files", RESOURCES) },
  refusals: [
    "ErrResourcesInvalidData",
    "ErrResourcesQuotaExceeded",
    "ErrResourcesRefused",
    "ErrResourcesAlreadyExists",
    "ErrResourcesLocked",
  ],
};

export const DELETE: Operation = {
  id: "deleteResources",
  tag: "resources",
  summary: "Delete records with their descendants, all or none",
  parameters: [
    ...pathParameters("A path to delete"),
    PURGE,
  ],
  responses: { 200: enveloped("The deleted records, ordered by path", RESOURCES) },
  refusals: ["ErrResourcesNotFound", "ErrResourcesLocked"],
};

export const DELETE_MANY: Operation = {
  id: "deleteManyResources",
  tag: "resources",
  summary: "Delete records with their descendants, all or none, by paths in a body",
  description: "Like deleteResources, for more paths than an address takes.",
  requestBody: jsonRequestBody("DeleteResourceRequest", { paths: ["models/llama"] }),
  responses: { 200: enveloped("The deleted records, ordered by path", RESOURCES) },
  refusals: ["ErrResourcesNotFound", "ErrResourcesLocked"],
};

export const MKDIR: Operation = {
  id: "makeDirectory",
  tag: "resources",
  summary: "Make a directory and its ancestors",
  requestBody: jsonRequestBody("MkdirResourceRequest", { path: "models/llama" }),
  responses: { 200: enveloped("The directory, new or not", reference("ResourceEntry")) },
  refusals: ["ErrResourcesAlreadyExists", "ErrResourcesLocked"],
};

/** What goes into a destination that is there. */
const INTO = {
  Move: "A file or directory goes into the destination if that is a directory.",
  Copy: "A file, or the entries of a directory, go into the destination if that is a directory.",
};

const TRANSFER_REFUSALS: readonly Refusal[] = [
  "ErrResourcesNotFound",
  "ErrResourcesConflict",
  "ErrResourcesLocked",
];

export const MOVE: Operation = transfer("Move");
export const COPY: Operation = {
  ...transfer("Copy"),
  refusals: [...TRANSFER_REFUSALS, "ErrResourcesQuotaExceeded"],
};

function transfer(verb: "Move" | "Copy"): Operation {
  return {
    id: `${verb.toLowerCase()}Resources`,
    tag: "resources",
    summary: `${verb} records with their descendants, all or none`,
    description: `${INTO[verb]} Otherwise the destination is its new path. ` +
      "Several sources go into the destination, which is made if it is missing.",
    requestBody: jsonRequestBody(`${verb}ResourceRequest`, {
      source: "models/llama",
      destination: "archive/",
      force: false,
    }),
    responses: { 200: enveloped("The added records, then the updated ones", RESOURCES) },
    refusals: TRANSFER_REFUSALS,
  };
}

export const DOWNLOAD: Operation = {
  id: "downloadResources",
  headId: "headResources",
  tag: "resources",
  summary: "Download a file, or several as a ZIP",
  description:
    "One file arrives as it is. A directory, or several targets, arrive as a ZIP, which " +
    "has no ETag, ranges or length.",
  parameters: [
    ...pathParameters("A path to download"),
    query("id", ID, "The id of a record"),
    query("ids[]", { type: "array", items: ID }, "Ids of records, at most 1000"),
    query(
      "compression",
      { ...schemaOf(Compression), default: "auto" },
      "How to compress the entries of a ZIP",
    ),
    AT,
    ...PRECONDITIONS,
    ...RANGE,
  ],
  responses: {
    200: {
      ...contentResponse("The content", BINARY, "application/octet-stream", "application/zip"),
      headers: headersOf(["Content-Disposition"], [
        "ETag",
        "Last-Modified",
        "Accept-Ranges",
        "X-Version",
      ]),
    },
    206: {
      ...contentResponse("A range of the content", BINARY, "application/octet-stream"),
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
    "ErrResourcesSharedPath",
    "ErrResourcesQuarantined",
    "ErrResourcesRefused",
    "ErrPreconditionFailed",
    416,
  ],
};
