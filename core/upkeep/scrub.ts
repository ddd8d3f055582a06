import { verifiedContent } from "../content.ts";
import type { DamageLog } from "../damage.ts";
import { DamagedContent } from "../errors.ts";
import { asError, type Log } from "../log.ts";
import type { BlobStore } from "../blob_store.ts";
import type { ContentFacts } from "../ports.ts";
import type { ScrubProgress, UpkeepStore } from "./ports.ts";
import { rest } from "./rest.ts";

export interface ScrubOptions {
  readonly store: UpkeepStore;
  readonly blobs: Pick<BlobStore, "open" | "sizeOf">;
  readonly damage: DamageLog;
  readonly log: Log;
  /** How long it takes to read all content once, in milliseconds; 0 to read none. */
  readonly periodMs: number;
}

/** The time between two looks at what is due. Each may start the thread that reads the database. */
const MAX_TICK_MS = 10 * 60_000;
const MIN_TICK_MS = 5;
const TICKS_PER_PERIOD = 10_000;
/** The time after which progress is stored. */
const SAVE_MS = 10 * 60_000;
const PAGE_CONTENTS = 100;
/** Between two reads it rests this many times as long as the last one took, unless it is late. */
const REST = 3;
/** It is late if this share of the content is due. */
const MAX_LAG = 0.02;

/**
 * Reads all content once in a period and reports what is damaged or missing (C 22). Hashes are evenly
 * distributed, so content is due when the period has reached its hash. After a restart it goes on where
 * it was.
 * See docs/design/scrub.md.
 */
export class Scrub implements AsyncDisposable {
  readonly #options: ScrubOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #progress: ScrubProgress = { startedAt: 0, position: "" };
  #savedAt = Date.now();
  #isUnsaved = false;

  constructor(options: ScrubOptions) {
    this.#options = options;
    this.#running = options.periodMs === 0 ? Promise.resolve() : this.#run();
  }

  /** Ends it, and stores its progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { periodMs, store, log } = this.#options;
    const tick = Math.min(MAX_TICK_MS, Math.max(MIN_TICK_MS, periodMs / TICKS_PER_PERIOD));
    try {
      this.#progress = await store.scrubProgress();
      if (this.#progress.startedAt === 0) this.#advance({ startedAt: Date.now(), position: "" });
    } catch (error) {
      log.error("Cannot read the progress of the scrub", { error: asError(error) });
    }
    while (!this.#stop.signal.aborted) {
      try {
        if (!await this.#readDue()) await rest(tick, this.#stop.signal);
        const isTime = Date.now() - this.#savedAt > SAVE_MS || this.#stop.signal.aborted;
        if (this.#isUnsaved && isTime) await this.#save();
      } catch (error) {
        log.error("Cannot scrub", { error: asError(error) });
        await rest(MAX_TICK_MS, this.#stop.signal);
      }
    }
  }

  /** Reads content that is due. Returns false if none is. */
  async #readDue(): Promise<boolean> {
    const { store, periodMs } = this.#options;
    const { startedAt, position } = this.#progress;
    const share = (Date.now() - startedAt) / periodMs;
    const target = hashAt(share);
    const page = await store.contentsAfter(position, PAGE_CONTENTS);
    const due = page.filter(({ hash }) => hash <= target);
    for (const content of due) {
      if (this.#stop.signal.aborted) return true;
      await this.#read(content, share - shareOf(content.hash) > MAX_LAG);
      if (!this.#stop.signal.aborted) this.#advance({ startedAt, position: content.hash });
    }
    if (due.length > 0) return true;
    if (share >= 1) this.#advance({ startedAt: this.#nextStart(), position: "" });
    return false;
  }

  /** The start of the next period. One that is long over is not made up for. */
  #nextStart(): number {
    const { periodMs } = this.#options;
    const next = this.#progress.startedAt + periodMs;
    return Date.now() - next < periodMs ? next : Date.now();
  }

  async #read(content: ContentFacts, late: boolean): Promise<void> {
    const { blobs, damage } = this.#options;
    const { hash, size } = content;
    try {
      const stored = await blobs.open(hash, { start: 0, end: size });
      if (stored === undefined) return await this.#reportMissing(content);
      let started = performance.now();
      for await (const _ of verifiedContent(stored, content)) {
        if (this.#stop.signal.aborted) return;
        await rest(late ? 0 : (performance.now() - started) * REST, this.#stop.signal);
        started = performance.now();
      }
      const found = await blobs.sizeOf(hash);
      if (found === undefined || found === size) return;
      damage.report(new DamagedContent(hash, `${size} bytes`, `${found} bytes`));
    } catch (error) {
      // Content that cannot be read is as good as damaged.
      const { message } = asError(error);
      const damaged = error instanceof DamagedContent
        ? error
        : new DamagedContent(hash, `${size} bytes`, message);
      damage.report(damaged);
    }
  }

  /** Reports missing content, if a record has it before and after it was looked for. */
  async #reportMissing({ hash, size }: ContentFacts): Promise<void> {
    const { store, blobs, damage } = this.#options;
    const file = async () => (await store.filesOf([hash])).get(hash);
    const before = await file();
    if (before === undefined || await blobs.sizeOf(hash) !== undefined) return;
    if ((await file())?.path !== before.path) return;
    damage.report(new DamagedContent(hash, `${size} bytes`, "no content"));
  }

  #advance(progress: ScrubProgress): void {
    this.#progress = progress;
    this.#isUnsaved = true;
  }

  async #save(): Promise<void> {
    await this.#options.store.saveScrubProgress(this.#progress);
    this.#savedAt = Date.now();
    this.#isUnsaved = false;
  }
}

const SHARE_DIGITS = 12;
const SHARE_UNIT = 16 ** SHARE_DIGITS;

/** The share of all hashes up to this one. */
function shareOf(hash: string): number {
  return parseInt(hash.slice(0, SHARE_DIGITS), 16) / SHARE_UNIT;
}

/** The hash up to which a share of all hashes is; after all of them for 1. */
function hashAt(share: number): string {
  if (share >= 1) return "g";
  return Math.floor(Math.max(0, share) * SHARE_UNIT).toString(16).padStart(SHARE_DIGITS, "0");
}
