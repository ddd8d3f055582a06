/** The operations on what is mirrored of another hub (C 28). */

import type { Operation } from "./operation.ts";
import {
  BINARY,
  contentResponse,
  enveloped,
  idInPath,
  type Json,
  jsonRequestBody,
  pageParameters,
  query,
  reference,
} from "./parts.ts";

const REVISION: Json = enveloped("The revision", reference("MirrorRevision"));
const REVISION_ID: Json = idInPath("The id of the revision");
const NOWHERE = ["ErrMirrorNotOffered"] as const;
/** What the other hub, or what is known of it, can refuse. */
const UNKNOWN = [...NOWHERE, "ErrHubRevisionNotFound"] as const;

export const LIST: Operation = {
  id: "listMirror",
  tag: "mirror",
  summary: "List the revisions that are pinned or have files here, newest first",
  parameters: pageParameters("revisions"),
  responses: { 200: enveloped("The revisions", reference("MirrorList")) },
  refusals: NOWHERE,
};

export const STATE: Operation = {
  id: "getMirrorState",
  tag: "mirror",
  summary: "How the other hub is, what comes in, and what the mirror has done since the start",
  responses: { 200: enveloped("The state", reference("MirrorState")) },
  refusals: NOWHERE,
};

export const SHOW: Operation = {
  id: "getMirrorRevision",
  tag: "mirror",
  summary: "Get a revision",
  parameters: [REVISION_ID],
  responses: { 200: REVISION },
  refusals: UNKNOWN,
};

export const ASK: Operation = {
  id: "askMirror",
  tag: "mirror",
  summary: "Ask which revision a branch, a tag or a commit names",
  description: "The other hub is asked if its last answer is too old. No file is fetched.",
  requestBody: jsonRequestBody("MirrorRequest", { repository: "google/gemma" }),
  responses: { 200: REVISION },
  refusals: [...UNKNOWN, "ErrHubRepositoryNotFound", "ErrResourcesQuotaExceeded"],
};

export const FILES: Operation = {
  id: "listMirrorFiles",
  tag: "mirror",
  summary: "List the files of a revision, with what the policy and the gate say about each",
  parameters: [
    REVISION_ID,
    query("after", { type: "string" }, "The path after which the page begins"),
    ...pageParameters("files").filter(({ name }) => name !== "before"),
  ],
  responses: { 200: enveloped("The files in path order", reference("MirrorFileList")) },
  refusals: UNKNOWN,
};

export const FETCH: Operation = {
  id: "fetchMirrorFile",
  tag: "mirror",
  summary: "Have a file come in, and wait for that for up to 20 seconds",
  parameters: [REVISION_ID],
  requestBody: jsonRequestBody("MirrorFetchRequest", { path: "config.json" }),
  responses: { 200: enveloped("Whether it has come in", reference("MirrorFetch")) },
  refusals: [
    ...UNKNOWN,
    "ErrHubRepositoryNotFound",
    "ErrHubEntryNotFound",
    "ErrResourcesQuarantined",
    "ErrResourcesRefused",
    "ErrResourcesQuotaExceeded",
  ],
};

export const EXPORT: Operation = {
  id: "exportMirror",
  tag: "mirror",
  summary: "Download a revision with what has come in of it, as one file for another strongroom",
  description: "Files that the gate or the policy refuses are left out.",
  parameters: [
    REVISION_ID,
    query("name", { type: "string" }, "What the revision is called there, such as main"),
  ],
  responses: { 200: contentResponse("The archive", BINARY, "application/octet-stream") },
  refusals: UNKNOWN,
};

export const IMPORT: Operation = {
  id: "importMirror",
  tag: "mirror",
  summary: "Take over a revision from another strongroom, each file verified by its digest",
  requestBody: {
    required: true,
    content: { "application/octet-stream": { schema: BINARY } },
  },
  responses: { 200: REVISION },
  refusals: [
    ...NOWHERE,
    "ErrResourcesInvalidData",
    "ErrResourcesQuotaExceeded",
    "ErrUploadsTooLarge",
  ],
};

export const PIN: Operation = {
  id: "pinMirror",
  tag: "mirror",
  summary: "Pin a revision, so that its files stay whatever comes in, or end that",
  parameters: [REVISION_ID],
  requestBody: jsonRequestBody("MirrorPinRequest", { pinned: true }),
  responses: { 200: REVISION },
  refusals: UNKNOWN,
};

export const REMOVE: Operation = {
  id: "removeMirror",
  tag: "mirror",
  summary: "Give up the files of a revision, also if it is pinned",
  parameters: [REVISION_ID],
  responses: { 200: REVISION },
  refusals: UNKNOWN,
};
