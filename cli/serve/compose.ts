import config from "../../deno.json" with { type: "json" };
import { CapacityHistory, type HostCapacity } from "../../core/capacity/mod.ts";
import type { AuditLog } from "../../core/audit.ts";
import { namedAudit } from "../../core/people/named_audit.ts";
import type { Caller } from "../../core/caller.ts";
import { ConsoleSessions, type SignedInPerson } from "../../core/console_sessions.ts";
import type { IsOver } from "../../core/credential_end.ts";
import type { SignCredential, VerifyCredential } from "../../core/credentials.ts";
import { DamageLog } from "../../core/damage.ts";
import { withinTime } from "../../core/event_loop.ts";
import { asError, type Log } from "../../core/log.ts";
import { LastUses } from "../../core/last_uses.ts";
import { Steps } from "../../core/people/steps.ts";
import { RateLimit } from "../../core/rate_limit.ts";
import type { AutomaticScans } from "../../core/scans/automatic_scans.ts";
import type { HubService } from "../../core/hub/ports.ts";
import { CommitSearches } from "../../core/hub/commit_searches.ts";
import { Revisions } from "../../core/hub/revisions.ts";
import type { ScanJobs } from "../../core/scans/jobs.ts";
import type { FindAccessKey, MakeAccessKey } from "../../core/s3/access_keys.ts";
import type { Tree, TreeParts } from "../../core/tree/changes.ts";
import type { UploadService } from "../../core/tree/resumable_upload.ts";
import { UploadLocks } from "../../core/tree/upload_locks.ts";
import { Sweeper } from "../../core/tree/sweeper.ts";
import { recover, reportUnnameable } from "../../core/upkeep/recover.ts";
import { type AppOptions, createApp } from "../../routes/app.ts";
import { serveConsole } from "../../routes/console/console.ts";
import type { App } from "../../routes/request/environment.ts";
import { eventEntry, serverEvents } from "../../routes/events.ts";
import type { ServerEvents } from "../../routes/serving/route.ts";
import { largeCommitPermits } from "../../routes/hub/commit.ts";
import { DAV_ROUTES } from "../../routes/dav/dav_routes.ts";
import { HUB_ROUTES } from "../../routes/hub/hub_routes.ts";
import { S3_ROUTES } from "../../routes/s3/s3_routes.ts";
import { InFlight } from "../../routes/serving/in_flight.ts";
import { TrustedProxies } from "../../routes/request/client_address.ts";
import { type RunningServer, serveApp, type ServeOptions } from "../../routes/server.ts";
import type { Settings } from "../../schemas/settings.ts";
import { auditTrail } from "../../storage/upkeep/audit/audit_log.ts";
import { ReportThread } from "../../storage/reports/report_thread.ts";
import type { ProcessStarter } from "../../storage/scanners/processes.ts";
import { MAX_PROBE_MS, type Storage } from "../../storage/stores/storage.ts";
import { readBrowserScanner, readConsole } from "./browser_modules.ts";
import { composeGate, type CurrentRules } from "./gate.ts";
import { measureServer } from "./metrics.ts";
import { composeMirror, mirrorTeam, type UpstreamOptions } from "./mirror.ts";
import { providerOf } from "./provider.ts";
import { Readiness } from "./readiness.ts";
import { composeScans, type ScanOptions } from "./scans.ts";
import { findTracing } from "./tracing.ts";
import { startUpkeep } from "./upkeep.ts";

const HOUR_MS = 60 * 60_000;

/** What a server needs besides its storage and settings. */
export interface ServerParts extends CurrentRules {
  readonly host: HostCapacity;
  readonly log: Log;
  readonly verify: VerifyCredential;
  readonly findAccessKey: FindAccessKey;
  readonly isOver: IsOver;
  /** The caller of a person who is signed in. */
  readonly callerOfPerson: (person: SignedInPerson) => Promise<Caller>;
  /** The id of the key that credentials are signed with now, if it is the server's. */
  readonly keyId: () => string | undefined;
  /** @default the server mints no credentials */
  readonly sign?: SignCredential | undefined;
  /** @default as `sign` */
  readonly makeAccessKey?: MakeAccessKey | undefined;
  readonly audit: AuditLog;
  /** Why the keys that verify credentials cannot be fetched. @default never a problem */
  readonly findKeyProblem?: () => Promise<string | undefined>;
  /** Whether files without content are accepted (C 22). @default false */
  readonly acceptDamage?: boolean;
  /** Starts scanner processes. @default scans run in threads */
  readonly processes?: ProcessStarter;
  /** How many lines of the log were dropped. @default none */
  readonly droppedLines?: () => number;
}

/** Parts that a test replaces. */
export interface Replacements extends Omit<ScanOptions, "processes"> {
  readonly events?: ServerEvents | undefined;
  readonly wrapTree?: ((tree: TreeParts) => TreeParts) | undefined;
  readonly app?: Partial<AppOptions> | undefined;
  readonly upstream?: UpstreamOptions | undefined;
}

/** A server that is wired, and listens when asked to. Dispose of it after its server has stopped. */
export interface Composition extends AsyncDisposable {
  readonly tree: Tree;
  readonly hub: HubService;
  readonly app: App;
  listen(options: Pick<ServeOptions, "hostname" | "port" | "tls">): RunningServer;
}

/**
 * Wires storage and settings into the HTTP app. Recovers what a crash left unfinished: content without
 * a record (C 5.4) and scans (C 15).
 */
export async function compose(
  storage: Storage,
  settings: Settings,
  {
    host,
    log,
    verify,
    findAccessKey,
    isOver,
    callerOfPerson,
    keyId,
    sign,
    makeAccessKey,
    audit,
    findKeyProblem,
    policy,
    signers,
    processes,
    acceptDamage = false,
    ...given
  }: ServerParts,
  replacements: Replacements = {},
): Promise<Composition> {
  const { records, blobs } = storage;
  await recover({ records, blobs, log, acceptDamage, announced: storage.sealed });
  if (!blobs.needsSweep) await storage.seal();
  await reportUnnameable({ records, log });
  await using parts = new AsyncDisposableStack();
  const reports = parts.use(new ReportThread());
  const events = replacements.events ?? openEvents(parts, storage, log);
  const inFlight = new InFlight();
  const damage = new DamageLog(log);
  const scanning = composeScans(parts, { storage, settings, host, log, damage, events }, {
    processes,
    ...replacements,
  });
  const { jobs, automatic, scanEarly, verdicts, waivers, leases, totals, tensors } = scanning;
  const capacity = { ...host, leases, instances: () => jobs.instances };
  const revisions = new Revisions(records.hub);
  const team = settings.mirrorUrl === undefined ? undefined : await mirrorTeam(records.people);
  const stores: TreeParts = {
    records,
    reserved: team,
    blobs,
    events,
    listener: revisions,
    limits: settings,
    log,
    damage,
    verdicts,
    ...composeGate({ records, blobs, damage, verdicts }, settings, {
      ...{ policy, signers, mirror: team },
    }),
    arrivals: automatic,
  };
  const wrapped = replacements.wrapTree?.(stores) ?? stores;
  const isShared = records.shared !== undefined;
  const sweeper = parts.use(new Sweeper({ ...wrapped, isShared }));
  const tree: Tree = { ...stores, sweeper };
  const { rateLimit } = settings;
  const served: Tree = { ...wrapped, sweeper };
  const uploads: UploadService = {
    tree: served,
    store: records.uploads,
    parts: blobs.parts,
    locks: new UploadLocks(),
    expiryMs: settings.uploadExpiryH * HOUR_MS,
  };
  const hub: HubService = {
    tree: served,
    store: records.hub,
    revisions,
    searches: new CommitSearches(),
    objects: records.objects,
    parked: blobs.parts,
    locks: uploads.locks,
    expiryMs: uploads.expiryMs,
  };
  const named = namedAudit(audit, records.people);
  const mirror = composeMirror(parts, { storage, settings, audit: named, policy, signers }, {
    ...{ tree: served, team, scanEarly, options: replacements.upstream ?? {} },
  });
  const readiness = parts.use(
    new Readiness(async () => {
      const [fault, problem] = await Promise.all([
        storage.findFault(host.tunables.diskCriticalMB),
        findKeyProblem && keyProblem(findKeyProblem),
      ]);
      if (fault !== undefined) return fault;
      if (audit.isBlocked) return { part: "audit", problem: "the audit log cannot be written" };
      return problem === undefined ? undefined : { part: "keys", problem };
    }),
  );
  const app = createApp({
    tree: served,
    events,
    verify,
    isOver,
    audit: named,
    rateLimit: rateLimit === undefined ? undefined : new RateLimit(rateLimit),
    trustedProxies: new TrustedProxies(settings.trustedProxies ?? []),
    findFault: async () =>
      // That is known at once.
      inFlight.draining ? { part: "server", problem: "it stops" } : await readiness.findFault(),
    tensors,
    waivers,
    links: { tree: served, store: records.links, isOver },
    tokens: {
      store: records.credentials,
      sign,
      makeAccessKey,
      userQuota: settings.userQuota,
    },
    people: records.people,
    auditTrail: auditTrail(settings.auditLog, settings.dataDir),
    uploads,
    hub,
    mirror,
    largeCommits: largeCommitPermits(),
    dav: records.dav,
    s3: { tree: served, store: records.s3, uploads, findAccessKey },
    doorRoutes: [...HUB_ROUTES, ...DAV_ROUTES, ...S3_ROUTES],
    url: settings.publicUrl ?? settings.origin,
    capacity,
    capacityHistory: parts.use(
      new CapacityHistory({ host: capacity, queued: () => jobs.waiting() }),
    ),
    scans: {
      records,
      store: records.scans,
      jobs,
      maxQueued: settings.maxQueuedScans,
      version: config.version,
    },
    log,
    inFlight,
    measure: measureServer({
      ...{
        inFlight,
        records,
        damage,
        jobs,
        totals,
        tensors,
        events,
        droppedLines: given.droppedLines,
      },
      ...{ store: storage.store, mirror },
      host: capacity,
      place: settings.contentUrl === undefined ? "file" : "object",
    }),
    corsOrigins: settings.corsOrigins,
    openMetrics: settings.metrics === "open",
    sessions: new ConsoleSessions(records.sessions, parts.use(new LastUses(records.sessions, log))),
    callerOfPerson,
    keyId,
    historyMs: settings.history,
    provider: providerOf(settings),
    passkeys: {
      store: records.signIns,
      people: records.people,
      steps: new Steps(() => records.objects.key()),
    },
    serveConsole: settings.console === "on" ? serveConsole : undefined,
    readConsole,
    readScanner: readBrowserScanner,
    activeSpan: await findTracing(),
    validateReport: reports.validate,
    ...replacements.app,
  });
  await jobs.resume();
  automatic?.start();
  await startUpkeep(parts, { storage, settings, log, damage, uploads });
  const owned = parts.move();
  return {
    tree,
    hub,
    app,
    listen: (options) =>
      stoppingScans(serveApp(app, { ...options, events, inFlight, log }), { jobs, automatic }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What is wrong with the keys, which may be asked of another server. */
function keyProblem(find: () => Promise<string | undefined>): Promise<string | undefined> {
  return withinTime(find(), MAX_PROBE_MS).catch((error) => asError(error).message);
}

/** The events of the database, if servers share it. `parts` disposes of them. */
function openEvents(parts: AsyncDisposableStack, { records }: Storage, log: Log): ServerEvents {
  const shared = records.openEvents?.(eventEntry, log);
  return shared === undefined ? serverEvents() : parts.use(shared);
}

/** A server whose scans stop before it does, so that requests that wait for a scan are answered. */
function stoppingScans(
  { address, drain, stop }: RunningServer,
  { jobs, automatic }: { jobs: ScanJobs; automatic: AutomaticScans | undefined },
): RunningServer {
  return {
    ...{ address, drain },
    async stop(graceMs) {
      await Promise.all([jobs.stop(), automatic?.[Symbol.asyncDispose]()]);
      return await stop(graceMs);
    },
  };
}
