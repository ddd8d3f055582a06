/** The operations on what content says of itself (C 29). */

import { headersOf } from "./headers.ts";
import type { Operation } from "./operation.ts";
import { AT, enveloped, ID, query, reference } from "./parts.ts";

export const FACTS: Operation = {
  id: "showFacts",
  tag: "resources",
  summary: "Show what a file or a directory says of itself",
  description:
    "Format, tensors, architecture, license and the like, as scans have found them. Those of a directory are " +
    "those of its files put together: what its card and its configuration say counts first, and of weights that " +
    "are there several times, one copy is counted.",
  parameters: [
    query("path", { type: "string" }, "A path", "models/llama"),
    query("id", ID, "The id of a record, in place of a path"),
    AT,
  ],
  responses: {
    200: { ...enveloped("The facts", reference("Facts")), headers: headersOf([], ["X-Version"]) },
  },
  refusals: ["ErrResourcesNotFound", "ErrVersionsNotFound"],
};
