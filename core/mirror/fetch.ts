import { createHash, type Hash } from "node:crypto";
import type { ByteRange, StagedBlob } from "../blob_store.ts";
import { type Chunk, ContentReader } from "../content.ts";
import { RetryLater } from "../errors.ts";
import { isWithin, pause, untilAborted } from "../event_loop.ts";
import { asError } from "../log.ts";
import { nameOf } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Semaphore } from "../semaphore.ts";
import type { Throttle } from "../throttle.ts";
import { storing } from "../tree/placement.ts";
import { put } from "../tree/put.ts";
import { Staging } from "../tree/staging.ts";
import { MIB } from "../../schemas/units.ts";
import { admitScanned, recordAdmission } from "./admission.ts";
import { directoryOf, type MirroredFile, type MirrorParts, pathOf, refusalOf } from "./mirror.ts";
import { type Spool, type SpoolReader, type Spools, UpstreamAway } from "./ports.ts";
import type { MirrorSpace } from "./space.ts";

/** The last part of a file, which nobody gets before all of it is known to be good. */
const HELD_BYTES = MIB;
/** The most bytes that a reader reads at once. */
const READ_BYTES = 256 * 1024;
/** How many cuts in a row are made up for that have brought nothing. */
const MAX_CUTS = 5;
/** How often to look whether another server has fetched a file, in milliseconds. */
const ELSEWHERE_MS = 1000;
/** When to ask again after a file was another one than the other hub has said, in seconds. */
const RETRY_AFTER_S = 60;

/** What a fetch works with. */
export interface FetchOptions {
  readonly parts: MirrorParts;
  readonly spools: Spools;
  readonly space: MirrorSpace;
  /** Bounds how many files come in at once, and of those how many a user asks for. */
  readonly permits: Semaphore;
  readonly throttle: Throttle;
  /** How long a reader that waits for the verdict gets nothing, in milliseconds. */
  readonly keepAliveMs: number;
  /** The pause after a cut, in milliseconds: each is twice the one before that has brought nothing. */
  readonly retryMs: number;
  /** The user who has asked for it. */
  readonly userId: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** The content was another one than the other hub has said. */
class Mismatch extends RetryLater {
  constructor(message: string) {
    super("ErrUnavailable", message, RETRY_AFTER_S);
  }
}

/**
 * A file that comes in, once for all who ask for it (C 28). They read what has arrived, but for its last part:
 * that is held until the whole is verified, scanned and accepted.
 * See docs/design/mirror.md.
 */
export class Fetch {
  /** Resolves when the file can be read from the tree. Rejects with the reason why it cannot. */
  readonly ended: Promise<void>;
  readonly #subject: MirroredFile;
  readonly #options: FetchOptions;
  #spool: Spool | undefined;
  /** Readers that are about to open the spool. */
  readonly #opening = new Set<Promise<unknown>>();
  #arrived = 0;
  #isReleased = false;
  #failure: unknown;
  #changed = Promise.withResolvers<void>();

  constructor(subject: MirroredFile, options: FetchOptions) {
    this.#subject = subject;
    this.#options = options;
    this.ended = this.#run();
    // It is waited for by those who ask for the file, if anyone does.
    this.ended.catch(() => {});
  }

  /** Resolves when a byte can be read, or the fetch has ended. */
  async hasBytesAt(start: number): Promise<void> {
    const isWaiting = () =>
      this.#failure === undefined && !this.#isReleased && this.#readable() <= start;
    while (isWaiting()) await this.#changed.promise;
  }

  /** What has arrived of a part of the file, and what is to come. Undefined once it has ended. */
  async read({ start, end }: ByteRange): Promise<ContentReader | undefined> {
    const spool = this.#spool;
    if (spool === undefined) return undefined;
    const opening = spool.read();
    this.#opening.add(opening);
    const reader = await opening.finally(() => this.#opening.delete(opening));
    let at = start;
    return new ContentReader(
      async () => {
        if (at >= end) return undefined;
        const chunk = await this.#next(reader, { start: at, end });
        at += chunk.length;
        return chunk;
      },
      () => reader[Symbol.dispose](),
    );
  }

  /** Up to where readers may read. */
  #readable(): number {
    const { size } = this.#subject.file;
    return this.#isReleased ? size : Math.min(this.#arrived, size - HELD_BYTES);
  }

  async #next(reader: SpoolReader, { start, end }: ByteRange): Promise<Chunk> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const readable = Math.min(end, this.#readable());
      if (readable > start) {
        return await reader.bytes(start, Math.min(readable, start + READ_BYTES));
      }
      const isChanged = await isWithin(this.#changed.promise, this.#options.keepAliveMs);
      // One byte of what is held, never the last one.
      if (!isChanged && this.#arrived > start && end - start > 1) {
        return await reader.bytes(start, start + 1);
      }
    }
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #run(): Promise<void> {
    const { parts, permits, space, spools, userId, signal } = this.#options;
    const { totals, store, tree: { log } } = parts;
    const { revision, file } = this.#subject;
    try {
      using _permit = await permits.acquire(signal, userId);
      using _taken = await space.take(file.size);
      const kept = await this.#takeTurn();
      await using _turn = {
        [Symbol.asyncDispose]: () => store.endFetch(revision.revision, file.path),
      };
      await using spool = await spools.open(file.size);
      const record = kept ?? await this.#adopt() ?? await this.#store(spool);
      await store.noteFetched(revision.revision, file.path, Date.now());
      await admitScanned(parts, this.#subject, { record, signal });
      await recordAdmission(parts, this.#subject, { record, userId });
      this.#isReleased = true;
      this.#notify();
      this.#spool = undefined;
      await Promise.allSettled(this.#opening);
    } catch (error) {
      const refusal = refusalOf(error, revision);
      // Before readers learn of it, and ask for the rest.
      if (refusal instanceof Mismatch) {
        totals.mismatches++;
        await store.noteMismatch(revision.revision, file.path, Date.now());
      }
      this.#failure = refusal;
      this.#spool = undefined;
      this.#notify();
      if (refusal instanceof RetryLater) totals.failures++;
      else totals.refusals++;
      log.warn("A file of the other hub did not come in", {
        path: pathOf(this.#subject),
        error: asError(refusal),
      });
      throw refusal;
    }
  }

  /** Waits until no other server fetches the file. Returns its record, if that has fetched it. */
  async #takeTurn(): Promise<ResourceRecord | undefined> {
    const { parts: { store, tree, caller }, signal } = this.#options;
    const { revision, file } = this.#subject;
    const path = pathOf(this.#subject);
    const scope = { userId: caller.userId, everyone: false };
    for (;;) {
      const isOwn = await store.takeFetch(revision.revision, file.path);
      const record = (await tree.records.findByPath(scope, [path])).get(path);
      if (isOwn || record !== undefined) return record;
      await pause(ELSEWHERE_MS, signal);
    }
  }

  /** Gives the file the content that another one of the tree has: that of another revision, mostly. */
  async #adopt(): Promise<ResourceRecord | undefined> {
    const { parts: { tree, caller, store } } = this.#options;
    const { sha256, size } = this.#subject.file;
    if (sha256 === undefined || !await store.hasContent(sha256)) return undefined;
    const path = pathOf(this.#subject);
    let isKept = false;
    await using staging = new Staging(tree, {
      ...{ caller, mayReplace: true },
      decide: (_file, found) => storing({ caller, path, requireCondition: () => {} })(found),
      async alongside(transaction) {
        const [blob] = await transaction.findContents(caller.userId, [{ sha256, size }]);
        isKept = blob !== undefined;
        return { changes: [], files: blob === undefined ? [] : [{ path, blob }] };
      },
    });
    const { files: [record] } = await staging.store([], { besides: [path] });
    return isKept ? record : undefined;
  }

  /** Has the file arrive in the tree. */
  async #store(spool: Spool): Promise<ResourceRecord> {
    const { parts: { tree, caller, totals } } = this.#options;
    this.#spool = spool;
    const { file } = this.#subject;
    // The SHA-256 of all content is computed anyway.
    const blobHash = file.sha256 === undefined ? createHash("sha1") : undefined;
    blobHash?.update(`blob ${file.size}\0`);
    const { files: [record] } = await put(tree, {
      caller,
      path: pathOf(this.#subject),
      content: this.#content(spool, blobHash),
      declaredSize: file.size,
      // Another server may have fetched it meanwhile.
      requireCondition: () => {},
      verify: (received) => this.#verify(received, blobHash),
    });
    if (record === undefined) throw new Error("A file that was stored has no record");
    totals.fetchedFiles++;
    return record;
  }

  /** The content as it comes in, which readers may read once it is in the spool. */
  async *#content(spool: Spool, blobHash: Hash | undefined): AsyncGenerator<Chunk, void> {
    const { throttle, parts: { totals }, retryMs, signal } = this.#options;
    const { size } = this.#subject.file;
    for (let cuts = 0; this.#arrived < size;) {
      const start = this.#arrived;
      try {
        for await (const chunk of await this.#open(start)) {
          if (this.#arrived + chunk.length > size) throw this.#mismatch("it is larger than stated");
          await throttle.take(chunk.length);
          signal.throwIfAborted();
          await spool.append(chunk);
          blobHash?.update(chunk);
          this.#arrived += chunk.length;
          totals.fetchedBytes += chunk.length;
          totals.answeredAt = Date.now();
          this.#notify();
          yield chunk;
        }
        if (this.#arrived < size) throw new UpstreamAway("The other hub has broken off");
      } catch (error) {
        if (!(error instanceof UpstreamAway)) throw error;
        cuts = this.#arrived > start ? 0 : cuts + 1;
        if (cuts > MAX_CUTS) throw error;
        await pause(retryMs * 2 ** cuts, signal);
      }
    }
  }

  async #open(start: number): Promise<AsyncIterable<Chunk>> {
    const { parts: { upstream }, signal } = this.#options;
    const { revision: { kind, id, commitId }, file: { path, size } } = this.#subject;
    return await untilAborted(
      upstream.open({ kind, id, commitId, path, size }, start, signal),
      signal,
    );
  }

  #verify({ sha256 }: Pick<StagedBlob, "sha256">, blobHash: Hash | undefined): void {
    const { file } = this.#subject;
    const [found, expected] = blobHash === undefined
      ? [sha256, file.sha256]
      : [blobHash.digest("hex"), file.blobId];
    if (found !== expected) throw this.#mismatch(`its digest is ${found}, not ${expected}`);
  }

  #mismatch(reason: string): Mismatch {
    const { revision, file } = this.#subject;
    return new Mismatch(
      `Cannot fetch ${JSON.stringify(nameOf(file.path))} of ${directoryOf(revision)}: ` +
        `the other hub has sent something else: ${reason}`,
    );
  }
}
