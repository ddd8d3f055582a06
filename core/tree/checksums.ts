import { createHash } from "node:crypto";
import { type Caller, ownerOf, scopeOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { parentOf, sanitizeDirectory } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "./changes.ts";
import { MissingContent, openFile } from "./file_content.ts";

/** A request for the checksums of a file, or of all files below a directory (C 17). */
export interface ChecksumsRequest {
  readonly caller: Caller;
  /** Blank is the root of the tree that the request acts in. */
  readonly path: string;
  readonly signal: AbortSignal;
}

/** The SHA-256 of a file. */
export interface FileChecksum {
  /** In lower-case hex. */
  readonly sha256: string;
  /** Relative to the path of the request; the name, if that is the file itself. */
  readonly path: string;
}

/**
 * The SHA-256 of the files at or below a path, in batches (C 17). Content that was stored before SHA-256
 * was kept is read.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path is invalid, `ErrResourcesNotFound` when
 *   it has no record.
 * @throws {Error} when content that has to be read is missing or damaged.
 */
export async function* checksums(
  tree: Tree,
  { caller, path, signal }: ChecksumsRequest,
): AsyncGenerator<readonly FileChecksum[]> {
  const root = sanitizeDirectory(path);
  const named = root === "" ? undefined : await find(tree, caller, root);
  const base = named?.isDir === false ? parentOf(root) : root;
  const prefixLength = base === "" ? 0 : base.length + 1;
  for await (
    const records of tree.records.list({
      scope: { userId: named?.userId ?? ownerOf(caller), everyone: false },
      recursive: true,
      directories: root === "" ? [] : [root],
      chain: [],
    })
  ) {
    const files = records.filter(({ isDir }) => !isDir);
    const verdicts = await tree.verdicts.of(files);
    let batch: FileChecksum[] = [];
    for (const [index, file] of files.entries()) {
      let sha256 = verdicts[index]?.sha256 ?? undefined;
      if (sha256 === undefined) {
        if (batch.length > 0) yield batch;
        batch = [];
        sha256 = await readSha256(tree, file, signal);
      }
      if (sha256 === undefined) continue;
      batch.push({ sha256, path: file.path.slice(prefixLength) });
    }
    if (batch.length > 0) yield batch;
  }
}

async function find(
  { records }: Tree,
  caller: Caller,
  path: string,
): Promise<ResourceRecord> {
  const found = (await records.findByPath(scopeOf(caller), [path])).get(path);
  if (found !== undefined) return found;
  throw new AppError(
    "ErrResourcesNotFound",
    `Cannot read the checksums of ${quoted(path)}: not found`,
  );
}

/** Reads content whose SHA-256 is not known yet. Undefined if the file does not have it any more. */
async function readSha256(
  tree: Tree,
  file: ResourceRecord,
  signal: AbortSignal,
): Promise<string | undefined> {
  const sha256 = createHash("sha256");
  try {
    const content = await openFile(tree, file, { start: 0, end: file.size });
    for await (const chunk of content ?? []) {
      signal.throwIfAborted();
      sha256.update(chunk);
    }
    return sha256.digest("hex");
  } catch (error) {
    if (!(error instanceof MissingContent)) throw error;
    const owner = { userId: file.userId, everyone: false };
    const present = (await tree.records.findById(owner, [file.id])).get(file.id);
    if (present?.hash === file.hash) throw error;
    return undefined;
  }
}
