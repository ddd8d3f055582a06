import { type Caller, ownerOf, requirePermission } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { forEachPaced } from "../event_loop.ts";
import { parentOf } from "../paths.ts";
import type { TreeRules } from "../policy/tree_rules.ts";
import type { ContentFacts, NewContent, NewRecord, ResourceRecord } from "../ports.ts";
import { chainOf, MAX_DIRECTORIES, missingDirectories } from "./directories.ts";

/** A file to be, and its content. */
export interface PlacedFile {
  readonly path: string;
  readonly blob: ContentFacts;
}

/**
 * What becomes of a file to be: it gets a record, or the record at its path gets its content, or that
 * stays as it is because it has the same content.
 */
export type Decision = "add" | "replace" | "keep";

/** Decides about a file by the record at its path. Throws to refuse the upload. */
export type Decide = (file: PlacedFile, found: ResourceRecord | undefined) => Decision;

/** Decides as `decide` does, and refuses what a rule of the policy refuses by the size (C 28). */
export function byPolicy(
  { policy }: { readonly policy?: Pick<TreeRules, "refuseUpload"> | undefined },
  { caller, decide }: { readonly caller: Caller; readonly decide: Decide },
): Decide {
  const userId = ownerOf(caller);
  return (file, found) => {
    const decision = decide(file, found);
    const { path, blob: { size } } = file;
    if (decision !== "keep") policy?.refuseUpload({ userId, path, size });
    return decision;
  };
}

/** Throws if a request does not apply to the file at its path, or to there being none. */
export type RequireCondition = (found: ResourceRecord | undefined) => void;

/**
 * What decides that a file is stored at a path, as a new one or in place of the one there.
 *
 * @returns a function that throws `ErrResourcesAlreadyExists` when a directory is there, `ErrNotPermitted` when
 *   the caller may not replace the file, and what `requireCondition` throws.
 */
export function storing(
  { caller, path, requireCondition }: {
    readonly caller: Caller;
    readonly path: string;
    readonly requireCondition: RequireCondition;
  },
): (found: ResourceRecord | undefined) => Decision {
  return (found) => {
    if (found?.isDir) throw alreadyExists(path, "it is a directory");
    requireCondition(found);
    if (found === undefined) return "add";
    requirePermission(caller, "resources.edit");
    return "replace";
  };
}

interface PlacementOptions {
  readonly userId: number;
  readonly parents: readonly string[];
  /** The owner's records at the paths of the files and above them. */
  readonly found: ReadonlyMap<string, ResourceRecord>;
  /** Decides about a file by the record at its path. Throws to refuse all. */
  readonly decide: Decide;
}

/** The records to add, directories first, and the contents to replace. */
export async function planPlacement(
  files: readonly PlacedFile[],
  { userId, parents, found, decide }: PlacementOptions,
): Promise<
  { readonly newRecords: readonly NewRecord[]; readonly newContents: readonly NewContent[] }
> {
  const now = Date.now();
  const newRecords = new Map<string, NewRecord>();
  await forEachPaced(parents, (path) => {
    for (const directory of missingDirectories({ userId, path, now }, found)) {
      newRecords.set(directory.path, directory);
    }
  });
  const newContents: NewContent[] = [];
  await forEachPaced(files, (file) => {
    const { path, blob: { hash, size, crc32 } } = file;
    const record = found.get(path);
    const decision = decide(file, record);
    const content = { userId, hash, size, crc32, updatedAt: now };
    if (decision === "add") {
      newRecords.set(path, { ...content, path, isDir: false, createdAt: now });
    }
    if (decision === "replace" && record !== undefined) {
      newContents.push({ ...content, id: record.id });
    }
  });
  return { newRecords: [...newRecords.values()], newContents };
}

/**
 * The directories that files are in.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when there are too many of them and above them,
 *   `ErrResourcesAlreadyExists` when a file has the path of one, or of another file.
 */
export async function parentsOf(paths: readonly string[]): Promise<string[]> {
  const parents = new Set<string>();
  await forEachPaced(paths, (path) => parents.add(parentOf(path)));
  const directories = new Set<string>();
  await forEachPaced(parents, (parent) => {
    for (const directory of chainOf(parent)) directories.add(directory);
    if (directories.size > MAX_DIRECTORIES) {
      throw invalidUpload(`the files are in more than ${MAX_DIRECTORIES} directories`);
    }
  });
  const seen = new Set<string>();
  await forEachPaced(paths, (path) => {
    if (seen.has(path)) throw alreadyExists(path, "the upload has it twice");
    if (directories.has(path)) throw alreadyExists(path, "other files of the upload are below it");
    seen.add(path);
  });
  return [...parents];
}

/** The error for an upload that is refused whatever the tree holds. */
export function invalidUpload(reason: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot upload: ${reason}`);
}

/** The error for an upload to a path that is taken. */
export function alreadyExists(path: string, reason: string): AppError {
  return new AppError("ErrResourcesAlreadyExists", `Cannot upload ${quoted(path)}: ${reason}`);
}
