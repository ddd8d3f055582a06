import type {
  HubStore,
  ListedRepository,
  PageRequest,
  PathsRequest,
  RepositoryPage,
  RepositoryQuery,
} from "../../core/hub/store.ts";
import type { Remote } from "../threads/rpc.ts";
import type { GroupCommit } from "./group_commit.ts";
import type { Reader } from "./reader.ts";
import type { CurrentResults } from "./verdict_statements.ts";

export interface HubStoreParts {
  readonly reader: Remote<Reader>;
  readonly commits: GroupCommit;
  readonly results: CurrentResults;
}

/** Reads repositories from the SQLite file of the records. */
export class SqliteHubStore implements HubStore {
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
    return this.#parts.reader.repositories(query);
  }

  published(): Promise<void> {
    return this.#parts.commits.published();
  }

  #page(request: PageRequest | PathsRequest): Promise<RepositoryPage> {
    const { reader, results } = this.#parts;
    return reader.repositoryPage({ ...request, results, now: Date.now() });
  }
}
