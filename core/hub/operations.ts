import { type Privilege, requirePermission } from "../caller.ts";
import type { Chunk } from "../content.ts";
import { AppError, quoted } from "../errors.ts";
import { joinPath } from "../paths.ts";
import type { Staging, UploadedFile } from "../tree/staging.ts";
import { repositoryPath } from "./kept_directory.ts";
import type { CommitRequest, Operation } from "./ports.ts";

/** The most operations of a commit: each one is kept in memory until all have come. */
export const MAX_OPERATIONS = 25_000;

/** What operations need besides the privilege to upload. */
const PRIVILEGES: Partial<Record<Operation["kind"], Privilege>> = {
  copyFile: "resources.edit",
  deletedFile: "resources.delete",
  deletedFolder: "resources.delete",
};

/** A file whose content was sent before, or is that of another one. */
export interface LfsFile {
  readonly path: string;
  readonly sha256: string;
  readonly size: number | undefined;
}

/** The operations of a commit. Paths are those of the tree. */
export interface PlannedCommit {
  readonly staged: readonly UploadedFile[];
  readonly lfsFiles: readonly LfsFile[];
  readonly copies: readonly { readonly from: string; readonly path: string }[];
  readonly deletions: readonly { readonly path: string; readonly isDir: boolean }[];
}

/**
 * Reads the operations of a commit, and stages the content that comes with them.
 *
 * @throws {AppError} `ErrNotPermitted`, `ErrResourcesInvalidRequest` when there are too many, a path is
 *   invalid or two have the same path, and what staging throws.
 */
export async function readOperations(
  staging: Staging,
  { caller, directory, operations }: CommitRequest,
): Promise<PlannedCommit> {
  const staged: UploadedFile[] = [];
  const lfsFiles: LfsFile[] = [];
  const copies: { from: string; path: string }[] = [];
  const deletions: { path: string; isDir: boolean }[] = [];
  const pathOf = (path: string) => joinPath(directory, repositoryPath(path));
  const seen = new Set<string>();
  let bytes = 0;
  for await (const operation of operations) {
    const privilege = PRIVILEGES[operation.kind];
    if (privilege !== undefined) requirePermission(caller, privilege);
    const path = pathOf(operation.path);
    // A file may take the place of a deleted folder.
    const key = operation.kind === "deletedFolder" ? `${path}/` : path;
    if (seen.has(key)) {
      throw invalidCommit(`two operations have the path ${quoted(operation.path)}`);
    }
    if (seen.add(key).size > MAX_OPERATIONS) {
      throw invalidCommit(`it has more than ${MAX_OPERATIONS} operations; send several commits`);
    }
    switch (operation.kind) {
      case "file": {
        const content = chunksOf(operation.content);
        const file = await staging.stage({ path, content, besides: bytes });
        bytes += file.blob.size;
        staged.push(file);
        break;
      }
      case "lfsFile":
        lfsFiles.push({ path, sha256: operation.sha256, size: operation.size });
        break;
      case "copyFile":
        copies.push({ from: pathOf(operation.from), path });
        break;
      case "deletedFile":
      case "deletedFolder":
        deletions.push({ path, isDir: operation.kind === "deletedFolder" });
    }
  }
  return { staged, lfsFiles, copies, deletions };
}

async function* chunksOf(content: AsyncIterable<Chunk> | Chunk): AsyncGenerator<Chunk> {
  if (content instanceof Uint8Array) yield content;
  else yield* content;
}

function invalidCommit(reason: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot commit: ${reason}`);
}
