import type {
  ListedRepository,
  PageForm,
  PageRequest,
  PathsRequest,
  RepositoryPage,
  RepositoryQuery,
} from "../../core/hub/store.ts";
import { isLfsFile, MAX_REGULAR_BYTES } from "../../core/hub/git_files.ts";
import { KEPT_DIRECTORY } from "../../core/hub/kept_directory.ts";
import { pageOf, type PageRecord } from "../../core/hub/tree_json.ts";
import { compareBytewise } from "../../core/paths.ts";
import { MIB } from "../../schemas/units.ts";
import type { Dialect, SqlParameters, SqlRow, SqlValue } from "./dialect.ts";
import {
  type CurrentResults,
  VERDICT_COLUMNS,
  verdictJoins,
  verdictOf,
  WAIVER_ID,
} from "./verdict_statements.ts";

const TARGET_COLUMNS = "user_id, path, name, hash, size, is_dir, updated_at";

/** The first values of each row, in the order that {@link recordOf} reads. */
const columnsOf = (form: PageForm) =>
  `target.path, target.is_dir, target.size, target.updated_at, contents.sha256,
    ${needsBlobIds(form) ? "target.hash" : "NULL"} AS hash`;

/** How much content the blob ids of a page are computed of, in bytes: some milliseconds of a thread. */
const MAX_BLOB_BYTES = 4 * MIB;
/** How many files can be asked for by their paths at once, so that it is not more. */
export const MAX_NAMED_PATHS = MAX_BLOB_BYTES / MAX_REGULAR_BYTES;

/** A request for a page, with the verdicts that count at a time. */
export type HubRequest = (PageRequest | PathsRequest) & {
  readonly results: CurrentResults;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
};

/** A statement that reads some rows. */
export interface Query {
  readonly sql: string;
  readonly parameters: SqlParameters;
}

/** What reads a page, which may find one record more than the page has. */
export interface PageQuery extends Query {
  readonly limit: number;
}

/** The statement that reads a page of the records of a repository. */
export function pageQuery(request: HubRequest, dialect: Dialect): PageQuery {
  const { userId, form, now, results } = request;
  const { sql, parameters, limit } = targetsOf(request, dialect);
  const judged = needsVerdicts(form);
  return {
    sql: judged
      ? `SELECT ${
        columnsOf(form)
      }, ${WAIVER_ID} AS waiver, ${VERDICT_COLUMNS} FROM (${sql}) AS target
         ${verdictJoins(dialect)} ORDER BY target.path`
      : `SELECT ${columnsOf(form)} FROM (${sql}) AS target
         ${
        dialect.leftJoin("contents", "contents", "contents.hash = target.hash")
      } ORDER BY target.path`,
    parameters: { user: userId, ...parameters, ...(judged && { ...results, now }) },
    limit,
  };
}

/** Rows that {@link pageQuery} has found, as far as the page has them. */
export interface PageRows {
  readonly rows: readonly (readonly SqlValue[])[];
  readonly next: string | undefined;
  /** The hashes of the contents whose blob ids the page shows. */
  readonly hashes: readonly string[];
}

/** The rows of a page. It ends early if it would show the blob ids of too much content. */
export function rowsOfPage(
  rows: readonly (readonly SqlValue[])[],
  { directory, form }: HubRequest,
  { limit }: PageQuery,
): PageRows {
  const hashes: string[] = [];
  let bytes = 0;
  let end = 0;
  for (const [path, isDir, size, , , hash] of rows.slice(0, limit)) {
    const file = { directory, path: pathBelow(directory, path), size: Number(size) };
    if (needsBlobIds(form) && !isDir && !isLfsFile(file)) {
      bytes += file.size;
      if (bytes > MAX_BLOB_BYTES) break;
      hashes.push(String(hash));
    }
    end++;
  }
  const page = rows.slice(0, end);
  return { rows: page, next: rows.length > end ? String(page.at(-1)?.[0]) : undefined, hashes };
}

/** A page of those rows. */
export function pageFrom(
  { rows, next }: PageRows,
  { directory, form }: HubRequest,
  blobIds: ReadonlyMap<string, string>,
): RepositoryPage {
  const records = rows.map((row): PageRecord => {
    const record = recordOf(row, directory);
    const isLfs = isLfsFile({ directory, ...record });
    return { ...record, blobId: isLfs ? undefined : blobIds.get(String(row[5])) };
  });
  return pageOf(records, form, next);
}

/** A statement for the records of a request. */
function targetsOf(request: HubRequest, dialect: Dialect): PageQuery {
  const { texts, comparePath, byPath, isParent, child, childKey } = dialect;
  if ("paths" in request) {
    const { paths } = request;
    return {
      sql: `SELECT ${TARGET_COLUMNS}
        FROM (SELECT DISTINCT value FROM ${texts(":paths")} AS named) AS asked CROSS JOIN records
        WHERE user_id = :user AND ${comparePath("path", "=", "asked.value")}`,
      parameters: { paths: JSON.stringify(paths) },
      limit: paths.length,
    };
  }
  const { below, directory, recursive, after, limit } = request;
  const first = `${below}/`;
  const kept = `${directory}/${KEPT_DIRECTORY}`;
  // One lower bound: with two, the index might be searched from the start of the directory for each page.
  const from = compareBytewise(after, first) > 0 ? after : first;
  const select = `SELECT ${TARGET_COLUMNS} FROM records WHERE user_id = :user AND`;
  if (recursive) {
    return {
      sql: `${select} ${comparePath("path", "<", ":end")} AND ${comparePath("path", ">", ":from")}
        AND path <> :kept AND NOT (path > :kept_from AND path < :kept_end)
        ORDER BY ${byPath("path")} LIMIT :limit`,
      // All paths below a directory sort up to this one, as "0" follows "/" in ASCII.
      parameters: {
        end: `${below}0`,
        from,
        kept,
        kept_from: `${kept}/`,
        kept_end: `${kept}0`,
        limit: limit + 1,
      },
      limit,
    };
  }
  return {
    sql: `${select} ${isParent("parent", ":below")} AND ${child} > ${childKey(":below", ":name")}
      AND path <> :kept ORDER BY ${child} LIMIT :limit`,
    // All children sort before a path that is after that of their parent, and not below it.
    parameters: {
      below,
      kept,
      name: from.slice(first.length),
      limit: from.startsWith(first) ? limit + 1 : 0,
    },
    limit,
  };
}

function needsVerdicts(form: PageForm): boolean {
  switch (form.kind) {
    case "digests":
      return false;
    case "tree":
      return true;
    case "siblings":
      return form.security;
  }
}

/** Whether a page shows the blob ids of files that are not kept by Git LFS. */
function needsBlobIds(form: PageForm): boolean {
  return form.kind === "tree" || form.kind === "siblings" && form.blobs;
}

function pathBelow(directory: string, path: SqlValue | undefined): string {
  return String(path).slice(directory.length + 1);
}

function recordOf(values: readonly SqlValue[], directory: string): Omit<PageRecord, "blobId"> {
  const [path, isDir, size, updatedAt, sha256, , waiver = null, verdict = "unscanned"] = values;
  return {
    path: pathBelow(directory, path),
    isDir: Boolean(isDir),
    size: Number(size),
    updatedAt: Number(updatedAt),
    sha256: sha256 instanceof Uint8Array ? sha256.toHex() : undefined,
    verdict: verdictOf(verdict),
    isWaived: waiver !== null,
  };
}

/** The statement that reads the directories that are two levels below a root. */
export function repositoriesQuery(
  { userId, root, namespace, after = "/", limit }: RepositoryQuery,
  { child, childKey, isParent }: Dialect,
): Query {
  const [afterNamespace = "", afterName = ""] = after.split("/");
  return {
    sql: `SELECT space.name || '/' || repository.name AS id, repository.created_at,
       repository.updated_at
     FROM records AS space CROSS JOIN records AS repository
     WHERE ${isParent("repository.parent", "space.path")}
       AND repository.user_id = space.user_id AND repository.is_dir
       AND ${isParent("space.parent", ":root")} AND space.user_id = :user
       AND space.${child} >= ${childKey(":root", ":space")}
       AND (CAST(:namespace AS TEXT) IS NULL OR space.name = :namespace)
       AND (space.name > :space OR repository.name > :name)
     ORDER BY space.${child}, repository.${child} LIMIT :limit`,
    parameters: {
      user: userId,
      root,
      space: afterNamespace,
      name: afterName,
      namespace: namespace ?? null,
      limit,
    },
  };
}

/** Converts a row of {@link repositoriesQuery}. */
export function toRepository({ id, created_at, updated_at }: SqlRow): ListedRepository {
  return { id: String(id), createdAt: Number(created_at), updatedAt: Number(updated_at) };
}
