import type {
  HubStore,
  ListedRepository,
  PageRequest,
  PathsRequest,
  RepositoryDirectory,
  RepositoryPage,
  RepositoryQuery,
  RepositoryVersion,
  Revision,
} from "../../core/hub/store.ts";
import { joinChunks } from "../../core/content.ts";
import { compareBytewise } from "../../core/paths.ts";
import { type HubRequest, MAX_NAMED_PATHS } from "./hub_pages.ts";
import type { CurrentResults } from "./verdict_statements.ts";

export interface HubStoreParts {
  readonly page: (request: HubRequest) => Promise<RepositoryPage>;
  readonly blobIds: HubStore["blobIds"];
  readonly repositories: HubStore["repositories"];
  readonly versionOf: HubStore["versionOf"];
  readonly keepRevision: HubStore["keepRevision"];
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

  async at(request: PathsRequest): Promise<RepositoryPage> {
    const paths = [...new Set(request.paths)].sort(compareBytewise);
    const pages: RepositoryPage[] = [];
    for (let at = 0; at === 0 || at < paths.length; at += MAX_NAMED_PATHS) {
      pages.push(await this.#page({ ...request, paths: paths.slice(at, at + MAX_NAMED_PATHS) }));
    }
    return joined(pages);
  }

  /** The ids of little content, in batches. */
  async blobIds(hashes: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (let at = 0; at < hashes.length; at += MAX_NAMED_PATHS) {
      const some = await this.#parts.blobIds(hashes.slice(at, at + MAX_NAMED_PATHS));
      for (const [hash, id] of some) found.set(hash, id);
    }
    return found;
  }

  repositories(query: RepositoryQuery): Promise<ListedRepository[]> {
    return this.#parts.repositories(query);
  }

  versionOf(repository: RepositoryDirectory): Promise<RepositoryVersion> {
    return this.#parts.versionOf(repository);
  }

  keepRevision(
    repository: RepositoryDirectory,
    version: RepositoryVersion,
    revision: Revision,
  ): Promise<void> {
    return this.#parts.keepRevision(repository, version, revision);
  }

  #page(request: PageRequest | PathsRequest): Promise<RepositoryPage> {
    const { page, results } = this.#parts;
    return page({ ...request, results, now: Date.now() });
  }
}

/** Pages one after the other as one. */
function joined(pages: readonly RepositoryPage[]): RepositoryPage {
  return {
    text: joinChunks(pages.map(({ text }) => text)),
    count: pages.reduce((sum, { count }) => sum + count, 0),
    next: undefined,
    modifiedAt: Math.max(...pages.map(({ modifiedAt }) => modifiedAt)),
    withoutSha256: pages.find(({ withoutSha256 }) => withoutSha256 !== undefined)?.withoutSha256,
    issues: pages.flatMap(({ issues }) => issues),
    unscanned: pages.reduce((sum, { unscanned }) => sum + unscanned, 0),
  };
}
