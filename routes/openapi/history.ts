/** The operations about what trees were (C 26). */

import { PAGE } from "../../schemas/queries.ts";
import type { Operation } from "./operation.ts";
import { enveloped, integerQuery, jsonRequestBody, query, reference } from "./parts.ts";

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
