import * as v from "valibot";

/** What all servers of a database share, by the names that `STRONGROOM_ALLOW_DIFFERENT` has (C 23). */
export const AGREED = ["secret", "gate", "limits", "mirror"] as const;
export type Agreed = typeof AGREED[number];

/** The values of the settings that belong to each. A secret is there by the id of its key. */
export const Agreement = v.record(v.picklist(AGREED), v.record(v.string(), v.string()));
export type Agreement = v.InferOutput<typeof Agreement>;
