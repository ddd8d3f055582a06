import type { DamageLog } from "../damage.ts";
import { DamagedContent } from "../errors.ts";
import { isTurnOver, isWithin, takeTurn } from "../event_loop.ts";
import type { Log } from "../log.ts";
import { type ListedTensor, parseTensorLine, type TensorList } from "../scanner/mod.ts";
import { ScanFailure } from "../scans/ports.ts";
import { laneOf, type ScanLeases } from "../scans/scan_leases.ts";
import { logFailure } from "../scans/scan_content.ts";
import type { NamedContent } from "../verdicts.ts";
import type { TensorReader, TensorStore } from "./ports.ts";

/** Why content could not be read is remembered for so many contents, and so long. */
const MAX_FAILURES = 1000;
const FAILURE_MS = 10 * 60_000;
/** How often content is read for one request. */
const MAX_READS = 2;
/** Lines that are parsed between two looks at the clock. */
const LINES_AT_ONCE = 200;

/** Content whose tensors are asked for. */
export interface ContentToList extends NamedContent {
  readonly size: number;
  /** That of the content which the gate has admitted, if it is known. */
  readonly sha256: string | null;
}

/** What is known of the tensors of content now. */
export type TensorsOfContent =
  | { readonly kind: "listed"; readonly list: TensorList }
  | { readonly kind: "pending" }
  | { readonly kind: "failed"; readonly problem: string };

export interface TensorListsOptions {
  readonly store: TensorStore;
  readonly reader: TensorReader;
  readonly leases: ScanLeases;
  readonly damage: DamageLog;
  readonly log: Log;
  /** How long a request waits for content that is read for the first time, in milliseconds. @default 10000 */
  readonly patienceMs?: number | undefined;
}

/** How many contents were read since the start, and how many could not be. */
export interface TensorListTotals {
  readonly read: number;
  readonly failed: number;
}

/**
 * The tensors of contents with their digests, which are made when they are first asked for, and kept. Each user has one
 * content read at a time, under a lease, as for a scan. Reading continues after the request that started it has ended.
 * See docs/design/compare.md.
 */
export class TensorLists implements AsyncDisposable {
  readonly patienceMs: number;
  readonly #options: TensorListsOptions;
  /** What is being read, by user. Never rejects. */
  readonly #reading = new Map<number, Promise<void>>();
  /** The oldest first. */
  readonly #failures = new Map<string, { readonly problem: string; readonly until: number }>();
  readonly #stop = new AbortController();
  readonly #totals = { read: 0, failed: 0 };

  constructor(options: TensorListsOptions) {
    this.#options = options;
    this.patienceMs = options.patienceMs ?? 10_000;
  }

  get totals(): TensorListTotals {
    return { ...this.#totals };
  }

  /**
   * The tensors of content, or that they are being read.
   *
   * @param until How long to wait for that, as `performance.now()` has it.
   */
  async of(content: ContentToList, until: number): Promise<TensorsOfContent> {
    for (let begun = 0;;) {
      const list = await this.#options.store.find(content);
      if (list !== undefined && isOf(list, content)) return { kind: "listed", list };
      const problem = this.#failureOf(content);
      if (problem !== undefined) return { kind: "failed", problem };
      if (this.#stop.signal.aborted) return { kind: "pending" };
      let reading = this.#reading.get(content.userId);
      if (reading === undefined) {
        // What was read was not kept: other content has its hash by now.
        if (++begun > MAX_READS) return { kind: "failed", problem: "It changes while it is read" };
        reading = this.#begin(content);
      }
      const leftMs = Math.max(0, until - performance.now());
      if (!(await isWithin(reading, leftMs))) return { kind: "pending" };
    }
  }

  #begin(content: ContentToList): Promise<void> {
    const reading = this.#make(content).finally(() => this.#reading.delete(content.userId));
    this.#reading.set(content.userId, reading);
    return reading;
  }

  /** Reads content and keeps its list, or remembers why not. Never rejects. */
  async #make(content: ContentToList): Promise<void> {
    const { store, reader, leases, log } = this.#options;
    const { userId, hash, name, size } = content;
    const { signal } = this.#stop;
    try {
      using lease = await leases.acquire(laneOf(size), signal);
      const { memoryLimitMB } = lease;
      const list = await reader.listTensors({ hash, name }, { userId, memoryLimitMB, signal });
      this.#verify(content, list);
      await checkLines(list);
      await store.keep(content, list);
      this.#totals.read++;
    } catch (error) {
      if (signal.aborted) return;
      this.#totals.failed++;
      const failure = error instanceof ScanFailure
        ? error
        : new ScanFailure("The tensors could not be read", { cause: error });
      logFailure(log, hash, failure);
      this.#remember(content, failure.message);
    }
  }

  #verify({ hash, sha256 }: ContentToList, list: TensorList): void {
    if (sha256 === null || sha256 === list.sha256) return;
    const error = new DamagedContent(hash, `SHA-256 ${sha256}`, `SHA-256 ${list.sha256}`);
    this.#options.damage.report(error);
    throw new ScanFailure("Content damaged", { cause: error });
  }

  #failureOf(content: ContentToList): string | undefined {
    const key = keyOf(content);
    const failure = this.#failures.get(key);
    if (failure === undefined) return undefined;
    if (performance.now() < failure.until) return failure.problem;
    this.#failures.delete(key);
    return undefined;
  }

  #remember(content: ContentToList, problem: string): void {
    this.#failures.set(keyOf(content), { problem, until: performance.now() + FAILURE_MS });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
  }

  /** Stops reading. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new DOMException("The server is stopping", "AbortError"));
    await Promise.all(this.#reading.values());
  }
}

/** Whether a list is of the content that the gate has admitted. */
function isOf({ sha256 }: TensorList, content: ContentToList): boolean {
  return content.sha256 === null || content.sha256 === sha256;
}

function keyOf({ userId, hash, name, sha256 }: ContentToList): string {
  return `${userId} ${hash} ${sha256} ${name}`;
}

/** @throws {ScanFailure} when a line of a list is not one that the scanner writes. */
async function checkLines(list: TensorList): Promise<void> {
  try {
    for await (const _ of tensorsIn(list));
  } catch (error) {
    throw new ScanFailure("Scanner gave an invalid reply", { cause: error });
  }
}

/** The tensors of a list. Other requests have their turns meanwhile. */
export async function* tensorsIn({ lines }: TensorList): AsyncGenerator<ListedTensor, void> {
  let untimed = 0;
  for (let start = 0; start < lines.length;) {
    if (++untimed === LINES_AT_ONCE) {
      untimed = 0;
      if (isTurnOver()) await takeTurn();
    }
    const newline = lines.indexOf("\n", start);
    const end = newline === -1 ? lines.length : newline;
    yield parseTensorLine(lines.slice(start, end));
    start = end + 1;
  }
}
