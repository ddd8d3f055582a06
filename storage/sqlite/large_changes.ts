import type { DecidedUpload, UploadEffects } from "../../core/decided_upload.ts";
import { FairQueue } from "../../core/fair_queue.ts";
import type { MadeVersions } from "../../core/history_changes.ts";
import type { ResourceRecord, Scope, WriteOptions, WriteTransaction } from "../../core/ports.ts";
import type { TemporaryFiles } from "../disk/temporary_files.ts";
import type { Remote } from "../threads/rpc.ts";
import { ChangeRecords } from "../tables/change_records.ts";
import { Busy, TooLarge } from "./change_refused.ts";
import { effectsOf } from "./decided_uploads.ts";
import type { DavHints } from "./dav_hints.ts";
import type { GroupCommit } from "./group_commit.ts";
import type { ReaderThread } from "./reader_thread.ts";
import { transactionOn, type TransactionRules, type WriterCalls } from "./write_transaction.ts";
import type { Writer } from "./writer.ts";

/** A change of more records than this is large. */
export const MAX_DIRECT_RECORDS = 10_000;
/** How long to wait before a failed undoing is tried again, in milliseconds. */
const UNDO_RETRY_MS = 1000;

export interface LargeChangeParts {
  readonly commits: GroupCommit;
  readonly writer: Remote<Writer>;
  readonly lookups: ReaderThread;
  readonly longReader: ReaderThread;
  /** Where the records that it changes are kept. */
  readonly files: TemporaryFiles;
  readonly dav: DavHints;
  /** A change of more records than this is large. */
  readonly maxDirectRecords: number;
}

interface Current {
  readonly userIds: ReadonlySet<number>;
  readonly ended: PromiseWithResolvers<void>;
}

/**
 * Carries out changes of few records in one transaction, and of many in steps, each in a transaction of
 * its own, so that writes of other users need not wait for the end. They are all or nothing nevertheless:
 * the former state is kept in a journal, from which a failure, or the start after a crash, restores it.
 * Until the end, readers see the former state, and other writes to the records of the same users wait.
 * There is one large change at a time.
 * See docs/design/large_changes.md.
 */
export class LargeChanges {
  readonly #parts: LargeChangeParts;
  readonly #waiting = new FairQueue<() => void>();
  #current: Current | undefined;
  #busy = false;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: LargeChangeParts) {
    this.#parts = parts;
  }

  /** The rules for work that is carried out in one transaction. */
  readonly #directRules: TransactionRules = {
    isStep: false,
    lookup: (scope) => {
      if (this.covers(scope)) throw new Busy(this.#ended);
    },
    change: async (roots) => {
      const userIds = ownersOf(roots);
      if (userIds.some((userId) => this.#current?.userIds.has(userId))) throw new Busy(this.#ended);
      const directories = roots.filter(({ isDir }) => isDir);
      await this.#refuseLarge(userIds, directories, roots.length - directories.length);
    },
    expect: (userId, records) => this.#refuseLarge([userId], [], records),
  };

  /** @throws {TooLarge} when records and all that is in some directories are too many for one transaction. */
  async #refuseLarge(
    userIds: readonly number[],
    directories: readonly Pick<ResourceRecord, "userId" | "path">[],
    records: number,
  ): Promise<void> {
    const { writer, maxDirectRecords } = this.#parts;
    const max = maxDirectRecords - records;
    if (directories.length === 0 && max >= 0) return;
    const owned = directories.map(({ userId, path }) => ({ userId, path }));
    if (await writer.isLarge(owned, max)) throw new TooLarge(userIds);
  }

  /** Whether records within the scope are being changed: only the readers know their former state. */
  covers({ userId, everyone }: Scope): boolean {
    return this.#current !== undefined && (everyone || this.#current.userIds.has(userId));
  }

  /** Waits until no records within any of the scopes are being changed. */
  async settled(scopes: readonly Scope[]): Promise<void> {
    while (scopes.some((scope) => this.covers(scope))) await this.#ended;
  }

  /**
   * Runs `work` in one transaction.
   *
   * @throws {TooLarge} when it has to be a large change.
   * @throws {Busy} when a large change of the same records is going on.
   */
  async runDirectly<T>(
    work: (transaction: WriteTransaction) => Promise<T>,
    options: WriteOptions<T>,
  ): Promise<T> {
    const { commits, writer, files, dav } = this.#parts;
    const records = new ChangeRecords(files);
    const rules = this.#directRules;
    const { onCommit } = options;
    let versions: MadeVersions = new Map();
    const askVersions = async () => versions = await writer.madeVersions();
    try {
      return await commits.run(
        async (beforeCommit) => {
          const result = await work(transactionOn({
            call: (call) => call(writer),
            writer,
            beforeCommit,
            last: (work) => work(),
            withCommit: (work) => work(),
            records,
            dav,
            rules,
          }));
          // The reply comes before that of the commit, which fails if this does.
          if (onCommit !== undefined) askVersions().catch(() => {});
          return result;
        },
        { ...options, onCommit: onCommit && ((result) => onCommit(result, versions)) },
      );
    } catch (error) {
      records.drop();
      throw error;
    }
  }

  /** {@link DecidedUploads.storeDecided} */
  async storeDecided(
    upload: DecidedUpload,
    { onCommit }: Pick<WriteOptions<UploadEffects>, "onCommit">,
  ): Promise<UploadEffects | undefined> {
    const { commits, writer, dav } = this.#parts;
    const owner = { userId: upload.userId, everyone: false };
    const stored = await commits.run(async () => {
      if (this.covers(owner) || dav.at(upload.userId, Date.now()).locks) return undefined;
      const stored = await writer.storeDecided(upload, Date.now());
      return stored && { effects: effectsOf(upload, stored.ids), versions: stored.versions };
    }, {
      // A decided upload knows the owner of the tree only.
      userId: upload.userId,
      isOneCall: true,
      onCommit: (stored) => stored && onCommit?.(stored.effects, stored.versions),
    });
    return stored?.effects;
  }

  /**
   * Runs `work` as a large change of the records of the users.
   *
   * @throws {TooLarge} when it changes records of other users.
   */
  async run<T>(
    userIds: readonly number[],
    work: (transaction: WriteTransaction) => Promise<T>,
    options: WriteOptions<T>,
  ): Promise<T> {
    await this.#turn(userIds[0] ?? 0);
    try {
      const running = this.#run(userIds, work, options);
      this.#last = running.catch(() => {});
      return await running;
    } finally {
      const next = this.#waiting.next();
      if (next === undefined) this.#busy = false;
      else next();
    }
  }

  /** Waits for the change that is going on, and begins no other. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
  }

  /** Waits for the turn of the user. */
  #turn(userId: number): Promise<void> {
    if (!this.#busy) {
      this.#busy = true;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.add(userId, resolve));
  }

  async #run<T>(
    userIds: readonly number[],
    work: (transaction: WriteTransaction) => Promise<T>,
    { onCommit }: WriteOptions<T>,
  ): Promise<T> {
    const last: (() => Promise<void>)[] = [];
    const actions: (() => Promise<void>)[] = [];
    const records = new ChangeRecords(this.#parts.files);
    await this.#begin(userIds);
    try {
      const result = await work(transactionOn({
        call: this.#step,
        writer: this.#parts.writer,
        beforeCommit: (action) => actions.push(action),
        last: (work) => Promise.resolve(void last.push(work)),
        withCommit: (work) => Promise.resolve(void actions.push(work)),
        records,
        dav: this.#parts.dav,
        rules: this.#stepRules(userIds),
      }));
      for (const work of last) await work();
      await this.#parts.commits.run(async () => {
        // One may add others.
        for (const action of actions) await action();
        return await this.#parts.writer.endChange();
      }, {
        alone: true,
        onCommit: (versions) => {
          onCommit?.(result, versions);
          this.#release();
        },
      });
      return result;
    } catch (error) {
      records.drop();
      await this.#undo();
      throw error;
    }
  }

  async #begin(userIds: readonly number[]): Promise<void> {
    if (this.#closed) throw new Error("The database is closing");
    const { commits, writer, lookups, longReader } = this.#parts;
    try {
      // No write waits until the threads have started, and for reads that take long.
      await Promise.all([lookups.hold(), longReader.hold()]);
      await commits.run(async () => {
        // From now on, reads wait or are left to the readers.
        this.#current = { userIds: new Set(userIds), ended: Promise.withResolvers() };
        await writer.beginChange(userIds);
        // Reads that were requested earlier have ended when this has.
        await Promise.all([lookups.pin(userIds), longReader.pin(userIds)]);
      }, { alone: true, isStep: true });
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  #stepRules(userIds: readonly number[]): TransactionRules {
    return {
      isStep: true,
      lookup: () => {},
      change: (roots) => {
        const owners = ownersOf(roots);
        const all = new Set([...userIds, ...owners]);
        if (all.size > userIds.length) throw new TooLarge([...all]);
        return Promise.resolve();
      },
      expect: () => Promise.resolve(),
    };
  }

  /** Makes a call in a transaction of its own. */
  readonly #step: WriterCalls = (call) =>
    this.#parts.commits.run(() => call(this.#parts.writer), { alone: true, isStep: true });

  /** Restores the former state. Tries until it succeeds, as nobody may see part of a change. */
  async #undo(): Promise<void> {
    for (;;) {
      try {
        await this.#parts.writer.beginUndo();
        while (!await this.#step((writer) => writer.runUndo()));
        await this.#step((writer) => writer.endChange());
        return this.#release();
      } catch (error) {
        // The next start undoes it.
        if (this.#closed) throw error;
        await new Promise((resolve) => setTimeout(resolve, UNDO_RETRY_MS));
      }
    }
  }

  #release(): void {
    const current = this.#current;
    this.#current = undefined;
    this.#parts.lookups.unpin();
    this.#parts.longReader.unpin();
    current?.ended.resolve();
  }

  get #ended(): Promise<void> {
    return this.#current?.ended.promise ?? Promise.resolve();
  }
}

function ownersOf(roots: readonly Pick<ResourceRecord, "userId">[]): number[] {
  return [...new Set(roots.map(({ userId }) => userId))];
}
