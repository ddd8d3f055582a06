import { AppError } from "../../core/errors.ts";
import type {
  At,
  CommitStore,
  FileState,
  HistoryBounds,
  HistoryStore,
  LogPage,
  LogQuery,
  PastRecords,
  StatesQuery,
  TagQuery,
  TrashPage,
  TrashQuery,
} from "../../core/history.ts";
import type { PastPoint, Tag } from "../../core/history_changes.ts";
import type {
  CollectionRoots,
  ItemsJson,
  ListQuery,
  LocatedRecord,
  ResourceRecord,
} from "../../core/ports.ts";
import {
  numberOrNull,
  type RunStatement,
  type SqlRow,
  type Statements,
  textOrNull,
} from "./dialect.ts";
import { readStates } from "./file_states.ts";
import type { HistoryStatement } from "./history_statements.ts";
import type { LogStatement } from "./log_statements.ts";
import type { TagStatement } from "./tag_statements.ts";
import { Tags } from "./tags.ts";
import type { TrashStatement } from "./trash_statements.ts";
import { TreeLog } from "./tree_log.ts";

/** A tree at a version. */
export interface PastTree extends PastPoint {
  readonly userId: number;
}

/** How an engine reads a tree at a version, which it need not check to be kept. */
export interface PastReads {
  findByPath(tree: PastTree, paths: readonly string[]): Promise<ResourceRecord[]>;
  /** The record at a path, with what belongs to it, unless it has to be looked for by {@link findByPath}. */
  findLocated(tree: PastTree, path: string): Promise<LocatedRecord | undefined>;
  findById(tree: PastTree, ids: readonly number[]): Promise<ResourceRecord[]>;
  list(tree: PastTree, query: ListQuery): AsyncIterable<readonly ResourceRecord[]>;
  listJson(tree: PastTree, query: ListQuery): AsyncIterable<ItemsJson>;
  collectFiles(
    tree: PastTree,
    roots: CollectionRoots,
  ): ReturnType<PastRecords["collectFiles"]>;
  /** Waits until no version of a tree shows that is not whole yet. */
  settled(userId: number): Promise<void>;
}

/** The versions of a tree. */
interface Versions {
  readonly version: number;
  /** The first that can be read. */
  readonly oldest: number;
  /** When that was made; null if it is not known. */
  readonly since: number | null;
  /** The one at the time that was asked for. */
  readonly atTime: number;
  readonly isKept: boolean;
}

/** Reads trees as they were. */
export class SqlHistoryStore implements HistoryStore {
  readonly #statements: Statements<HistoryStatement | "states">;
  readonly #log: TreeLog;
  readonly #tags: Tags;
  readonly #reads: PastReads;

  constructor(
    statements: Statements<HistoryStatement | LogStatement | TrashStatement | TagStatement>,
    reads: PastReads,
  ) {
    this.#statements = statements;
    this.#reads = reads;
    this.#log = new TreeLog(statements);
    this.#tags = new Tags(statements);
    this.commits = {
      ...this.#log.commits,
      versions: async (userId, directory, page) => {
        await reads.settled(userId);
        const { oldest, version } = await this.#kept(userId);
        const upTo = Math.min(page.upTo, version);
        return await this.#log.versions(userId, directory, { ...page, oldest, upTo });
      },
    };
    this.#reads = reads;
  }

  async log(query: LogQuery): Promise<LogPage> {
    await this.#reads.settled(query.userId);
    const { oldest, version } = await this.#kept(query.userId);
    const page = await this.#log.page(query, oldest);
    // What was given up meanwhile was not found whole.
    requireKept(await this.#versions(query.userId, 0), Math.min(oldest, version));
    return page;
  }

  async trash(query: TrashQuery): Promise<TrashPage> {
    await this.#reads.settled(query.userId);
    const { oldest } = await this.#kept(query.userId);
    return await this.#log.trash(query, oldest);
  }

  async states(query: StatesQuery): Promise<readonly FileState[] | undefined> {
    await this.#reads.settled(query.userId);
    const { isKept, oldest, version } = await this.#versions(query.userId, 0);
    if (!isKept || oldest > version) return undefined;
    return await readStates(this.#statements, query, oldest);
  }

  /** The versions of a tree, of which some are kept. */
  async #kept(userId: number): Promise<Versions> {
    const versions = await this.#versions(userId, 0);
    requireKept(versions, versions.version);
    return versions;
  }

  async at(userId: number, at: At): Promise<PastRecords> {
    const point = await this.#pointOf(userId, at);
    const reads = this.#reads;
    const tree = { userId, ...point };
    const scope = { userId, everyone: false };
    // What a read has found is whole if the version is still kept after it: rows go after that was given up.
    const kept = async <T>(found: T): Promise<T> => {
      await this.#requirePoint(tree);
      return found;
    };
    const keptParts = async function* <T>(found: AsyncIterable<T>) {
      for await (const part of found) yield await kept(part);
      // There may have been none.
      await kept(undefined);
    };
    return {
      point,
      // Requests name paths or ids: for what they do not name, nothing is read.
      findByPath: async (_scope, paths) => {
        const found = paths.length === 0 ? [] : await kept(await reads.findByPath(tree, paths));
        return new Map(found.map((it) => [it.path, it]));
      },
      findLocated: async (_scope, path) => {
        const found = await reads.findLocated(tree, path);
        return found && await kept(found);
      },
      findById: async (_scope, ids) => {
        const found = ids.length === 0 ? [] : await kept(await reads.findById(tree, ids));
        return new Map(found.map((it) => [it.id, it]));
      },
      list: (query) => keptParts(reads.list(tree, { ...query, scope })),
      listJson: (query) => keptParts(reads.listJson(tree, { ...query, scope })),
      async collectFiles(roots) {
        await using stack = new AsyncDisposableStack();
        const files = stack.use(await reads.collectFiles(tree, roots));
        await kept(files);
        stack.move();
        return files;
      },
    };
  }

  async #pointOf(userId: number, at: At): Promise<PastPoint> {
    if ("name" in at) return await this.#tags.point(userId, at.name);
    // Whether it is kept is asked after each read, which would not be whole if it were not.
    if ("version" in at) return at;
    const versions = await this.#versions(userId, at.time);
    requireKept(versions, versions.atTime);
    return { version: versions.atTime };
  }

  async #requirePoint({ userId, version, tag }: PastTree): Promise<void> {
    if (tag === undefined) requireKept(await this.#versions(userId, 0), version);
    else await this.#tags.require(userId, tag);
  }

  readonly commits: CommitStore;

  tags(query: TagQuery): Promise<Tag[]> {
    return this.#tags.list(query);
  }

  removeTag(userId: number, name: string): ReturnType<HistoryStore["removeTag"]> {
    return this.#tags.remove(userId, name);
  }

  async turn(isOn: boolean): Promise<void> {
    await this.#statements.write(async (run) => {
      const [turned] = await run(isOn ? "turnOn" : "turnOff", {});
      if (turned === undefined) return;
      if (!isOn) await run("suspend", {});
      else {
        await run("begin", {});
        await run("resumeChanges", { now: Date.now() });
        await run("resume", {});
      }
    });
  }

  async kept() {
    const [row] = await this.#statements.find("kept", {});
    return {
      versions: Number(row?.versions),
      givenUp: Number(row?.given_up),
      bytes: Number(row?.bytes),
      earliest: numberOrNull(row?.earliest) ?? undefined,
    };
  }

  async settle() {
    if ((await this.#statements.find("fresh", {})).length === 0) return true;
    await this.#statements.write((run) => run("settle", {}));
    return false;
  }

  async giveUp({ before, maxBytes }: HistoryBounds) {
    const max = Math.min(Math.floor(maxBytes), Number.MAX_SAFE_INTEGER);
    // By itself: changes of all trees that it is about wait for it.
    await this.#statements.write((run) => run("expire", { before }));
    return await this.#statements.write(async (run) => {
      await run("settle", {});
      const rows = await run("giveUp", {});
      // What was given up before counts until its last row is gone.
      const [overfull] = rows.length > 0 ? [] : await run("overfull", { max });
      if (overfull !== undefined) await run("shrink", { user: Number(overfull.user_id) });
      for (const [user, own] of Map.groupBy(rows, (row) => Number(row.user_id))) {
        const bytes = own.reduce((sum, row) => sum + Number(row.bytes), 0);
        await run("subtract", { user, bytes });
      }
      const forgotten = await run("forget", {});
      const fresh = await run("fresh", {});
      return {
        hashes: rows.flatMap(({ hash }) => textOrNull(hash) ?? []),
        done: [fresh, rows, forgotten].every(({ length }) => length === 0) &&
          overfull === undefined,
      };
    });
  }

  async #versions(user: number, time: number): Promise<Versions> {
    const [row] = await this.#statements.find("versions", { user, time });
    return toVersions(row);
  }
}

function toVersions(row: SqlRow | undefined): Versions {
  return {
    version: Number(row?.version),
    oldest: Number(row?.oldest),
    since: row?.since === null ? null : Number(row?.since),
    atTime: Number(row?.at_time ?? 0),
    isKept: Boolean(row?.keeps_history),
  };
}

/**
 * Refuses a version that is not kept any more, or a tag that was removed, within a transaction that has read it.
 *
 * @throws {AppError} `ErrVersionsNotFound`.
 */
export async function requireVersion(
  run: RunStatement<"versions" | "exists">,
  { userId, version, tag }: PastTree,
): Promise<void> {
  if (tag !== undefined) {
    if ((await run("exists", { user: userId, id: tag })).length > 0) return;
    throw new AppError("ErrVersionsNotFound", "The tag that was read has been removed");
  }
  const [row] = await run("versions", { user: userId, time: 0 });
  requireKept(toVersions(row), version);
}

/** @throws {AppError} `ErrVersionsNotFound`. */
function requireKept({ version, oldest, since, isKept }: Versions, asked: number): void {
  if (isKept && asked >= oldest && asked <= version) return;
  const reason = !isKept
    ? "no history is kept, as STRONGROOM_HISTORY is off"
    : oldest > version
    ? "no history is kept"
    : asked > version
    ? `the tree is at version ${version}`
    : `history goes back to version ${oldest}${
      since === null ? "" : ` of ${new Date(since).toISOString()}`
    }`;
  throw new AppError("ErrVersionsNotFound", `Cannot read version ${asked}: ${reason}`);
}
