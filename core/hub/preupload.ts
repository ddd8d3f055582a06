import type { UploadMode } from "../../schemas/hub_repository.ts";
import { type Caller, permits } from "../caller.ts";
import { joinPath } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "../tree/changes.ts";
import { isLfsFile } from "./git_files.ts";
import { repositoryPath } from "./kept_directory.ts";
import type { Hub, Repository } from "./repository.ts";

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
 * @throws {AppError} `ErrResourcesInvalidRequest` when a path is invalid, `ErrResourcesRefused` when the policy
 *   refuses a file.
 */
export async function planUploads(
  { tree, store }: Pick<Hub, "tree" | "store">,
  { caller, repository: { userId, directory }, files }: PreuploadRequest,
): Promise<PlannedUpload[]> {
  const planned = files.map(({ path, size }) => {
    const relative = repositoryPath(path);
    const isLfs = isLfsFile({ directory, path: relative, size });
    return {
      path,
      size,
      at: joinPath(directory, relative),
      mode: isLfs ? "lfs" : "regular",
    } as const;
  });
  for (const { at, size } of planned) tree.policy?.refuseUpload({ userId, path: at, size });
  // Who may only upload does not learn what is there.
  const found = permits(caller, "resources.view")
    ? await tree.records.findByPath({ userId, everyone: false }, planned.map(({ at }) => at))
    : new Map<string, ResourceRecord>();
  const present = planned.map(({ at, size, mode }) => {
    const record = found.get(at);
    return record?.isDir === false && record.size === size ? { record, mode } : undefined;
  });
  const recordsOf = (mode: UploadMode) =>
    present.flatMap((it) => it?.mode === mode ? it.record : []);
  const sha256s = await sha256sOf(tree, recordsOf("lfs"));
  const blobIds = await store.blobIds(recordsOf("regular").map(({ hash }) => hash));
  return planned.map(({ path, size, mode }, index) => {
    const hash = present[index]?.record.hash ?? "";
    return { path, size, mode, oid: (mode === "lfs" ? sha256s : blobIds).get(hash) };
  });
}

/** The known SHA-256 of files, by their hashes. */
async function sha256sOf(
  tree: Tree,
  records: readonly ResourceRecord[],
): Promise<Map<string, string>> {
  const verdicts = await tree.verdicts.of(records);
  return new Map(
    records.flatMap(({ hash }, index): [string, string][] => {
      const sha256 = verdicts[index]?.sha256 ?? undefined;
      return sha256 === undefined ? [] : [[hash, sha256]];
    }),
  );
}
