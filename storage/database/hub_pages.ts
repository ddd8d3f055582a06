import type {
  ListedRepository,
  PageForm,
  PageRequest,
  PathsRequest,
  RepositoryPage,
  RepositoryQuery,
} from "../../core/hub/store.ts";
import { pageOf, type PageRecord } from "../../core/hub/tree_json.ts";
import { compareBytewise } from "../../core/paths.ts";
import { Buffer } from "node:buffer";
import type { SQLOutputValue } from "node:sqlite";
import type { Connection } from "./connection.ts";
import type { Statement } from "./listing.ts";
import {
  type CurrentResults,
  VERDICT_COLUMNS,
  VERDICT_JOINS,
  verdictOf,
  WAIVER_ID,
} from "./verdict_statements.ts";

const TARGET_COLUMNS = "path, name, hash, size, is_dir, updated_at";

/** The first values of each row, in the order that {@link recordOf} reads. */
const COLUMNS = "target.path, target.is_dir, target.size, target.updated_at, contents.sha256";

/** A request for a page, with the verdicts that count at a time. */
export type HubRequest = (PageRequest | PathsRequest) & {
  readonly results: CurrentResults;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
};

/** Reads a page of the records of a repository. */
export function readPage(connection: Connection, request: HubRequest): RepositoryPage {
  const { userId, directory, form, now, results } = request;
  const { sql, parameters, limit } = targetsOf(request);
  const judged = needsVerdicts(form);
  const rows = connection.values(
    judged
      ? `SELECT ${COLUMNS}, ${WAIVER_ID} AS waiver, ${VERDICT_COLUMNS} FROM (${sql}) AS target
         ${VERDICT_JOINS} ORDER BY target.path`
      : `SELECT ${COLUMNS} FROM (${sql}) AS target
         LEFT JOIN contents ON contents.hash = target.hash ORDER BY target.path`,
    { user: userId, ...parameters, ...(judged && { ...results, now }) },
  );
  const page = rows.slice(0, limit);
  const isCut = rows.length > page.length;
  const next = isCut ? String(page.at(-1)?.[0]) : undefined;
  return pageOf(page.map((row) => recordOf(row, directory)), form, next);
}

/** A statement for the records of a request, which may find one more than the page has. */
function targetsOf(request: HubRequest): Statement & { readonly limit: number } {
  if ("paths" in request) {
    const { paths } = request;
    return {
      sql: `SELECT ${TARGET_COLUMNS} FROM records
        WHERE user_id = :user AND path IN (SELECT value FROM json_each(:paths))`,
      parameters: { paths: JSON.stringify(paths) },
      limit: paths.length,
    };
  }
  const { below, recursive, after, limit } = request;
  const first = `${below}/`;
  // One lower bound: with two, the index might be searched from the start of the directory for each page.
  const from = compareBytewise(after, first) > 0 ? after : first;
  return {
    sql: `SELECT ${TARGET_COLUMNS} FROM records
      WHERE user_id = :user AND ${recursive ? "path < :end" : "parent = :end"} AND path > :from
      ORDER BY path LIMIT :limit`,
    // All paths below a directory sort up to this one, as "0" follows "/" in ASCII.
    parameters: { end: recursive ? `${below}0` : below, from, limit: limit + 1 },
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

function recordOf(values: readonly SQLOutputValue[], directory: string): PageRecord {
  const [path, isDir, size, updatedAt, sha256, waiver = null, verdict = "unscanned"] = values;
  return {
    path: String(path).slice(directory.length + 1),
    isDir: isDir === 1,
    size: Number(size),
    updatedAt: Number(updatedAt),
    sha256: sha256 instanceof Uint8Array ? Buffer.from(sha256).toString("hex") : undefined,
    verdict: verdictOf(verdict),
    isWaived: waiver !== null,
  };
}

/** Reads the directories that are two levels below a root. */
export function readRepositories(
  connection: Connection,
  { userId, root, namespace, after = "/", limit }: RepositoryQuery,
): ListedRepository[] {
  const [afterNamespace = "", afterName = ""] = after.split("/");
  const rows = connection.all(
    `SELECT space.name || '/' || repository.name AS id, repository.created_at,
       repository.updated_at
     FROM records AS space CROSS JOIN records AS repository
       ON repository.parent = space.path AND repository.user_id = space.user_id
         AND repository.is_dir
     WHERE space.parent = :root AND space.user_id = :user AND space.path >= :space
       AND (:namespace IS NULL OR space.path = :namespace)
       AND (space.path > :space OR repository.path > :name)
     ORDER BY space.path, repository.path LIMIT :limit`,
    {
      user: userId,
      root,
      space: `${root}/${afterNamespace}`,
      name: `${root}/${afterNamespace}/${afterName}`,
      namespace: namespace === undefined ? null : `${root}/${namespace}`,
      limit,
    },
  );
  return rows.map(({ id, created_at, updated_at }) => ({
    id: String(id),
    createdAt: Number(created_at),
    updatedAt: Number(updated_at),
  }));
}
