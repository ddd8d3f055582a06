import { createHash, type Hash } from "node:crypto";
import type { StagedBlob } from "../blob_store.ts";
import type { Chunk } from "../content.ts";
import { RetryLater } from "../errors.ts";
import { pause, untilAborted } from "../event_loop.ts";
import { asError } from "../log.ts";
import { nameOf } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Semaphore } from "../semaphore.ts";
import type { Throttle } from "../throttle.ts";
import { storing } from "../tree/placement.ts";
import { put } from "../tree/put.ts";
import { Staging } from "../tree/staging.ts";
import { admitScanned, recordAdmission } from "./admission.ts";
import { Arrival } from "./arrival.ts";
import { directoryOf, type MirroredFile, type MirrorParts, pathOf, refusalOf } from "./mirror.ts";
import { type EarlyScan, type ScanEarly, type Spool, type Spools, UpstreamAway } from "./ports.ts";
import type { MirrorSpace } from "./space.ts";

/** How many cuts in a row are made up for that have brought nothing. */
const MAX_CUTS = 5;
/** How long the other hub is waited for that says when to ask again, without a byte in between, in seconds. */
const MAX_REST_S = 300;
/** The same before the first byte: who asks for the file is told so. */
const MAX_FIRST_REST_S = 10;
/** How often to look whether another server has fetched a file, in milliseconds. */
const ELSEWHERE_MS = 1000;
/** When to ask again after a file was another one than the other hub has said, in seconds. */
const RETRY_AFTER_S = 60;
/** The same after too many files were asked for. */
const BUSY_RETRY_AFTER_S = 3;

/** What a fetch works with. */
export interface FetchOptions {
  readonly parts: MirrorParts;
  readonly spools: Spools;
  readonly space: MirrorSpace;
  /** Undefined with the gate off. */
  readonly scanEarly: ScanEarly | undefined;
  /** Bounds how many files come in at once, and of those how many a user asks for. */
  readonly permits: Semaphore;
  readonly throttle: Throttle;
  /** How long a reader that waits for the verdict gets nothing, in milliseconds. */
  readonly keepAliveMs: number;
  /** The pause after a cut, in milliseconds: each is twice the one before that has brought nothing. */
  readonly retryMs: number;
  /** After how long it ends if it has not begun and nobody has asked for it again, in milliseconds. */
  readonly unaskedMs: number;
  /** The user who has asked for it first. */
  readonly userId: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** What the content of a file goes to as it comes in. */
interface Incoming {
  readonly spool: Spool;
  readonly early: EarlyScan | undefined;
  readonly blobHash: Hash | undefined;
}

/** The error for a file that too many others come in before. */
export function tooMany(reason: string): RetryLater {
  return new RetryLater("ErrTooManyRequests", `${reason}; ask again`, BUSY_RETRY_AFTER_S);
}

/** The content was another one than the other hub has said. */
class Mismatch extends RetryLater {
  constructor(message: string) {
    super("ErrUnavailable", message, RETRY_AFTER_S);
  }
}

/**
 * A file that comes in, once for all who ask for it (C 28).
 * See docs/design/mirror.md.
 */
export class Fetch {
  /** Resolves when the file can be read from the tree. Rejects with the reason why it cannot. */
  readonly ended: Promise<void>;
  /** What has come in of it. */
  readonly arrival: Arrival;
  readonly subject: MirroredFile;
  readonly #options: FetchOptions;
  #hasBegun = false;
  readonly #unasked = new AbortController();
  #unaskedTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(subject: MirroredFile, options: FetchOptions) {
    this.subject = subject;
    this.#options = options;
    const { keepAliveMs, parts: { store } } = options;
    this.arrival = new Arrival({ subject, store, keepAliveMs });
    this.ended = this.#run();
    // It is waited for by those who ask for the file, if anyone does.
    this.ended.catch(() => {});
  }

  /** The user who has asked for it first. */
  get userId(): number {
    return this.#options.userId;
  }

  /** Says that somebody asks for the file. One that has not begun ends when nobody has for a while. */
  ask(): void {
    clearTimeout(this.#unaskedTimer);
    if (this.#hasBegun) return;
    this.#unaskedTimer = setTimeout(
      () => this.#unasked.abort(tooMany("Nobody has asked for the file any more")),
      this.#options.unaskedMs,
    );
  }

  /** Waits until it may begin. */
  async #begin(): Promise<Disposable> {
    const { permits, userId, signal } = this.#options;
    try {
      return await permits.acquire(AbortSignal.any([signal, this.#unasked.signal]), userId);
    } finally {
      this.#hasBegun = true;
      clearTimeout(this.#unaskedTimer);
    }
  }

  async #run(): Promise<void> {
    using permit = await this.#begin();
    const { parts, space, spools, userId, signal } = this.#options;
    const { totals, store, tree: { log } } = parts;
    const { revision, file } = this.subject;
    try {
      using room = await space.take(pathOf(this.subject), file.size);
      const kept = await this.#takeTurn();
      await using _turn = { [Symbol.asyncDispose]: () => this.#endTurn() };
      await using spool = await spools.open(file.size);
      await using early = this.#options.scanEarly?.({
        ...{ path: spool.path, name: nameOf(file.path), size: file.size },
        userId: parts.caller.userId,
      });
      await using _readers = { [Symbol.asyncDispose]: () => this.arrival.close() };
      const record = kept ?? await this.#adopt() ?? await this.#store(spool, early);
      // Others may come in while this one waits for its scan.
      room.stored();
      permit[Symbol.dispose]();
      await this.arrival.verified();
      await early?.stored(signal);
      await store.noteFetched(revision.revision, file.path, Date.now());
      await admitScanned(parts, this.subject, { record, signal });
      await recordAdmission(parts, this.subject, { record, userId });
      this.arrival.release();
    } catch (error) {
      const refusal = refusalOf(error, revision);
      this.arrival.fail(refusal);
      if (refusal instanceof Mismatch) totals.mismatches++;
      if (refusal instanceof RetryLater) totals.failed(refusal);
      else totals.refusals++;
      log.warn("A file of the other hub did not come in", {
        path: pathOf(this.subject),
        error: asError(refusal),
      });
      throw refusal;
    }
  }

  /** Waits until no other server fetches the file. Returns its record, if that has fetched it. */
  async #takeTurn(): Promise<ResourceRecord | undefined> {
    const { parts: { store, tree, caller }, signal } = this.#options;
    const { revision, file } = this.subject;
    const path = pathOf(this.subject);
    const scope = { userId: caller.userId, everyone: false };
    for (;;) {
      const isOwn = await store.takeFetch(revision.revision, file.path);
      const record = (await tree.records.findByPath(scope, [path])).get(path);
      if (isOwn || record !== undefined) return record;
      await pause(ELSEWHERE_MS, signal);
    }
  }

  /** A row that stays this server's delays others, and is no reason to fail. */
  async #endTurn(): Promise<void> {
    const { parts: { store, tree: { log } } } = this.#options;
    const { revision, file } = this.subject;
    try {
      await store.endFetch(revision.revision, file.path);
    } catch (error) {
      log.warn("Cannot note that a fetch has ended", {
        path: pathOf(this.subject),
        error: asError(error),
      });
    }
  }

  /** Gives the file the content that another one of the tree has: that of another revision, mostly. */
  async #adopt(): Promise<ResourceRecord | undefined> {
    const { parts: { tree, caller, store } } = this.#options;
    const { sha256, size } = this.subject.file;
    if (sha256 === undefined || !await store.hasContent(sha256)) return undefined;
    const path = pathOf(this.subject);
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
  async #store(spool: Spool, early: EarlyScan | undefined): Promise<ResourceRecord> {
    const { parts: { tree, caller, totals } } = this.#options;
    this.arrival.begin(spool);
    const { file } = this.subject;
    // The SHA-256 of all content is computed anyway.
    const blobHash = file.sha256 === undefined ? createHash("sha1") : undefined;
    blobHash?.update(`blob ${file.size}\0`);
    const { files: [record] } = await put(tree, {
      caller,
      path: pathOf(this.subject),
      content: this.#content({ spool, early, blobHash }),
      spool: spool.path,
      declaredSize: file.size,
      // Another server may have fetched it meanwhile.
      requireCondition: () => {},
      verify: (received) => {
        this.#verify(received, blobHash);
        early?.isWhole(received);
      },
    });
    if (record === undefined) throw new Error("A file that was stored has no record");
    totals.fetchedFiles++;
    return record;
  }

  /** The content as it comes in, which readers may read once it is in the spool. */
  async *#content({ spool, early, blobHash }: Incoming): AsyncGenerator<Chunk, void> {
    const { throttle, parts: { totals }, retryMs, signal } = this.#options;
    const { size } = this.subject.file;
    const { arrival } = this;
    let [cuts, restedS] = [0, 0];
    while (arrival.bytes < size) {
      const start = arrival.bytes;
      try {
        for await (const chunk of await this.#open(start)) {
          if (arrival.bytes + chunk.length > size) {
            throw this.#mismatch("it is larger than stated");
          }
          await throttle.take(chunk.length);
          signal.throwIfAborted();
          await arrival.append(spool, chunk);
          early?.arrived(arrival.bytes);
          blobHash?.update(chunk);
          totals.fetchedBytes += chunk.length;
          totals.answeredAt = Date.now();
          yield chunk;
        }
        if (arrival.bytes < size) throw new UpstreamAway("The other hub has broken off");
      } catch (error) {
        if (!(error instanceof UpstreamAway)) throw error;
        const { retryAfterS = 0 } = error;
        if (arrival.bytes > start) [cuts, restedS] = [0, 0];
        else if (retryAfterS === 0) cuts++;
        restedS += retryAfterS;
        const maxRestS = arrival.bytes > 0 ? MAX_REST_S : MAX_FIRST_REST_S;
        if (cuts > MAX_CUTS || restedS > maxRestS) throw error;
        await pause(Math.max(retryAfterS * 1000, retryMs * 2 ** cuts), signal);
      }
    }
  }

  async #open(start: number): Promise<AsyncIterable<Chunk>> {
    const { parts: { upstream }, signal } = this.#options;
    const { revision: { kind, id, commitId }, file: { path, size } } = this.subject;
    return await untilAborted(
      upstream.open({ kind, id, commitId, path, size }, start, signal),
      signal,
    );
  }

  #verify({ sha256 }: Pick<StagedBlob, "sha256">, blobHash: Hash | undefined): void {
    const { file } = this.subject;
    const [found, expected] = blobHash === undefined
      ? [sha256, file.sha256]
      : [blobHash.digest("hex"), file.blobId];
    if (found !== expected) throw this.#mismatch(`its digest is ${found}, not ${expected}`);
  }

  #mismatch(reason: string): Mismatch {
    const { revision, file } = this.subject;
    return new Mismatch(
      `Cannot fetch ${JSON.stringify(nameOf(file.path))} of ${directoryOf(revision)}: ` +
        `the other hub has sent something else: ${reason}`,
    );
  }
}
