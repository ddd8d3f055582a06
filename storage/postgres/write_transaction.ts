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
import { inParts, mapInParts } from "../tables/parts.ts";
import type { ChangeRecords } from "../tables/change_records.ts";
import { putContents, removeContents, replaceContent, unreferencedOf } from "./contents.ts";
import { storeDecided } from "./decided_uploads.ts";
import { insertRecords, replaceFiles } from "./insert_records.ts";
import { quarantineContents } from "./quarantine.ts";
import { invalidateScans } from "./replaced_scans.ts";
import { findByPath } from "./lookup.ts";
import type { Session } from "./session.ts";
import { copySubtrees, deleteSubtrees, moveSubtrees } from "./subtree_changes.ts";
import type { Trees } from "./tree_turns.ts";
import { usageOf } from "./usage.ts";
import { completeUpload, findContents, takeObjects } from "./waiting_contents.ts";

/** Runs `work` in the transaction, with the locks of the trees. */
export type InTransaction = <T>(
  trees: Trees,
  work: (session: Session) => Promise<T>,
) => Promise<T>;

/** The operations of a write transaction. */
export class PostgresTransaction implements WriteTransaction {
  readonly #in: InTransaction;
  readonly #kept: ChangeRecords;
  /** What is to be done before the commit. */
  readonly actions: (() => Promise<void>)[] = [];
  readonly contents: ContentChanges;

  /** @param kept Keeps the records that moves, copies and deletions change. */
  constructor(inTransaction: InTransaction, kept: ChangeRecords) {
    this.#in = inTransaction;
    this.#kept = kept;
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

  /** Work of any size leaves the trees of others alone. */
  expect(): Promise<void> {
    return Promise.resolve();
  }

  async insert(records: readonly NewRecord[]): Promise<ResourceRecord[]> {
    if (records.length === 0) return [];
    return await inParts(records, (part) =>
      this.#in(ownersOf(part), async (session) => {
        const invalidated = invalidateScans(session, part);
        const [added] = await Promise.all([insertRecords(session, part), invalidated]);
        return added;
      }));
  }

  async replaceFiles(files: readonly NewContent[]): Promise<ResourceRecord[]> {
    if (files.length === 0) return [];
    return await inParts(files, (part) =>
      this.#in(ownersOf(part), async (session) => {
        const invalidated = invalidateScans(session, part);
        const [replaced] = await Promise.all([replaceFiles(session, part), invalidated]);
        return replaced;
      }));
  }

  async deleteSubtrees(roots: readonly ResourceRecord[]) {
    if (roots.length === 0) return [];
    return await this.#in(
      ownersOf(roots),
      (session) => deleteSubtrees(session, this.#kept, roots),
    );
  }

  moveSubtrees(placements: readonly Placement[], now: number) {
    const trees = ownersOf(placements.map(({ source }) => source));
    return this.#in(trees, (session) => moveSubtrees(session, this.#kept, { placements, now }));
  }

  copySubtrees(placements: readonly Placement[], now: number) {
    const trees = ownersOf(placements.map(({ source }) => source));
    return this.#in(trees, (session) => copySubtrees(session, this.#kept, { placements, now }));
  }

  /** {@link storeDecided} */
  storeDecided(upload: DecidedUpload): Promise<UploadEffects> {
    return this.#in([upload.userId], (session) => storeDecided(session, upload));
  }

  usage(userId: number) {
    return this.#in([userId], (session) => usageOf(session, { userId, everyone: false }));
  }

  completeUpload(id: string, now: number): Promise<void> {
    return this.#in([], (session) => completeUpload(session, id, now));
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

function ownersOf(records: readonly { readonly userId: number }[]): number[] {
  return records.map(({ userId }) => userId);
}
