import * as v from "valibot";

/** The body of a request for the records at some paths (C 20). Unknown keys are ignored (C 3). */
export const PathsInfo = v.object({
  paths: v.union([v.string(), v.array(v.string())]),
  expand: v.nullish(v.boolean(), false),
});
