import type { Chunk } from "../../core/content.ts";
import type {
  CollectedFile,
  CollectionRoots,
  ListQuery,
  ResourceRecord,
  Scope,
} from "../../core/ports.ts";
import type { Usage } from "../../core/usage.ts";
import type { ListedRepository, RepositoryPage, RepositoryQuery } from "../../core/hub/store.ts";
import type { SearchPage } from "../../core/search.ts";
import type { ShareQuery, Shares } from "../../core/shares.ts";
import type { RefusedFile } from "../../core/verdicts.ts";
import type { RefusalQuery } from "../tables/verdict_statements.ts";
import { Collection } from "./collection.ts";
import { Connection } from "./connection.ts";
import { CountedShares } from "./counted_shares.ts";
import { findPastById, findPastByPath, hubPageAt } from "./past.ts";
import type { PastTree } from "../tables/history_store.ts";
import { bytesOfAll, sizesOf, smallHashes } from "./contents.ts";
import type { ListBatch, ListForm } from "./list_batch.ts";
import { OpenLists } from "./open_lists.ts";
import { findById, findByPath, type RecordSource } from "./lookup.ts";
import type { SqlParameters, SqlRow } from "../tables/dialect.ts";
import type { HubRequest } from "../tables/hub_pages.ts";
import { SQLITE } from "./dialect.ts";
import { searchPage } from "../tables/search.ts";
import type { SearchRequest } from "../tables/search_part.ts";
import { SEARCH } from "./search_engine.ts";
import { sqlOf, type StatementName } from "./statements.ts";
import { type PinnedState, usageAcross } from "./usage.ts";

/**
 * Loads what a thread of a server without repositories never needs. With the hashes of the runtime, it takes 3 MB
 * and 20 ms of a thread.
 */
const hubPages = () => import("../tables/hub_pages.ts");

/**
 * Reads outside of write transactions. Runs in threads of its own (reader_worker.ts). Listings and
 * collections stay open until the caller closes them.
 */
export class Reader {
  #path = "";
  /** For lookups, which finish in one call. Each listing and collection has its own connection. */
  #lookups: Connection | undefined;
  #lists: OpenLists | undefined;
  readonly #collections = new Map<number, Collection>();
  #opened = 0;
  #counted: CountedShares | undefined;

  /** The state before the large change that is going on, of the records of its users. */
  #pinned: PinnedState | undefined;

  /** Sets the database, which must exist. Call it once, before other methods. */
  open(path: string): void {
    this.#path = path;
  }

  close(): void {
    this.#lists?.[Symbol.dispose]();
    for (const collection of [...this.#collections.keys()]) this.closeCollection(collection);
    this.#lookups?.[Symbol.dispose]();
    this.closeShares();
    this.unpin();
  }

  /** Finds the records of the users as they are now, until {@link unpin} is called. */
  pin(userIds: readonly number[]): void {
    const connection = new Connection(this.#path, { readOnly: true });
    this.#pinned = { connection, userIds: new Set(userIds) };
    connection.script("BEGIN");
    // The snapshot is that of the first statement.
    connection.get("SELECT 1 FROM records LIMIT 1");
  }

  /** Finds all records as they are. */
  unpin(): void {
    this.#pinned?.connection[Symbol.dispose]();
    this.#pinned = undefined;
  }

  findByPath(scope: Scope, paths: readonly string[]): Map<string, ResourceRecord> {
    return findByPath(this.#sources, scope, paths);
  }

  findById(scope: Scope, ids: readonly number[]): Map<number, ResourceRecord> {
    return findById(this.#sources, scope, ids);
  }

  /** {@link findPastByPath} */
  findPastByPath(tree: PastTree, paths: readonly string[]): ResourceRecord[] {
    return findPastByPath(this.#connection, tree, paths);
  }

  /** {@link findPastById} */
  findPastById(tree: PastTree, ids: readonly number[]): ResourceRecord[] {
    return findPastById(this.#connection, tree, ids);
  }

  /** {@link usageAcross} */
  usage(scope: Scope): Usage {
    return usageAcross(this.#connection, this.#pinned, scope);
  }

  /** Begins to count what trees hold, instead of the count before. */
  openShares(query: ShareQuery): void {
    this.closeShares();
    this.#counted = new CountedShares(new Connection(this.#path, { readOnly: true }), query);
  }

  /** Counts for a moment. Returns the parts at the end. */
  nextShares(): Shares | undefined {
    return this.#counted?.next();
  }

  closeShares(): void {
    this.#counted?.[Symbol.dispose]();
    this.#counted = undefined;
  }

  /** {@link bytesOfAll} */
  contentBytes(hashes: readonly string[]): Map<string, Chunk> {
    return bytesOfAll(this.#connection, hashes);
  }

  /** {@link sizesOf} */
  contentSizes(hashes: readonly string[]): Map<string, number> {
    return sizesOf(this.#connection, hashes);
  }

  /** {@link smallHashes} */
  smallHashes(prefix: string): string[] {
    return smallHashes(this.#connection, prefix);
  }

  /** Runs a statement of a store and returns its rows. */
  rows(statement: StatementName, parameters: SqlParameters): SqlRow[] {
    return this.#connection.all(sqlOf(statement), parameters);
  }

  /** {@link pageQuery} */
  async repositoryPage(request: HubRequest): Promise<RepositoryPage> {
    const { pageFrom, pageQuery, rowsOfPage } = await hubPages();
    const query = pageQuery(request, SQLITE);
    const { userId, past } = request;
    const connection = this.#connectionFor(userId);
    const { sql, parameters } = past === undefined
      ? query
      : hubPageAt(query, { userId, ...past }, request);
    const rows = connection.values(sql, parameters);
    const page = rowsOfPage(rows, request, query);
    return pageFrom(page, request, await this.blobIds(page.hashes));
  }

  /** {@link HubStore.blobIds} */
  async blobIds(hashes: readonly string[]): Promise<Map<string, string>> {
    const { blobIdsOf } = await import("../../core/hub/git_files.ts");
    return blobIdsOf(this.contentBytes(hashes));
  }

  /** {@link repositoriesQuery} */
  async repositories(query: RepositoryQuery): Promise<ListedRepository[]> {
    const { repositoriesQuery, toRepository } = await hubPages();
    const { sql, parameters } = repositoriesQuery(query, SQLITE);
    return this.#connectionFor(query.userId).all(sql, parameters).map(toRepository);
  }

  /** {@link searchPage} */
  search(request: SearchRequest): Promise<SearchPage | undefined> {
    return searchPage(this.#connectionFor(request.userId), request, SEARCH);
  }

  /** {@link OpenLists.open} */
  openList(query: ListQuery, form: ListForm, past?: PastTree) {
    return this.#openLists.open(query, form, past);
  }

  /** {@link OpenLists.next} */
  nextBatch(cursor: number): ListBatch | undefined {
    return this.#openLists.next(cursor);
  }

  /** {@link OpenLists.release} */
  releaseList(cursor: number): void {
    this.#openLists.release(cursor);
  }

  /** {@link OpenLists.close} */
  closeList(cursor: number): void {
    this.#openLists.close(cursor);
  }

  /** Collects the files at and below the roots, and returns the id of the collection. */
  openCollection(
    roots: CollectionRoots,
    past?: PastTree,
  ): { id: number; sharedPath: string | undefined } {
    const collection = new Collection(this.#path, roots, past);
    const id = ++this.#opened;
    this.#collections.set(id, collection);
    return { id, sharedPath: collection.sharedPath(roots) };
  }

  /** {@link Collection.page}; empty at the end of the collection. */
  collectionPage(id: number, after: string, onlyUnchecked: boolean): CollectedFile[] {
    return this.#collection(id).page(after, onlyUnchecked);
  }

  /** {@link Collection.refused} */
  refusedInCollection(id: number, query: RefusalQuery): RefusedFile[] {
    return this.#collection(id).refused(query);
  }

  setPackedSizes(id: number, sizes: ReadonlyMap<string, number>): void {
    this.#collection(id).setPackedSizes(sizes);
  }

  closeCollection(id: number): void {
    this.#collections.get(id)?.[Symbol.dispose]();
    this.#collections.delete(id);
  }

  /** Where to find the present records of each user. */
  get #sources(): readonly RecordSource[] {
    const connection = this.#connection;
    const pinned = this.#pinned;
    if (pinned === undefined) return [{ connection, has: () => true }];
    return [
      { connection, has: (userId) => !pinned.userIds.has(userId) },
      { connection: pinned.connection, has: (userId) => pinned.userIds.has(userId) },
    ];
  }

  /** Where to find the present records of a user. */
  #connectionFor(userId: number): Connection {
    return this.#pinned?.userIds.has(userId) ? this.#pinned.connection : this.#connection;
  }

  get #openLists(): OpenLists {
    return this.#lists ??= new OpenLists(this.#path, () => this.#pinned);
  }

  get #connection(): Connection {
    return this.#lookups ??= new Connection(this.#path, { readOnly: true });
  }

  #collection(id: number): Collection {
    const collection = this.#collections.get(id);
    if (collection === undefined) throw new Error(`Collection ${id} is closed`);
    return collection;
  }
}
