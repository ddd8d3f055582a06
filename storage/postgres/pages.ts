import type {
  HubStore,
  ListedRepository,
  RepositoryPage,
  RepositoryQuery,
} from "../../core/hub/store.ts";
import type { RefusedFile } from "../../core/verdicts.ts";
import {
  type HubRequest,
  pageFrom,
  pageQuery,
  repositoriesQuery,
  rowsOfPage,
  toRepository,
} from "../tables/hub_pages.ts";
import {
  refusalParameters,
  type RefusalQuery,
  refusedFiles,
  toRefused,
} from "../tables/verdict_statements.ts";
import type { Database } from "./database.ts";
import { POSTGRES } from "./dialect.ts";
import { asOf, HISTORY } from "./past.ts";
import type { Session } from "./session.ts";

/**
 * Reads a page of the records of a repository.
 *
 * @param blobIds See `HubStore.blobIds`.
 */
export async function readPage(
  database: Database,
  request: HubRequest,
  blobIds: HubStore["blobIds"],
): Promise<RepositoryPage> {
  const query = pageQuery(request, POSTGRES);
  const { userId, past } = request;
  const tree = past && { userId, ...past };
  const isBelow = tree !== undefined && "below" in request && request.recursive;
  const { sql, parameters } = isBelow
    ? asOf(
      { sql: query.sql, parameters: { ...query.parameters, past_root: request.below } },
      tree,
      HISTORY.below(":past_root::text"),
    )
    : asOf(query, tree);
  const rows = await database.values(sql, parameters);
  const page = rowsOfPage(rows, request, query);
  const ids = page.hashes.length === 0 ? new Map() : await blobIds(page.hashes);
  return pageFrom(page, request, ids);
}

/** Reads the directories that are two levels below a root. */
export async function readRepositories(
  database: Database,
  query: RepositoryQuery,
): Promise<ListedRepository[]> {
  const { sql, parameters } = repositoriesQuery(query, POSTGRES);
  return (await database.all(sql, parameters)).map(toRepository);
}

const REFUSED_FILES = refusedFiles(
  POSTGRES,
  "(SELECT * FROM collected WHERE collection = :collection)",
);

/** The files of a collection that the gate refuses. */
export async function refusedIn(
  session: Session,
  collection: number,
  query: RefusalQuery,
): Promise<RefusedFile[]> {
  const parameters = { ...refusalParameters(query), collection };
  return (await session.all(REFUSED_FILES, parameters)).map(toRefused);
}
