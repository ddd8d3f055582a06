import { AppError, type ErrorKind, quoted } from "../errors.ts";
import { ancestorsOf } from "../paths.ts";
import type { NewRecord, ResourceRecord, WriteTransaction } from "../ports.ts";

/** The outcome of {@link makeDirectories}. */
export interface MadeDirectories {
  /** The directories that were missing, outermost first. */
  readonly created: ResourceRecord[];
  /** The record at `path` itself; undefined for the root, which has none (C 5.1). */
  readonly leaf: ResourceRecord | undefined;
}

export interface DirectoryRequest {
  readonly userId: number;
  readonly path: string;
  /** The time of the operation. */
  readonly now: number;
  /** What it is called that a file stands on the way (RS 7). @default "ErrResourcesAlreadyExists" */
  readonly refusal?: ErrorKind;
}

/**
 * Makes the directory and every missing one above it, all owned by `userId` (RS 4.2.7, 4.3.1).
 *
 * @throws {AppError} `ErrResourcesAlreadyExists` where a file stands on the way.
 */
export async function makeDirectories(
  transaction: WriteTransaction,
  request: DirectoryRequest,
): Promise<MadeDirectories> {
  const { userId, path } = request;
  const existing = await transaction.findByPath({ userId, everyone: false }, chainOf(path));
  const created = await transaction.insert(missingDirectories(request, existing));
  return { created, leaf: existing.get(path) ?? created.at(-1) };
}

/** The directory and those above it, outermost first; none for the root. */
export function chainOf(path: string): string[] {
  return path === "" ? [] : [...ancestorsOf(path), path];
}

/**
 * The records that are missing for the directory to be there, outermost first.
 *
 * @throws {AppError} of the kind `refusal` where a file stands on the way.
 */
export function missingDirectories(
  { userId, path, now, refusal = "ErrResourcesAlreadyExists" }: DirectoryRequest,
  existing: ReadonlyMap<string, ResourceRecord>,
): NewRecord[] {
  return chainOf(path).flatMap((directory) => {
    const record = existing.get(directory);
    if (record?.isDir === false) {
      throw new AppError(
        refusal,
        `Cannot make the directory ${quoted(path)}: ${quoted(directory)} is a file`,
      );
    }
    if (record !== undefined) return [];
    return {
      userId,
      path: directory,
      hash: "",
      size: 0,
      crc32: 0,
      isDir: true,
      createdAt: now,
      updatedAt: now,
    };
  });
}
