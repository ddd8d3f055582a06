import { entryNotFound } from "../hub/repository.ts";
import { repositoryPath } from "../hub/kept_directory.ts";
import type { PageForm, RepositoryPage } from "../hub/store.ts";
import { pageOf, type PageRecord } from "../hub/tree_json.ts";
import { AppError } from "../errors.ts";
import { nameOf } from "../paths.ts";
import { directoryOf, type MirrorParts } from "./mirror.ts";
import type { EntryPage, MirrorEntry, MirrorRevision } from "./store.ts";

/** A part of the entries of a revision to list. Paths are relative to the repository. */
export interface MirroredPage extends Omit<EntryPage, "revision"> {
  readonly form: PageForm;
}

/**
 * A part of the entries of a revision, as clients read it. It is known before any file is fetched (C 28).
 *
 * @throws {AppError} `ErrHubEntryNotFound` when `below` is no folder.
 */
export async function listMirrored(
  parts: MirrorParts,
  revision: MirrorRevision,
  { form, below, limit, ...page }: MirroredPage,
): Promise<RepositoryPage> {
  const { store } = parts;
  if (below !== "") {
    const [folder] = await store.findEntries(revision.revision, [below]);
    if (folder?.isDir !== true) throw entryNotFound(revision, below);
  }
  const found = await store.listEntries({
    ...{ ...page, below, limit: limit + 1 },
    revision: revision.revision,
  });
  const shown = found.slice(0, limit);
  const next = found.length > limit ? shown.at(-1)?.path : undefined;
  return pageOf(await pageRecords(parts, revision, shown), form, next);
}

/** The entries at some paths, as clients read them. Those that are missing are left out. */
export async function mirroredPaths(
  parts: MirrorParts,
  revision: MirrorRevision,
  { form, paths }: { readonly form: PageForm; readonly paths: readonly string[] },
): Promise<RepositoryPage> {
  const clean = [...new Set(paths.flatMap((path) => cleanPath(path) ?? []))];
  const found = await parts.store.findEntries(revision.revision, clean);
  return pageOf(await pageRecords(parts, revision, found), form, undefined);
}

function cleanPath(path: string): string | undefined {
  try {
    return repositoryPath(path);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** The entries with what is known of the content of those that were fetched. */
async function pageRecords(
  { tree: { records, verdicts }, caller }: MirrorParts,
  revision: MirrorRevision,
  entries: readonly MirrorEntry[],
): Promise<PageRecord[]> {
  const directory = directoryOf(revision);
  const fetched = entries.filter(({ fetchedAt }) => fetchedAt !== undefined);
  const scope = { userId: caller.userId, everyone: false };
  const found = fetched.length === 0
    ? []
    : [...await records.findByPath(scope, fetched.map(({ path }) => `${directory}/${path}`))];
  const judged = await verdicts.of(
    found.map(([path, { userId, hash }]) => ({ userId, hash, name: nameOf(path) })),
  );
  const known = new Map(found.map(([path], index) => [path, judged[index]]));
  return entries.map(({ path, isDir, size, blobId, sha256 }) => {
    const verdict = known.get(`${directory}/${path}`);
    return {
      ...{ path, isDir, size },
      updatedAt: revision.about.modifiedAt,
      // Of a file that Git has, clients see its blob id alone.
      sha256: isDir ? undefined : sha256 ?? "",
      blobId: sha256 === undefined ? blobId : undefined,
      verdict: verdict?.verdict ?? "unscanned",
      isWaived: verdict?.waiver != null,
    };
  });
}
