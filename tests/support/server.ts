/**
 * A real server for tests. Each one has its own port and data directory, and fails its test if it sends a
 * reply that is not described.
 */

import { compose } from "../../cli/serve/compose.ts";
import type { UpstreamOptions } from "../../cli/serve/mirror.ts";
import type { TensorReader } from "../../core/compare/ports.ts";
import { getHostSize, getStats, type HostCapacity, readTunables } from "../../core/capacity/mod.ts";
import type { AuditLog } from "../../core/audit.ts";
import type { CredentialStore } from "../../core/credential_store.ts";
import { credentialEnd } from "../../core/credential_end.ts";
import {
  credentialSigner,
  credentialVerifier,
  keyIds,
  mintCredential,
} from "../../core/credentials.ts";
import { LastUses } from "../../core/last_uses.ts";
import { boundedKeys, boundedVerifier, PersonCallers } from "../../core/people/callers.ts";
import { rightsWithoutRoles } from "../../core/people/rights.ts";
import type { Policy } from "../../core/policy/policy.ts";
import type { TrustedSigners } from "../../core/signatures/trusted.ts";
import { rightsByRoles, type Roles } from "../../core/people/roles.ts";
import { Log } from "../../core/log.ts";
import { resultsVersion } from "../../core/scans/bounds.ts";
import type { ArrivingScanner, ContentScanner } from "../../core/scans/ports.ts";
import type { HubService } from "../../core/hub/ports.ts";
import { accessKeyFinder, newAccessKey } from "../../core/s3/access_keys.ts";
import { withShortCredentials } from "../../core/short_credentials.ts";
import type { Tree, TreeParts, UploadLimits } from "../../core/tree/changes.ts";
import type { AppOptions } from "../../routes/app.ts";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { databaseOf } from "../../schemas/database_url.ts";
import type { App } from "../../routes/request/environment.ts";
import type { ServerEvents } from "../../routes/serving/route.ts";
import type { RunningServer } from "../../routes/server.ts";
import type { TreePrivileges } from "../../schemas/credentials.ts";
import { readSettings, type Settings } from "../../schemas/settings.ts";
import { auditLog } from "../../storage/upkeep/audit/audit_log.ts";
import type { ContentSettings } from "../../storage/stores/opening.ts";
import { Storage } from "../../storage/stores/storage.ts";
import { Client } from "./client.ts";
import { DescribedReplies } from "./described_replies.ts";
import { contentOf, databaseAddressOf } from "./engines.ts";
import { temporaryFiles, untilNothingArrives } from "./invariants.ts";
import { scannerHere } from "./scanner_here.ts";
import { storedHashes } from "./stored_content.ts";
import { TempDir } from "./temp_dir.ts";

export const SECRET = "the secret of the tests, longer than 32 bytes";

export interface TestServerOptions {
  readonly limits?: Partial<UploadLimits>;
  /** @default a temporary directory, removed at the end */
  readonly dataDir?: string;
  readonly events?: ServerEvents;
  /** Wraps the tree that the app uses. */
  readonly wrap?: (tree: TreeParts) => TreeParts;
  readonly app?: Partial<AppOptions>;
  /** @default the file `audit.log` in the data directory */
  readonly audit?: AuditLog;
  /** Whether the server has the key that signs credentials. @default true */
  readonly signs?: boolean;
  /** How long requests may go on when the server is disposed of, in milliseconds. @default 10000 */
  readonly graceMs?: number;
  /** The secret before the present one. */
  readonly previousSecret?: string;
  /** @default one that is free */
  readonly port?: number;
  readonly maxQueuedScans?: number;
  /** How often to look at the queue of scans. @default 20 */
  readonly pollIntervalMs?: number;
  /** The most requests of a user in a minute. @default unlimited */
  readonly rateLimit?: number;
  /** Settings other than the defaults. */
  readonly settings?: Partial<Settings>;
  /** The version of scan results that count. @default that of the settings */
  readonly resultsVersion?: string;
  /** Whether content that is lost is accepted (C 22). */
  readonly acceptDamage?: boolean;
  /** How much disk uploads leave free. @default 0 */
  readonly diskReserveMB?: number;
  /** See `StorageOptions.maxDirectRecords`. */
  readonly maxDirectRecords?: number;
  /** The object store for content. @default that of {@link contentOf} */
  readonly content?: ContentSettings;
  /** What the groups of people may do. @default as without a file of rules */
  readonly roles?: Roles;
  /** The rules for what users upload. @default none */
  readonly policy?: Policy;
  /** Whose signatures count. @default nobody's */
  readonly signers?: TrustedSigners;
  /** Overrides the readings and tunables of the host. */
  readonly host?: Partial<HostCapacity>;
  /** How the mirror asks the other hub. */
  readonly upstream?: UpstreamOptions;
  /** What scans content. @default {@link scannerHere} */
  readonly contents?: ContentScanner;
  /** What scans files that come in. @default they are scanned when they have come in */
  readonly arriving?: ArrivingScanner;
  /** What lists tensors. @default a thread */
  readonly tensors?: TensorReader;
  /** How long comparisons wait for weights, in milliseconds. @default until they have been read */
  readonly patienceMs?: number;
}

export class TestServer implements AsyncDisposable {
  readonly #parts: AsyncDisposableStack;

  private constructor(
    readonly tree: Tree,
    readonly hub: HubService,
    readonly app: App,
    readonly dataDir: string,
    readonly server: RunningServer,
    /** The lines of the log. */
    readonly log: string[],
    readonly credentials: CredentialStore,
    parts: AsyncDisposableStack,
  ) {
    this.#parts = parts;
  }

  static async start(options: TestServerOptions = {}): Promise<TestServer> {
    await using parts = new AsyncDisposableStack();
    const replies = parts.use(new DescribedReplies(pathOf(options.settings?.publicUrl)));
    const dataDir = options.dataDir ?? parts.use(await TempDir.make()).path;
    const settings = {
      ...readSettings(() => undefined),
      ...options.limits,
      ...options.settings,
      dataDir,
      maxQueuedScans: options.maxQueuedScans ?? 1000,
      rateLimit: options.rateLimit,
    };
    const { acceptDamage = false } = options;
    const database = databaseOf(options.settings ?? {}) ?? await databaseAddressOf(dataDir);
    const storage = parts.use(
      await Storage.open(dataDir, {
        database,
        reserveMB: options.diskReserveMB ?? 0,
        acceptDamage,
        content: options.content ?? contentOf(dataDir),
        ...(options.maxDirectRecords !== undefined && {
          maxDirectRecords: options.maxDirectRecords,
        }),
        resultsVersion: options.resultsVersion ?? resultsVersion(settings),
      }),
    );
    const { contents = scannerHere(storage.blobs, settings) } = options;
    const lines: string[] = [];
    const log = new Log({ level: "debug", format: "json", write: (line) => lines.push(line) });
    const { credentials: store } = storage.records;
    const { isRevoked } = store;
    const key = { kind: "secret", secret: SECRET, previous: options.previousSecret } as const;
    const known = keyIds(key);
    const isOver = credentialEnd(known, isRevoked);
    const uses = parts.use(new LastUses(store, log));
    const registered = { store, isOver, uses, keyId: known[0] };
    const { people } = storage.records;
    const callers = new PersonCallers({
      people,
      rightsOf: options.roles === undefined
        ? rightsWithoutRoles
        : rightsByRoles(options.roles, people),
    });
    const composition = parts.use(
      await compose(storage, settings, {
        host: { stats: () => getStats(dataDir), ...hostTunables(), ...options.host },
        log,
        acceptDamage,
        audit: options.audit ?? parts.use(testAudit(dataDir)),
        verify: boundedVerifier(
          withShortCredentials(await credentialVerifier({ key, isRevoked }), registered),
          callers,
        ),
        findAccessKey: boundedKeys(accessKeyFinder(key, registered), callers),
        isOver,
        policy: () => options.policy,
        signers: () => options.signers,
        callerOfPerson: (person) => callers.signedIn(person, isOver),
        keyId: () => known[0],
        ...(options.signs !== false && {
          sign: credentialSigner({ secret: SECRET }),
          makeAccessKey: () => newAccessKey(SECRET),
        }),
      }, {
        events: options.events,
        contents,
        arriving: options.arriving,
        tensors: options.tensors,
        patienceMs: options.patienceMs ?? 600_000,
        pollIntervalMs: options.pollIntervalMs ?? 20,
        wrapTree: options.wrap,
        app: options.app,
        upstream: options.upstream,
      }),
    );
    composition.app.fetch = replies.compare(composition.app.fetch);
    const server = composition.listen({
      hostname: "127.0.0.1",
      port: options.port ?? 0,
    });
    parts.defer(async () => {
      await server.stop(options.graceMs ?? 10_000);
      if (options.settings?.databaseUrl === undefined) await untilNothingArrives(dataDir);
    });
    const { tree, hub, app } = composition;
    return new TestServer(
      tree,
      hub,
      app,
      dataDir,
      server,
      lines,
      storage.records.credentials,
      parts.move(),
    );
  }

  /** The URL of the root, without a path. */
  get origin(): string {
    return `http://127.0.0.1:${this.server.address.port}`;
  }

  /** The base URL of the API. */
  get url(): string {
    return this.origin + BASE_PATH;
  }

  /** A client of the user, with the given privileges. @default {@link USER_PRIVILEGES} */
  async as(userId: number, ...privileges: string[]): Promise<Client> {
    const held = privileges.length > 0 ? privileges : USER_PRIVILEGES;
    return new Client(this.url, await mintToken({ userId, privileges: held }));
  }

  /** A client whose credential holds `resources.admin`. */
  admin(userId = 1000): Promise<Client> {
    return this.as(userId, "resources.admin");
  }

  /** {@link storedHashes}, after the removal of content that is due */
  async storedHashes(): Promise<string[]> {
    await this.tree.sweeper.finish();
    return await storedHashes(this.dataDir);
  }

  /** {@link temporaryFiles} */
  temporaryFiles(): Promise<string[]> {
    return temporaryFiles(this.dataDir);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

function testAudit(dataDir: string): AuditLog & AsyncDisposable {
  return auditLog("file", {
    dataDir,
    maxBytes: 0,
    onFailure(_message, error) {
      // On a busy machine, any disk does so for a moment.
      if (!error.message.includes("does not answer")) throw error;
    },
    writeElsewhere(lines) {
      throw new Error(`Not written to the audit log: ${lines}`);
    },
  });
}

/** The tunables of this host. Tests need so little space that free disk hardly matters. */
function hostTunables() {
  const variables = new Map([["STRONGROOM_DISK_CRITICAL_MB", "1"]]);
  return readTunables((variable) => variables.get(variable), getHostSize());
}

export const USER_PRIVILEGES = [
  "resources.view",
  "resources.upload",
  "resources.edit",
  "resources.delete",
  "resources.download",
];

/** Mints a credential that a {@link TestServer} accepts. */
export function mintToken(
  { ttlSeconds = 3600, secret = SECRET, ...claims }: {
    userId: number;
    privileges: readonly string[];
    trees?: TreePrivileges;
    ttlSeconds?: number;
    jti?: string;
    quota?: number;
    /** Whether it may do no more than its person. @default false */
    isBound?: boolean;
    /** What signs it. @default the secret of the tests */
    secret?: string;
  },
): Promise<string> {
  return mintCredential({ secret, ttlSeconds, ...claims });
}

/** Options for a server whose resource store has some methods replaced. */
export function withRecords(
  replace: (records: Tree["records"]) => Partial<Tree["records"]>,
): TestServerOptions {
  return {
    wrap: (tree) => ({
      ...tree,
      records: Object.assign(Object.create(null), {
        findByPath: tree.records.findByPath.bind(tree.records),
        findById: tree.records.findById.bind(tree.records),
        list: tree.records.list.bind(tree.records),
        collectFiles: tree.records.collectFiles.bind(tree.records),
        usage: tree.records.usage.bind(tree.records),
        shares: tree.records.shares.bind(tree.records),
        write: tree.records.write.bind(tree.records),
        // Every upload is to come to `write`.
        storeDecided: () => Promise.resolve(undefined),
      }, replace(tree.records)),
    }),
  };
}

function pathOf(url: string | undefined): string {
  return url === undefined ? "" : new URL(url).pathname.replace(/\/$/, "");
}
