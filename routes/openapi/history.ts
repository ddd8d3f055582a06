/** The operations about what trees were (C 26). */

import { PAGE } from "../../schemas/queries.ts";
import type { Operation } from "./operation.ts";
import { enveloped, integerQuery, query, reference } from "./parts.ts";

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
