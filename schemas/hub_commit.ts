import * as v from "valibot";

const Path = v.string();
const Text = v.string();

/** The line of a commit that comes first. */
const Header = v.object({
  key: v.literal("header"),
  value: v.object({
    summary: Text,
    description: v.nullish(Text),
    /** The commit that the client has seen last. */
    parentCommit: v.nullish(Text),
  }),
});

const File = v.object({
  key: v.literal("file"),
  value: v.object({
    path: Path,
    content: Text,
    encoding: v.nullish(v.picklist(["base64", "utf-8"]), "utf-8"),
  }),
});

const LfsFile = v.object({
  key: v.literal("lfsFile"),
  value: v.object({
    path: Path,
    algo: v.nullish(v.literal("sha256")),
    oid: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    /** Clients that copy a file leave it out. */
    size: v.nullish(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  }),
});

const DeletedFile = v.object({
  key: v.literal("deletedFile"),
  value: v.object({ path: Path }),
});

const DeletedFolder = v.object({
  key: v.literal("deletedFolder"),
  value: v.object({ path: Path }),
});

const CopyFile = v.object({
  key: v.literal("copyFile"),
  value: v.object({
    path: Path,
    srcPath: Path,
    /** The revision that has the source. @default the current one */
    srcRevision: v.nullish(Text),
  }),
});

/** A line of a commit (C 20). Unknown keys are ignored. */
export const CommitLine = v.variant("key", [
  Header,
  File,
  LfsFile,
  DeletedFile,
  DeletedFolder,
  CopyFile,
]);
export type CommitLine = v.InferOutput<typeof CommitLine>;

/** What a commit has done, as clients expect it. */
export interface CommitReply {
  readonly success: true;
  readonly commitUrl: string;
  readonly commitOid: string;
  readonly hookOutput: "";
}
