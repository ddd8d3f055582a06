import { createHash } from "node:crypto";
import type { UploadMode } from "../../schemas/hub_repository.ts";
import { KIB } from "../../schemas/units.ts";
import { type Caller, permits } from "../caller.ts";
import { DamagedContent } from "../errors.ts";
import { joinPath } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "../tree/changes.ts";
import { MissingContent, openFile } from "../tree/file_content.ts";
import { repositoryPath } from "./kept_directory.ts";
import type { Repository } from "./repository.ts";

/** The largest file that belongs into a commit itself, in bytes. Its content is in the database. */
const MAX_REGULAR_BYTES = 64 * KIB;

/** A file that a client has. */
export interface LocalFile {
  /** Relative to the repository, as the client has sent it. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/** How a file is to be sent. */
export interface PlannedUpload extends LocalFile {
  readonly mode: UploadMode;
  /**
   * The content at the path, by which clients see that they need not send theirs: its SHA-256 for `lfs`,
   * the id of its Git blob for `regular`. Undefined if no file of this size is there.
   */
  readonly oid: string | undefined;
}

export interface PreuploadRequest {
  readonly caller: Caller;
  readonly repository: Repository;
  readonly files: readonly LocalFile[];
}

/**
 * Says how files are to be sent to a repository, and what is at their paths (C 20).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when a path is invalid.
 */
export async function planUploads(
  tree: Tree,
  { caller, repository: { userId, directory }, files }: PreuploadRequest,
): Promise<PlannedUpload[]> {
  const paths = files.map(({ path }) => joinPath(directory, repositoryPath(path)));
  // Who may only upload does not learn what is there.
  const found = permits(caller, "resources.view")
    ? await tree.records.findByPath({ userId, everyone: false }, paths)
    : new Map<string, ResourceRecord>();
  const records = files.map(({ size }, index) => {
    const record = found.get(paths[index] ?? "");
    return record?.isDir === false && record.size === size ? record : undefined;
  });
  const sha256s = await sha256sOf(tree, records);
  const planned: PlannedUpload[] = [];
  for (const [index, { path, size }] of files.entries()) {
    const record = records[index];
    const mode = size > MAX_REGULAR_BYTES ? "lfs" : "regular";
    const oid = record === undefined
      ? undefined
      : mode === "lfs"
      ? sha256s.get(record.id)
      : await blobIdOf(tree, record);
    planned.push({ path, size, mode, oid });
  }
  return planned;
}

/** The known SHA-256 of large files, by the ids of their records. */
async function sha256sOf(
  tree: Tree,
  records: readonly (ResourceRecord | undefined)[],
): Promise<Map<number, string>> {
  const large = records.filter((record) => record !== undefined)
    .filter(({ size }) => size > MAX_REGULAR_BYTES);
  const verdicts = await tree.verdicts.of(large);
  return new Map(
    large.flatMap(({ id }, index): [number, string][] => {
      const sha256 = verdicts[index]?.sha256 ?? undefined;
      return sha256 === undefined ? [] : [[id, sha256]];
    }),
  );
}

/** The id of the Git blob with the content of a small file. Undefined if that cannot be read. */
async function blobIdOf(tree: Tree, record: ResourceRecord): Promise<string | undefined> {
  const sha1 = createHash("sha1").update(`blob ${record.size}\0`);
  try {
    const content = await openFile(tree, record, { start: 0, end: record.size });
    for await (const chunk of content ?? []) sha1.update(chunk);
  } catch (error) {
    // It was replaced meanwhile, or is damaged: the client sends its content, which repairs it.
    if (error instanceof MissingContent || error instanceof DamagedContent) return undefined;
    throw error;
  }
  return sha1.digest("hex");
}
