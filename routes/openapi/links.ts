/** The operations on links (C 19). */

import { LINK } from "./examples.ts";
import type { Operation } from "./operation.ts";
import {
  enveloped,
  envelopedWithId,
  idInPath,
  jsonRequestBody,
  pageParameters,
  reference,
} from "./parts.ts";
import { DOWNLOAD } from "./resources.ts";
import { PRECONDITIONS, RANGE } from "./files.ts";

export const ADD: Operation = {
  id: "addLink",
  tag: "links",
  summary: "Make a link, which serves a file or directory without a credential",
  requestBody: jsonRequestBody("LinkRequest", { path: LINK.path, expires_in: "7d" }),
  responses: {
    200: envelopedWithId("The link, with its URL", reference("NewLink"), ["removeLink"]),
  },
  refusals: ["ErrResourcesNotFound"],
};

export const LIST: Operation = {
  id: "listLinks",
  tag: "links",
  summary: "List links that have not expired, newest first",
  description:
    "The owner of a tree and administrators see all links in it, others those that they made.",
  parameters: pageParameters("links"),
  responses: { 200: enveloped("The links", reference("LinkList")) },
};

export const REMOVE: Operation = {
  id: "removeLink",
  tag: "links",
  summary: "Revoke a link",
  description: "A download that has begun goes on.",
  parameters: [idInPath("The id of the link")],
  responses: { 200: enveloped("The link", reference("Link")) },
  refusals: ["ErrLinksNotFound"],
};

export const FOLLOW: Operation = {
  id: "followLink",
  headId: "headLink",
  tag: "links",
  summary: "Download what a link serves: a file, or a directory as a ZIP",
  description: "A link for one download is used up when it begins, and sends no ranges.",
  parameters: [
    {
      name: "token",
      in: "path",
      required: true,
      schema: { type: "string" },
      description: "The token of the link",
      example: "AAAAAAAAAAAAAAAAAAAAAA",
    },
    ...PRECONDITIONS,
    ...RANGE,
  ],
  responses: DOWNLOAD.responses,
  refusals: [
    "ErrLinksNotFound",
    "ErrResourcesQuarantined",
    "ErrResourcesRefused",
    "ErrPreconditionFailed",
    "ErrTooManyRequests",
    416,
  ],
};
