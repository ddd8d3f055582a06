/** The operations about what trees were (C 26). */

import { PAGE } from "../../schemas/queries.ts";
import type { Operation } from "./operation.ts";
import {
  enveloped,
  integerQuery,
  jsonRequestBody,
  pageParameters,
  query,
  reference,
} from "./parts.ts";

const AFTER = query("after", { type: "string" }, "The `next` of the page before");

export const HISTORY: Operation = {
  id: "showHistory",
  tag: "resources",
  summary: "List the changes of a file, or below a directory, newest first",
  description:
    "A file or directory that was moved keeps its history: what happened before has the path that it had " +
    "then. Ask for the next page while `next` is not null.",
  parameters: [
    query("path", { type: "string" }, "A path; the root by default", "models/llama"),
    AFTER,
    integerQuery("limit", PAGE.limit, "How many changes the page has at most"),
  ],
  responses: { 200: enveloped("A page of changes", reference("HistoryList")) },
  refusals: ["ErrVersionsNotFound"],
};

export const RESTORE: Operation = {
  id: "restoreResource",
  tag: "resources",
  summary: "Bring back a file or directory of an earlier version",
  description:
    "As one change, with the rules of a copy: without `force`, nothing that exists is replaced or merged. " +
    "No content is copied.",
  requestBody: jsonRequestBody("RestoreRequest", { path: "models/llama", at: 41 }),
  responses: {
    200: enveloped("The added entries, then the updated ones", reference("ResourceList")),
  },
  refusals: [
    "ErrResourcesNotFound",
    "ErrVersionsNotFound",
    "ErrResourcesConflict",
    "ErrResourcesLocked",
    "ErrResourcesQuotaExceeded",
  ],
};

export const TRASH: Operation = {
  id: "showTrash",
  tag: "resources",
  summary: "List what was deleted and can be restored, newest first",
  description:
    "One entry for each file or directory that was deleted as a whole, unless it is there again. Restore it " +
    "with `at` one less than its version. Ask for the next page while `next` is not null: a page may have " +
    "few entries although others follow.",
  parameters: [AFTER, integerQuery("limit", PAGE.limit, "How many entries the page has at most")],
  responses: { 200: enveloped("A page of the trash", reference("TrashList")) },
  refusals: ["ErrVersionsNotFound"],
};

export const EMPTY_TRASH: Operation = {
  id: "emptyTrash",
  tag: "resources",
  summary: "Give up what was deleted, at once",
  description:
    "No version of the tree has its content any more, and content that nothing else names is removed. " +
    "Content that a tag names stays.",
  parameters: [
    query(
      "path",
      { type: "string" },
      "Only what was deleted there or below; all by default",
      "models/llama",
    ),
  ],
  responses: { 200: enveloped("How many entries were given up", reference("EmptiedTrash")) },
  refusals: ["ErrResourcesNotFound", "ErrVersionsNotFound"],
};

export const PURGE: Operation = {
  id: "purgeContent",
  tag: "resources",
  summary: "Remove a content from all trees and all of their versions",
  description:
    "For secrets, and for what the law wants gone: files of all users that have it are deleted, no version and " +
    "no tag has it any more, and the content is removed. Content that was stored before its SHA-256 was kept is " +
    "found once it was read.",
  requestBody: jsonRequestBody("PurgeRequest", { sha256: "0".repeat(64) }),
  responses: { 200: enveloped("The deleted files", reference("ResourceList")) },
  refusals: ["ErrResourcesNotFound", "ErrResourcesLocked"],
};

export const ADD_TAG: Operation = {
  id: "addTag",
  tag: "resources",
  summary: "Name a file or directory as it is, or was",
  description:
    "It can be read with `at` for as long as the tag is there, also without history. It counts against the " +
    "quota as a copy would. A tag never moves.",
  requestBody: jsonRequestBody("TagRequest", { name: "v1.0", path: "models/llama" }),
  responses: { 200: enveloped("The tag", reference("Tag")) },
  refusals: [
    "ErrTagsConflict",
    "ErrResourcesNotFound",
    "ErrVersionsNotFound",
    "ErrResourcesQuotaExceeded",
  ],
};

export const TAGS: Operation = {
  id: "listTags",
  tag: "resources",
  summary: "List tags, newest first",
  parameters: [
    query("path", { type: "string" }, "Only those of this path", "models/llama"),
    ...pageParameters("tags"),
  ],
  responses: { 200: enveloped("Tags", reference("TagList")) },
};

export const REMOVE_TAG: Operation = {
  id: "removeTag",
  tag: "resources",
  summary: "Remove a tag",
  description: "Content that nothing else names goes.",
  parameters: [{
    ...query("name", { type: "string" }, "The name of the tag", "v1.0"),
    required: true,
  }],
  responses: { 200: enveloped("The tag that was removed", reference("Tag")) },
  refusals: ["ErrTagsNotFound"],
};

export const DIFF: Operation = {
  id: "showDiff",
  tag: "resources",
  summary: "List what is different between two versions, ordered by path",
  description: "What has left the path is where it was.",
  parameters: [
    query("path", { type: "string" }, "A path; the root by default", "models/llama"),
    {
      ...query("from", { type: "string" }, "A version, an RFC 3339 time, or a tag", "41"),
      required: true,
    },
    query("to", { type: "string" }, "Another one; what is there now by default", "42"),
  ],
  responses: { 200: enveloped("The differences", reference("DiffList")) },
  refusals: ["ErrVersionsNotFound"],
};
