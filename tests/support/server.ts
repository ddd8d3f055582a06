/** A real server for tests: it listens on a port of its own, over a directory of its own. */

import {
  getHostSize,
  getStats,
  type HostCapacity,
  LeasePool,
  readTunables,
} from "../../core/capacity/mod.ts";
import { mintCredential } from "../../core/credentials.ts";
import { credentialVerifier } from "../../core/credentials.ts";
import { EventBus } from "../../core/events.ts";
import { Log } from "../../core/log.ts";
import type { ResourceStore } from "../../core/ports.ts";
import { ScanJobs } from "../../core/scans/jobs.ts";
import type { ContentScanner } from "../../core/scans/ports.ts";
import type { Tree, UploadLimits } from "../../core/tree/changes.ts";
import { recover } from "../../core/tree/recover.ts";
import { type AppOptions, BASE_PATH, createApp } from "../../routes/app.ts";
import type { ServerEvents } from "../../routes/events.ts";
import { InFlight } from "../../routes/in_flight.ts";
import { type RunningServer, serveApp } from "../../routes/server.ts";
import { SandboxScanner } from "../../storage/sandbox/sandbox.ts";
import { Storage } from "../../storage/storage.ts";
import { Client } from "./client.ts";
import { TempDir } from "./temp_dir.ts";

const MIB = 2 ** 20;
const SECRET = "a secret of the tests, of more than 32 bytes";

export interface TestServerOptions {
  readonly limits?: Partial<UploadLimits>;
  /** Left out: a temporary directory, removed at the end. */
  readonly dataDir?: string;
  readonly events?: ServerEvents;
  /** What the app gets in place of the tree of this server. */
  readonly wrap?: (tree: Tree) => Tree;
  readonly app?: Partial<AppOptions>;
  readonly graceMs?: number;
  readonly maxQueuedScans?: number;
  /** What is told of the host instead of its readings and tunables. */
  readonly host?: Partial<HostCapacity>;
  /** What scans content instead of a sandbox. */
  readonly contents?: ContentScanner;
}

export class TestServer implements AsyncDisposable {
  readonly #parts: AsyncDisposableStack;

  private constructor(
    readonly tree: Tree,
    readonly dataDir: string,
    readonly server: RunningServer,
    /** The lines of the log. */
    readonly log: string[],
    parts: AsyncDisposableStack,
  ) {
    this.#parts = parts;
  }

  static async start(options: TestServerOptions = {}): Promise<TestServer> {
    await using parts = new AsyncDisposableStack();
    const dataDir = options.dataDir ?? parts.use(await TempDir.make()).path;
    const storage = parts.use(await Storage.open(dataDir));
    const { records, blobs } = storage;
    await recover({ records, blobs });
    const lines: string[] = [];
    const log = new Log({ level: "debug", format: "json", write: (line) => lines.push(line) });
    const events: ServerEvents = options.events ?? new EventBus();
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const tree: Tree = { records, blobs, events, limits, log };
    const inFlight = new InFlight();
    const host = {
      stats: () => getStats(dataDir),
      ...readTunables(() => undefined, getHostSize()),
      ...options.host,
    };
    const leases = new LeasePool(host);
    const contents = options.contents ?? new SandboxScanner(blobs, 120_000);
    const scans = records.scans;
    const jobs = new ScanJobs({ scans, contents, host, leases, events, log, pollMs: 20 });
    const app = createApp({
      tree: options.wrap?.(tree) ?? tree,
      events,
      verify: await credentialVerifier({ key: { kind: "secret", secret: SECRET } }),
      findFault: () => storage.fault(0),
      capacity: { ...host, leases, instances: () => jobs.instances },
      scans: { records, store: records.scans, jobs, maxQueued: options.maxQueuedScans ?? 1000 },
      log,
      inFlight,
      ...options.app,
    });
    const { graceMs } = options;
    await jobs.resume();
    const server = serveApp(app, {
      hostname: "127.0.0.1",
      port: 0,
      events,
      inFlight,
      log,
      ...(graceMs !== undefined && { graceMs }),
    });
    parts.defer(async () => {
      await jobs.stop();
      await server.stop();
    });
    return new TestServer(tree, dataDir, server, lines, parts.move());
  }

  /** The address of the root. */
  get origin(): string {
    return `http://127.0.0.1:${this.server.address.port}`;
  }

  /** The address of the API. */
  get url(): string {
    return this.origin + BASE_PATH;
  }

  /** A client with a credential of the user; without privileges named it holds all but the admin's. */
  async as(userId: number, ...privileges: string[]): Promise<Client> {
    const held = privileges.length > 0 ? privileges : USER_PRIVILEGES;
    return new Client(this.url, await mintToken({ userId, privileges: held }));
  }

  /** A client whose credential holds `resources.admin`. */
  admin(userId = 1000): Promise<Client> {
    return this.as(userId, "resources.admin");
  }

  /** The digests of all stored content, sorted, however it came to lie there. */
  async storedHashes(): Promise<string[]> {
    const hashes: string[] = [];
    const walk = async (directory: string) => {
      for await (const { name, isDirectory } of Deno.readDir(directory)) {
        if (isDirectory) await walk(`${directory}/${name}`);
        else hashes.push(name);
      }
    };
    await walk(`${this.dataDir}/blobs`);
    return hashes.sort();
  }

  /** The names of what lies in `tmp/`. */
  async temporaryFiles(): Promise<string[]> {
    return (await Array.fromAsync(Deno.readDir(`${this.dataDir}/tmp`))).map(({ name }) => name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

const DEFAULT_LIMITS: UploadLimits = {
  maxUploadFiles: 1000,
  maxUploadFileSize: 300 * MIB,
  maxUploadTotalSize: 2048 * MIB,
  maxUploadRequestSize: 2112 * MIB,
};

export const USER_PRIVILEGES = [
  "resources.view",
  "resources.upload",
  "resources.edit",
  "resources.delete",
  "resources.download",
];

/** A credential that a {@link TestServer} accepts. */
export function mintToken(
  { userId, privileges, ttlSeconds = 600 }: {
    userId: number;
    privileges: readonly string[];
    ttlSeconds?: number;
  },
): Promise<string> {
  return mintCredential({ secret: SECRET, userId, privileges, ttlSeconds });
}

/** Options of a server whose store has some of its methods replaced. */
export function withRecords(
  replace: (records: ResourceStore) => Partial<ResourceStore>,
): TestServerOptions {
  return {
    wrap: (tree) => ({
      ...tree,
      records: Object.assign(Object.create(null), {
        findByPath: tree.records.findByPath.bind(tree.records),
        findById: tree.records.findById.bind(tree.records),
        list: tree.records.list.bind(tree.records),
        collectFiles: tree.records.collectFiles.bind(tree.records),
        write: tree.records.write.bind(tree.records),
      }, replace(tree.records)),
    }),
  };
}
