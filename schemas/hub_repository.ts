import * as v from "valibot";

/** The most files that a client may ask about at once. */
export const MAX_PREUPLOAD_FILES = 1000;

const Type = v.nullish(v.picklist(["model", "dataset"]), "model");
export type RepositoryType = "model" | "dataset";

const Named = {
  name: v.string(),
  /** The namespace. @default the name of the caller */
  organization: v.nullish(v.string()),
  type: Type,
};

/** The body of a request for a new repository (C 20). Repositories are private, whatever it says. Unknown keys are ignored. */
export const NewRepository = v.object({
  ...Named,
  private: v.nullish(v.boolean()),
  visibility: v.nullish(v.string()),
});

/** The body of a request to delete a repository (C 31). Unknown keys are ignored. */
export const DeletedRepository = v.object(Named);

/** The body of a request to give a repository another name (C 31). Unknown keys are ignored. */
export const MovedRepository = v.object({ fromRepo: v.string(), toRepo: v.string(), type: Type });

/** The body of a request to change a repository (C 31). Unknown keys are refused, as they change nothing. */
export const RepositorySettings = v.strictObject({
  private: v.optional(v.boolean()),
  visibility: v.optional(v.string()),
  gated: v.optional(v.union([v.boolean(), v.string()])),
});

/** The body of a request for the ways in which files are to be sent (C 20). Unknown keys are ignored. */
export const Preupload = v.object({
  files: v.pipe(
    v.array(v.object({
      path: v.string(),
      /** In bytes. */
      size: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    })),
    v.maxLength(MAX_PREUPLOAD_FILES),
  ),
});

/** How a file is to be sent: in the commit, or before it by Git LFS. */
export type UploadMode = "regular" | "lfs";
