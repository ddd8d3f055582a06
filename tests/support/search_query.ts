/** A search for all that the tree of user 1 has, by path. */
export const WHOLE_TREE = {
  userId: 1,
  directory: "",
  sort: { by: "path", isDescending: false },
  after: "",
  limit: 10,
  wantsFacets: false,
  wantsKnown: false,
} as const;
