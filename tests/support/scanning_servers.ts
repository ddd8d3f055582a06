import { type ComposedScans, composeScans } from "../../cli/serve/scans.ts";
import { readTunables, type SystemStats } from "../../core/capacity/mod.ts";
import { DamageLog } from "../../core/damage.ts";
import { untilAborted } from "../../core/event_loop.ts";
import { Log } from "../../core/log.ts";
import type { EventSink } from "../../core/events.ts";
import type { VerdictEvent } from "../../core/verdicts.ts";
import type { ContentScanner, Scan, ScanEvent, ScanFile } from "../../core/scans/ports.ts";
import { readSettings } from "../../schemas/settings.ts";
import { DirectoryBlobStore } from "../../storage/content/directory/directory_blob_store.ts";
import type { PostgresResourceStore } from "../../storage/postgres/postgres_resource_store.ts";
import { plainScan } from "../core/scanner/plain_scan.ts";
import { openPostgresStore } from "./postgres_store.ts";
import { TempDir } from "./temp_dir.ts";

const HOST: SystemStats = {
  CPUCores: 4,
  LoadAvg1m: 0,
  MemTotalMB: 100_000,
  MemAvailableMB: 100_000,
  DiskFreeMB: 100_000,
};

/** Scans nothing: each scan ends when a test lets it. Records which contents were scanned where. */
export class HeldScanner implements ContentScanner {
  /** The names of what is being scanned. */
  readonly running: string[] = [];
  /** The names of all that a scan has begun of. */
  readonly begun: string[] = [];
  #gate = Promise.withResolvers<void>();
  #isOpen: boolean;

  /** @param isOpen Whether scans end at once. */
  constructor(isOpen = false) {
    this.#isOpen = isOpen;
  }

  /** Lets all scans end, now and from now on. */
  open(): void {
    this.#isOpen = true;
    this.#gate.resolve();
  }

  async scan(
    { hash, name }: Parameters<ContentScanner["scan"]>[0],
    { signal }: Parameters<ContentScanner["scan"]>[1],
  ): ReturnType<ContentScanner["scan"]> {
    this.begun.push(name);
    this.running.push(name);
    try {
      if (!this.#isOpen) await untilAborted(this.#gate.promise, signal);
    } finally {
      this.running.splice(this.running.indexOf(name), 1);
    }
    // That of all contents in stores of tests.
    return { ...plainScan(1), hashes: { md5: hash, sha256: "0".repeat(64) } };
  }
}

export interface ScanningServerOptions {
  /** Its id. */
  readonly name: string;
  /** How many scans its host carries; 0 for none until a test opens its room. */
  readonly capacity: number;
  readonly scanner: HeldScanner;
  /** Whether files are scanned when they arrive. @default false */
  readonly gate?: boolean;
  readonly resultsVersion?: string;
}

/** What scans in a server that shares a database with others. It has neither HTTP nor content. */
export interface ScanningServer extends ComposedScans, AsyncDisposable {
  readonly store: PostgresResourceStore;
  /** Whether its host has memory for scans. */
  readonly room: { isOpen: boolean };
  /** The ends of scans that it has announced. */
  readonly ended: Scan[];
  /** Adds a scan of files by their names, and queues it. */
  request(requestedBy: number, ...names: string[]): Promise<number>;
}

/** The file that {@link ScanningServer.request} adds for a name. */
export function namedFile(name: string, userId = 1): ScanFile {
  const hash = [...new TextEncoder().encode(name)].map((byte) => byte.toString(16)).join("");
  return { userId, path: name, name, hash: hash.padStart(32, "0"), size: 1 };
}

export async function scanningServer(
  url: string,
  { name, capacity, scanner, gate = false, resultsVersion = "1" }: ScanningServerOptions,
): Promise<ScanningServer> {
  await using parts = new AsyncDisposableStack();
  const room = { isOpen: capacity > 0 };
  // A fixed number would count whatever the memory.
  const given = capacity > 0 ? String(capacity) : undefined;
  const directory = parts.use(await TempDir.make());
  const sharedQueue = { giveBackIntervalMs: 0 };
  const store = parts.use(
    await openPostgresStore(url, { server: name, sharedQueue, resultsVersion }),
  );
  await store.takeLease();
  const { contents } = store;
  const blobs = parts.use(
    await DirectoryBlobStore.open(directory.path, { contents, reserveBytes: 0 }),
  );
  const settings = {
    ...readSettings(() => undefined),
    gate: gate ? "mark" as const : "off" as const,
  };
  const log = new Log({ level: "error", format: "json", write: (line) => console.error(line) });
  const host = {
    stats: () => room.isOpen ? HOST : { ...HOST, MemAvailableMB: 0 },
    ...readTunables(
      (name) => name === "STRONGROOM_MAX_INSTANCES" ? given : undefined,
      HOST,
    ),
  };
  const ended: Scan[] = [];
  const events: EventSink<ScanEvent | VerdictEvent> = {
    publish(published) {
      if (!Array.isArray(published)) throw new Error("Scans publish few events at once");
      for (const event of published) if (event.type === "scan.finished") ended.push(event.scan);
    },
  };
  const composed = composeScans(
    parts,
    { storage: { records: store, blobs }, settings, host, log, damage: new DamageLog(log), events },
    { contents: scanner, pollIntervalMs: 20 },
  );
  await composed.jobs.resume();
  composed.automatic?.start();
  const owned = parts.move();
  return {
    ...composed,
    store,
    room,
    ended,
    async request(requestedBy, ...names) {
      const files = names.map((name) => namedFile(name, requestedBy));
      await store.write(async (transaction) => {
        await transaction.contents.put(
          files.map(({ hash, size }) => ({
            ...{ hash, size, crc32: 0, bytes: undefined },
            sha256: new Uint8Array(32),
          })),
        );
        const scope = { userId: requestedBy, everyone: false };
        const present = await transaction.findByPath(scope, names);
        const absent = files.filter(({ path }) => !present.has(path));
        const times = { createdAt: 0, updatedAt: 0 };
        await transaction.insert(
          absent.map(({ userId, path, hash, size }) => ({
            ...{ userId, path, hash, size, crc32: 0, isDir: false, ...times },
          })),
        );
      });
      const scan = await store.scans.create(
        { userId: requestedBy, requestedBy, paths: names, skip: [], createdAt: Date.now() },
        (async function* () {
          yield await Promise.resolve(files);
        })(),
      );
      composed.jobs.enqueue(scan);
      return scan.id;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
