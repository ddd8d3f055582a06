import type { Lease } from "../capacity/leases.ts";
import type { EventSink } from "../events.ts";
import { FairQueue } from "../fair_queue.ts";
import { pause, untilAborted } from "../event_loop.ts";
import { asError } from "../log.ts";
import type { ResourceRecord } from "../ports.ts";
import type {
  JudgedRecord,
  NamedContent,
  UnscannedContent,
  VerdictEvent,
  Verdicts,
  VerdictStore,
} from "../verdicts.ts";
import { type ResultKey, ScanFailure } from "./ports.ts";
import { type ContentScanParts, logFailure, scanContent } from "./scan_content.ts";
import { type Lane, laneOf, LANES } from "./scan_leases.ts";
import { DEFAULT_SKIP } from "./selection.ts";
import type { ContentOutcome, SharedScans } from "./shared_scans.ts";

/** Files that arrive while so many of their user, or of all users, wait are found again by a search. */
const MAX_USER_FILES = 1000;
const MAX_QUEUED_FILES = 10_000;
/** A search goes on while so many files that it has found are scanned by other servers. */
const MAX_ELSEWHERE = 1000;
/** How often to look for room, or at what other servers scan. */
const POLL_INTERVAL_MS = 500;
/** How long to wait after an error of the storage. */
const PAUSE_MS = 5000;

/** The abort reason when the server stops. */
const STOPPING = new DOMException("The server is stopping", "AbortError");

/** What {@link AutomaticScans} works with. */
export interface AutomaticScansOptions extends ContentScanParts {
  readonly store: VerdictStore;
  readonly verdicts: Verdicts;
  readonly shared: SharedScans;
  readonly events: EventSink<VerdictEvent>;
  /** Whether requested scans leave room for another file. */
  readonly hasRoom: () => boolean;
  /** How many files of one lane are scanned at once. */
  readonly concurrency: number;
  /** How often to look for room, or at what other servers scan, in milliseconds. @default 500 */
  readonly pollIntervalMs?: number | undefined;
}

/** A file to judge. */
interface Arrival extends UnscannedContent {
  /** The record that has arrived; left out if a search found its content. */
  readonly record?: JudgedRecord;
}

/**
 * Scans files that no scan has been requested of, when requested scans leave room (C 18): those that
 * arrive, and those that a search finds at the start and whenever more arrive than the queue holds.
 * Publishes the verdicts.
 * See docs/design/gate.md.
 */
export class AutomaticScans implements AsyncDisposable {
  readonly #options: AutomaticScansOptions;
  readonly #abort = new AbortController();
  /** What may have a verdict already. Users take turns in it. */
  readonly #arrived = new FairQueue<Arrival>();
  /** What waits for a lease. Users take turns in each lane. */
  readonly #lanes: Readonly<Record<Lane, FairQueue<Arrival>>> = {
    small: new FairQueue(),
    light: new FairQueue(),
    heavy: new FairQueue(),
  };
  /** How many files are in all queues. */
  #queued = 0;
  /** How many of them wait for a lease. */
  #waiting = 0;
  /** What other servers were scanning, and may leave unscanned. */
  #elsewhere: Arrival[] = [];
  /** The record after which the search goes on, or undefined if it is done. */
  #searchedTo: number | undefined = 0;
  /** Whether files have arrived that are not in the queue. */
  #hasMissed = false;
  #wake = Promise.withResolvers<void>();
  #workers: readonly Promise<void>[] = [];
  /** Publications run one after the other. */
  #published: Promise<void> = Promise.resolve();

  constructor(options: AutomaticScansOptions) {
    this.#options = options;
  }

  /** Starts to scan. Call it once, after the results of other versions have been forgotten. */
  start(): void {
    const { concurrency } = this.#options;
    this.#workers = [
      this.#work(() => this.#sort()),
      ...LANES.flatMap((lane) =>
        Array.from({ length: concurrency }, () => this.#work(() => this.#scanNext(lane)))
      ),
    ];
  }

  /** Queues files that an operation has added or changed. Returns whether it takes more. */
  arrived(files: readonly ResourceRecord[]): boolean {
    for (const file of files) {
      const { id, userId, path, hash, name, size } = file;
      if (this.#queued >= MAX_QUEUED_FILES || this.#sizeOf(userId) >= MAX_USER_FILES) {
        this.#hasMissed = true;
        break;
      }
      this.#add({ userId, hash, name, size, record: { id, userId, path } });
    }
    if (files.length > 0) this.#awaken();
    return !this.#hasMissed;
  }

  /** Publishes the verdict on content to its user, for each record with it. */
  publish(content: NamedContent): Promise<void> {
    this.#published = this.#published.then(() => this.#publish(content));
    return this.#published;
  }

  async #publish(content: NamedContent): Promise<void> {
    if (this.#abort.signal.aborted) return;
    const { store, events, log } = this.#options;
    try {
      const { verdict } = await this.#options.verdicts.on(content);
      for (let after = 0;;) {
        const records = await store.recordsOf(content, after);
        const last = records.at(-1);
        if (last === undefined) return;
        events.publish(records.map((record) => ({ type: "resource.verdict", record, verdict })));
        after = last.id;
      }
    } catch (error) {
      // The verdict is stored nevertheless.
      log.error("Cannot publish a verdict", { hash: content.hash, error: asError(error) });
    }
  }

  /** Interrupts the scans. The next start finds what they were scanning. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort(STOPPING);
    await Promise.all(this.#workers);
    await this.#published;
  }

  /** How many files of a user are queued. */
  #sizeOf(userId: number): number {
    const queues = [this.#arrived, ...Object.values(this.#lanes)];
    return queues.reduce((sum, queue) => sum + queue.size(userId), 0);
  }

  #add(arrival: Arrival): void {
    this.#arrived.add(arrival.userId, arrival);
    this.#queued++;
  }

  #awaken(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  /** Does the work again and again, until the server stops. */
  async #work(work: () => Promise<void>): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        await work();
      } catch (error) {
        if (signal.aborted) return;
        this.#options.log.error("Cannot scan a file", { error: asError(error) });
        this.#hasMissed = true;
        await pause(PAUSE_MS, signal);
      }
    }
  }

  /** Has the next file wait in its lane, unless it has a verdict. */
  async #sort(): Promise<void> {
    const arrival = await this.#next();
    this.#queued--;
    if (await this.#isJudged(arrival)) return;
    this.#lanes[laneOf(arrival.size)].add(arrival.userId, arrival);
    this.#queued++;
    this.#waiting++;
    this.#awaken();
  }

  /** The next file, when there is one. */
  async #next(): Promise<Arrival> {
    for (;;) {
      const next = this.#arrived.next();
      if (next !== undefined) return next;
      const wake = this.#wake.promise;
      if (this.#elsewhere.length > (this.#searchedTo === undefined ? 0 : MAX_ELSEWHERE)) {
        await this.#pause();
        for (const arrival of this.#elsewhere.splice(0)) this.#add(arrival);
        continue;
      }
      if (this.#waiting === 0 && this.#hasMissed) {
        this.#hasMissed = false;
        this.#searchedTo = 0;
      }
      // A search finds more than the queues should hold.
      if (this.#waiting > 0 || this.#searchedTo === undefined) {
        await untilAborted(wake, this.#abort.signal);
      } else await this.#search(this.#searchedTo);
    }
  }

  /** Queues what the next records have unscanned. */
  async #search(after: number): Promise<void> {
    const { contents, lastId } = await this.#options.store.unscannedAfter(after);
    for (const content of contents) this.#add(content);
    this.#searchedTo = lastId;
  }

  /** Whether a file has a verdict, and one that a search found has facts. Publishes that of one that has arrived. */
  async #isJudged({ record, userId, hash, name }: Arrival): Promise<boolean> {
    const { store, verdicts, events } = this.#options;
    if (record === undefined) return !await store.isUnscanned({ userId, hash, name });
    const { verdict } = await verdicts.on({ userId, hash, name });
    if (verdict === "unscanned" || verdict === "pending") return false;
    events.publish([{ type: "resource.verdict", record, verdict }]);
    return true;
  }

  /** Scans the file of a lane whose turn it is when there is a lease for one. */
  async #scanNext(lane: Lane): Promise<void> {
    const { leases, hasRoom } = this.#options;
    const { signal } = this.#abort;
    const queue = this.#lanes[lane];
    const wake = this.#wake.promise;
    if (queue.users === 0) return await untilAborted(wake, signal);
    if (!hasRoom()) return await this.#pause();
    using lease = await leases.acquire(lane, signal);
    if (!hasRoom()) return;
    const arrival = queue.next();
    if (arrival === undefined) return;
    this.#queued--;
    this.#waiting--;
    if (this.#waiting === 0) this.#awaken();
    if (!await this.#isJudged(arrival)) await this.#judge(arrival, lease);
  }

  async #judge(arrival: Arrival, lease: Lease): Promise<void> {
    const { shared } = this.#options;
    const { userId, hash, name } = arrival;
    const key = { userId, hash, name, skip: DEFAULT_SKIP };
    const ended = shared.ended(key);
    if (ended === undefined) {
      await shared.run(key, this.#abort.signal, () => this.#scan(key, arrival, lease));
      return;
    }
    // The lease is for others meanwhile.
    ended.then(() => {
      this.#add(arrival);
      this.#awaken();
    });
  }

  /** Scans content, and keeps its result or the reason for the failure. */
  async #scan(key: ResultKey, arrival: Arrival, lease: Lease): Promise<ContentOutcome> {
    const { scans, log } = this.#options;
    const { signal } = this.#abort;
    const { size } = arrival;
    try {
      const scanned = await scanContent(this.#options, { key, size, signal, lease });
      if (scanned === undefined) {
        this.#elsewhere.push(arrival);
        this.#awaken();
        return { isShared: false };
      }
      const isShared = await scans.keepContentResult(key, scanned.result, scanned.pace);
      await this.publish(key);
      return { isShared };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ScanFailure)) throw error;
      const { message: failure } = error;
      const isShared = await scans.failContent(key, failure);
      // Content that was removed meanwhile is not to be scanned any more.
      if (isShared) logFailure(log, key.hash, error);
      await this.publish(key);
      return { failure, isShared };
    }
  }

  /** @throws the abort reason when the server stops. */
  #pause(): Promise<void> {
    return pause(this.#options.pollIntervalMs ?? POLL_INTERVAL_MS, this.#abort.signal);
  }
}
