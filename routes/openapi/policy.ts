/** The operations on the policy (C 28). */

import type { Operation } from "./operation.ts";
import { enveloped, query, reference } from "./parts.ts";

export const DECISIONS: Operation = {
  id: "listDecisions",
  tag: "verdicts",
  summary: "Say which files could be downloaded now, and by which rule of the policy",
  parameters: [
    query(
      "path",
      { type: "string" },
      "A directory with all below it, or a file; the root by default",
    ),
  ],
  responses: {
    200: enveloped("The files in path order", reference("FileDecisionList")),
  },
  refusals: ["ErrResourcesNotFound"],
};
