/** The operations on links (C 19). */

import {
  BINARY,
  contentResponse,
  enveloped,
  jsonRequestBody,
  type Operation,
  query,
  reference,
} from "./parts.ts";

export const ADD: Operation = {
  summary: "Make a link, which serves a file or directory without a credential",
  requestBody: jsonRequestBody("LinkRequest"),
  responses: { 200: enveloped("The link, with its URL", reference("NewLink")) },
  refusals: [400, 404],
};

export const LIST: Operation = {
  summary: "List links that have not expired, newest first",
  parameters: [
    query("limit", { type: "integer", minimum: 1, maximum: 1000, default: 100 }, "How many"),
    query("before", { type: "integer", minimum: 1 }, "Only links with a lower id"),
  ],
  responses: { 200: enveloped("The links", reference("LinkList")) },
  refusals: [400],
};

export const REMOVE: Operation = {
  summary: "Revoke a link",
  parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
  responses: { 200: enveloped("The link", reference("Link")) },
  refusals: [400, 404],
};

const CONTENT_TYPES = ["application/octet-stream", "application/zip"];

export const FOLLOW: Operation = {
  summary: "Download what a link serves: a file, or a directory as a ZIP",
  parameters: [
    { name: "token", in: "path", required: true, schema: { type: "string" } },
    { name: "Range", in: "header", schema: { type: "string" } },
  ],
  responses: {
    200: contentResponse("The content", BINARY, ...CONTENT_TYPES),
    206: contentResponse("A range of the content", BINARY, ...CONTENT_TYPES),
    304: { description: "The client has the current content" },
  },
  refusals: [403, 404, 416, 429, 500, 503],
};
