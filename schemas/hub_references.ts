import * as v from "valibot";

/** The body of a request for a new branch. */
export const NewBranch = v.object({ startingPoint: v.nullish(v.string()) });

/** The body of a request for a new tag. */
export const NewTag = v.object({ tag: v.string(), message: v.nullish(v.string()) });
