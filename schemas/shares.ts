import * as v from "valibot";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const amount = {
  files: count,
  bytes: v.pipe(count, v.description("The sizes of the files")),
};

const others = v.object({
  parts: v.pipe(count, v.description("How many parts are not in the list")),
  ...amount,
});

/** What is in a directory, the largest first, as callers receive it (C 24). */
export const EntryShares = v.object({
  path: v.pipe(v.string(), v.description("The directory; the root is empty")),
  items: v.array(v.object({ name: v.string(), path: v.string(), is_dir: v.boolean(), ...amount })),
  others,
});
export type EntryShares = v.InferOutput<typeof EntryShares>;

/** What files of each extension take, the most first (C 24). */
export const ExtensionShares = v.object({
  items: v.array(v.object({
    extension: v.pipe(v.string(), v.description("In lower case, without a dot; may be empty")),
    ...amount,
  })),
  others,
});
export type ExtensionShares = v.InferOutput<typeof ExtensionShares>;

/** What the tree of each user holds, the most first (C 24). */
export const UserShares = v.object({
  items: v.array(v.object({
    user_id: v.pipe(v.number(), v.integer(), v.minValue(1)),
    user_name: v.pipe(v.nullable(v.string()), v.description("Null without one")),
    ...amount,
  })),
  others,
});
export type UserShares = v.InferOutput<typeof UserShares>;
