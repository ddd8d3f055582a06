import type {
  HubStore,
  ListedRepository,
  PageRequest,
  PathsRequest,
  RepositoryPage,
  RepositoryQuery,
  TreeVersion,
} from "../../core/hub/store.ts";
import type { HubRequest } from "./hub_pages.ts";
import type { CurrentResults } from "./verdict_statements.ts";

export interface HubStoreParts {
  readonly page: (request: HubRequest) => Promise<RepositoryPage>;
  readonly repositories: HubStore["repositories"];
  readonly versionOf: HubStore["versionOf"];
  readonly results: CurrentResults;
}

/** Reads repositories from the database of the records. */
export class SqlHubStore implements HubStore {
  readonly #parts: HubStoreParts;

  constructor(parts: HubStoreParts) {
    this.#parts = parts;
  }

  page(request: PageRequest): Promise<RepositoryPage> {
    return this.#page(request);
  }

  at(request: PathsRequest): Promise<RepositoryPage> {
    return this.#page(request);
  }

  repositories(query: RepositoryQuery): Promise<ListedRepository[]> {
    return this.#parts.repositories(query);
  }

  versionOf(userId: number): Promise<TreeVersion> {
    return this.#parts.versionOf(userId);
  }

  #page(request: PageRequest | PathsRequest): Promise<RepositoryPage> {
    const { page, results } = this.#parts;
    return page({ ...request, results, now: Date.now() });
  }
}
