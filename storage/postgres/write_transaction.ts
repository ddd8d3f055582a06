import type { ContentChanges, ContentRow } from "../../core/content_changes.ts";
import type { DecidedUpload, UploadEffects } from "../../core/decided_upload.ts";
import type {
  AskedContent,
  NewContent,
  NewRecord,
  Placement,
  ResourceRecord,
  Scope,
  WriteTransaction,
} from "../../core/ports.ts";
import type { HistoryChanges } from "../../core/history_changes.ts";
import type { ObjectFacts } from "../../core/object_facts.ts";
import { addTag } from "../tables/tags.ts";
import { factsRow } from "../tables/s3_facts.ts";
import { type PastTree, requireVersion } from "../tables/history_store.ts";
import type { PurgeStatement } from "../tables/purge_statements.ts";
import type { RunStatement } from "../tables/dialect.ts";
import { holders, purge, purgeEverywhere } from "../tables/purge.ts";
import { inParts, mapInParts } from "../tables/parts.ts";
import { type DavHint, SqlDavChanges } from "../tables/dav_changes.ts";
import type { ChangeRecords } from "../tables/change_records.ts";
import { requireFilesFree, requireFree, type Root } from "./large_changes.ts";
import { putContents, removeContents, replaceContent, unreferencedOf } from "./contents.ts";
import { describeVersion } from "./describe_version.ts";
import { storeDecided, Undecided } from "./decided_uploads.ts";
import { insertRecords, replaceFiles } from "./insert_records.ts";
import { quarantineContents } from "./quarantine.ts";
import { invalidateScans } from "./replaced_scans.ts";
import { findByPath } from "./lookup.ts";
import type { Session } from "./session.ts";
import { copySubtrees, deleteSubtrees, moveSubtrees } from "./subtree_changes.ts";
import { STATEMENTS } from "./statements.ts";
import type { Trees } from "./tree_turns.ts";
import { usageOf } from "./usage.ts";
import { completeUploads, findContents, takeObjects } from "./waiting_contents.ts";

/** What was at some roots in a tree as it was. */
export interface Restored {
  readonly sources: readonly Root[];
  readonly past: PastTree;
}

/** What a transaction runs statements with. */
export interface TransactionRunner {
  /** Runs `work` in the transaction, with the locks of the trees. */
  in<T>(trees: Trees, work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in the transaction, which changes the roots and what is below them.
   *
   * @param restored What it brings back there. @default it changes what is there
   */
  change<T>(
    roots: readonly Root[],
    work: (session: Session) => Promise<T>,
    restored?: Restored,
  ): Promise<T>;
  /**
   * Runs `work` in the transaction, for what belongs to a tree besides its records. A large change need not take
   * the lock of the tree for it.
   */
  beside<T>(userId: number, work: (session: Session) => Promise<T>): Promise<T>;
  /** What the tree of a user has for WebDAV, as its lock was taken; a large change knows nothing. */
  davHint(userId: number): Promise<DavHint>;
}

/** The operations of a write transaction. */
export class PostgresTransaction implements WriteTransaction {
  readonly #in: TransactionRunner["in"];
  readonly #change: TransactionRunner["change"];
  readonly #kept: ChangeRecords;
  /** What is to be done before the commit. */
  readonly actions: (() => Promise<void>)[] = [];
  readonly contents: ContentChanges;
  readonly dav: SqlDavChanges;
  readonly history: HistoryChanges;
  /** The versions that were described, by their users. */
  readonly described = new Map<number, number>();
  readonly #hint: TransactionRunner["davHint"];

  /** @param kept Keeps the records that moves, copies and deletions change. */
  constructor(runner: TransactionRunner, kept: ChangeRecords) {
    this.#in = (trees, work) => runner.in(trees, work);
    this.#change = (...change) => runner.change(...change);
    this.#kept = kept;
    this.#hint = (userId) => runner.davHint(userId);
    this.dav = new SqlDavChanges({
      run(userId, statement, parameters) {
        const work = (session: Session) => session.all(STATEMENTS.dav[statement], parameters);
        // A large change that has begun has not seen the lock.
        return statement === "addLock"
          ? runner.change([{ userId, path: String(parameters.path) }], work)
          : runner.beside(userId, work);
      },
      hint: this.#hint,
    });
    const purging = (trees: Trees): RunStatement<PurgeStatement> => (name, parameters) =>
      this.#in(trees, (session) => session.all(STATEMENTS.purge[name], parameters));
    this.history = {
      describe: async (userId, note) => {
        const version = await this.#in([userId], (s) => describeVersion(s, userId, note));
        if (version !== undefined) this.described.set(userId, version);
      },
      purge: (forgotten) => purge(purging([forgotten.userId]), forgotten),
      holders: (sha256) => holders(purging("all"), sha256),
      purgeEverywhere: (hashes) => purgeEverywhere(purging("all"), hashes),
      addTag: (tag, point) =>
        this.#in([tag.userId], async (session) => {
          const reading = readingIn(session);
          const added = await addTag(reading, tag, point);
          if (point !== undefined) await requireVersion(reading, { userId: tag.userId, ...point });
          return added;
        }),
      restoreSubtrees: (placements, point, now) => {
        const past = { userId: placements[0]?.source.userId ?? 0, ...point };
        const sources = placements.map(({ source }) => source);
        return this.#change(targetsOf(placements), async (session) => {
          const effects = await copySubtrees(session, this.#kept, { placements, now, past });
          await requireVersion(readingIn(session), past);
          return effects;
        }, { sources, past });
      },
    };
    this.contents = {
      lock: async (rows: readonly ContentRow[]) => {
        await this.#in([], (session) => putContents(session, rows, Date.now()));
      },
      put: (rows: readonly ContentRow[]) =>
        this.#in([], (session) => putContents(session, rows, Date.now())),
      replace: (row: ContentRow) => this.#in([], (session) => replaceContent(session, row)),
      quarantine: (hashes: readonly string[]) =>
        this.#in([], (session) => quarantineContents(session, hashes)),
      remove: (hashes: readonly string[]) =>
        this.#in([], (session) => removeContents(session, hashes)),
    };
  }

  /** Runs statements in the transaction, with the locks of the trees. */
  run<T>(trees: Trees, statements: (session: Session) => Promise<T>): Promise<T> {
    return this.#in(trees, statements);
  }

  beforeCommit(action: () => Promise<void>): void {
    this.actions.push(action);
  }

  last(work: () => Promise<void>): Promise<void> {
    return work();
  }

  findByPath(scope: Scope, paths: readonly string[]): Promise<Map<string, ResourceRecord>> {
    const trees = scope.everyone ? "all" : [scope.userId];
    return mapInParts(
      paths,
      (part) => this.#in(trees, (session) => findByPath(session, scope, part)),
    );
  }

  /** New content is stored before: its records take little time. */
  expect(): Promise<void> {
    return Promise.resolve();
  }

  async insert(records: readonly NewRecord[]): Promise<ResourceRecord[]> {
    if (records.length === 0) return [];
    return await inParts(records, (part) =>
      this.#change(placesOf(part), async (session) => {
        const invalidated = invalidateScans(session, part);
        const [added] = await Promise.all([insertRecords(session, part), invalidated]);
        return added;
      }));
  }

  async replaceFiles(files: readonly NewContent[]): Promise<ResourceRecord[]> {
    if (files.length === 0) return [];
    return await inParts(files, (part) =>
      this.#in(ownersOf(part), async (session) => {
        const before = [requireFilesFree(session, part), invalidateScans(session, part)];
        const [replaced] = await Promise.all([replaceFiles(session, part), ...before]);
        return replaced;
      }));
  }

  async deleteSubtrees(roots: readonly ResourceRecord[]) {
    if (roots.length === 0) return [];
    return await this.#change(
      roots,
      (session) => deleteSubtrees(session, this.#kept, roots),
    );
  }

  moveSubtrees(placements: readonly Placement[], now: number) {
    const roots = [...placements.map(({ source }) => source), ...targetsOf(placements)];
    return this.#change(roots, (session) => moveSubtrees(session, this.#kept, { placements, now }));
  }

  copySubtrees(placements: readonly Placement[], now: number) {
    const roots = [...placements.map(({ source }) => source), ...targetsOf(placements)];
    return this.#change(roots, (session) => copySubtrees(session, this.#kept, { placements, now }));
  }

  /**
   * {@link storeDecided}
   *
   * @throws {Undecided} when the tree has locks, too.
   */
  async storeDecided(upload: DecidedUpload): Promise<UploadEffects> {
    const { userId, newRecords, newContents } = upload;
    const effects = await this.#in([userId], async (session) => {
      const free = [
        requireFree(session, placesOf(newRecords)),
        requireFilesFree(session, newContents),
      ];
      const [effects] = await Promise.all([storeDecided(session, upload), ...free]);
      return effects;
    });
    if ((await this.#hint(userId)).locks) throw new Undecided();
    return effects;
  }

  usage(userId: number) {
    return this.#in([userId], (session) => usageOf(session, { userId, everyone: false }));
  }

  keepFacts(record: Pick<ResourceRecord, "id" | "hash">, facts: ObjectFacts): Promise<void> {
    return this.#in([], async (session) => {
      await session.run(STATEMENTS.s3.keepFacts, factsRow(record, facts));
    });
  }

  completeUploads(ids: readonly string[], now: number): Promise<void> {
    return this.#in([], (session) => completeUploads(session, ids, now));
  }

  endMultipart(id: string): Promise<void> {
    return this.#in([], async (session) => {
      await session.run(STATEMENTS.s3.removeUpload, { id });
    });
  }

  findContents(userId: number, asked: readonly AskedContent[]) {
    return inParts(
      asked,
      (part) => this.#in([userId], (session) => findContents(session, userId, part)),
    );
  }

  async takeObjects(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#in([], (session) => takeObjects(session, ids));
  }

  unreferenced(hashes: readonly string[]): Promise<string[]> {
    return this.#in([], (session) => unreferencedOf(session, hashes));
  }
}

function placesOf(records: readonly NewRecord[]): Root[] {
  return records.map(({ userId, path }) => ({ userId, path }));
}

function targetsOf(placements: readonly Placement[]): Root[] {
  return placements.map(({ source: { userId }, target }) => ({ userId, path: target }));
}

function ownersOf(records: readonly { readonly userId: number }[]): number[] {
  return records.map(({ userId }) => userId);
}

/** Runs statements about the past. */
function readingIn(session: Session): RunStatement<keyof typeof STATEMENTS.history> {
  return (name, parameters) => session.all(STATEMENTS.history[name], parameters);
}
