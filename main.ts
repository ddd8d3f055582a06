/**
 * The command line. It wires the parts together and is the only place that reads the environment.
 * @module
 */

import { fileURLToPath } from "node:url";
import {
  capacityOverview,
  getHostSize,
  getStats,
  type HostCapacity,
  LeasePool,
  overviewText,
  readTunables,
} from "./core/capacity/mod.ts";
import { options } from "./cli/arguments.ts";
import { authority } from "./cli/authority.ts";
import { permissionFlags } from "./cli/permission_flags.ts";
import { scanRequest } from "./cli/scan/scan_request.ts";
import { tokenRequest } from "./cli/token_request.ts";
import { USAGE } from "./cli/usage.ts";
import { UsageError, withSettingContext } from "./cli/usage_error.ts";
import {
  credentialVerifier,
  mintCredential,
  type SigningKey,
  type VerifyCredential,
} from "./core/credentials.ts";
import { EventBus } from "./core/events.ts";
import { Log } from "./core/log.ts";
import { nameOf } from "./core/paths.ts";
import { exitCode, type FileOutcome, report, reportAs } from "./core/scanner/mod.ts";
import { ScanJobs } from "./core/scans/jobs.ts";
import { ProgressBar, type ProgressScreen } from "./cli/scan/progress_bar.ts";
import { scanFiles, type ScanTarget } from "./cli/scan/scan_files.ts";
import type { Tree } from "./core/tree/changes.ts";
import { recover } from "./core/tree/recover.ts";
import type { CapacityOverview } from "./schemas/capacity.ts";
import { BASE_PATH, createApp } from "./routes/app.ts";
import { askCapacity } from "./cli/ask_capacity.ts";
import type { ServerEvents } from "./routes/events.ts";
import { InFlight } from "./routes/in_flight.ts";
import { type RunningServer, serveApp } from "./routes/server.ts";
import { describeSettings, readSettings, type Settings } from "./schemas/settings.ts";
import { jwtSecret, keptSecret } from "./storage/jwt_secret.ts";
import { localFiles } from "./storage/local_files.ts";
import { SandboxScanner, scanInSandbox } from "./storage/sandbox/sandbox.ts";
import { ReportThread } from "./storage/reports/thread.ts";
import { Storage } from "./storage/storage.ts";

const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<number> | number>> = {
  serve: serveCommand,
  token: tokenCommand,
  scan: scanCommand,
  capacity: capacityCommand,
  config: configCommand,
  permissions: permissionsCommand,
  help: () => {
    console.log(USAGE);
    return 0;
  },
};

/** Runs a command and returns the exit code of the process. */
async function main([name = "help", ...args]: string[]): Promise<number> {
  const wanted = name === "--help" || name === "-h" ? "help" : name;
  const command = Object.hasOwn(COMMANDS, wanted) ? COMMANDS[wanted] : undefined;
  try {
    if (command === undefined) {
      throw new UsageError(`Unknown command "${name}"; try strongroom help`);
    }
    return await command(args);
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    // Of a scan, 1 would say that something was found (C 16).
    const isUsage = error instanceof UsageError || error instanceof RangeError;
    return isUsage || wanted === "scan" ? 2 : 1;
  }
}

async function serveCommand(args: string[]): Promise<number> {
  options(args, {});
  const settings = settingsOf();
  const log = logOf(settings);
  await using storage = await openStorage(settings);
  const { records, blobs } = storage;
  await recover({ records, blobs });
  const events: ServerEvents = new EventBus();
  const inFlight = new InFlight();
  using reports = new ReportThread();
  const tree: Tree = { records, blobs, events, limits: settings, log };
  const host = hostCapacity(settings.dataDir, (message) => log.warn("Bad setting", { message }));
  const { stats, tunables } = host;
  const leases = new LeasePool({ tunables, stats, log });
  await using jobs = new ScanJobs({
    scans: records.scans,
    contents: new SandboxScanner(blobs, settings.scanFileTimeoutS * 1000),
    host,
    leases,
    events,
    log,
  });
  const app = createApp({
    tree,
    events,
    verify: await verifierOf(settings, log),
    findFault: () => storage.fault(tunables.diskCriticalMB),
    capacity: { ...host, leases, instances: () => jobs.instances },
    scans: { records, store: records.scans, jobs, maxQueued: settings.maxQueuedScans },
    log,
    inFlight,
    corsOrigins: settings.corsOrigins,
    openMetrics: settings.metrics === "open",
    validateReport: reports.validate,
  });
  await jobs.resume();
  const server = await listen(
    settings,
    (place) => serveApp(app, { ...place, events, inFlight, log }),
  );
  const { hostname, port } = server.address;
  log.info("Serving", { url: `http://${authority(hostname, port)}${BASE_PATH}`, pid: Deno.pid });
  log.info("Stopping", { signal: await stopSignal() });
  await jobs.stop();
  const finished = await server.stop();
  log.info("Stopped", { finished });
  return 0;
}

async function openStorage({ dataDir }: Settings): Promise<Storage> {
  await withSettingContext(
    "STRONGROOM_DATA_DIR",
    dataDir,
    "a directory that can be made",
    () => Deno.mkdir(dataDir, { recursive: true, mode: 0o700 }),
  );
  const storage = await Storage.open(dataDir);
  storage.keepTemporaryFiles();
  return storage;
}

/** Begins to listen at the place that the settings name. */
function listen(
  { host: hostname, port }: Settings,
  begin: (place: { hostname: string; port: number }) => RunningServer,
): Promise<RunningServer> {
  const allowed = "a host of this machine and a port that is free";
  return withSettingContext(
    "STRONGROOM_HOST and _PORT",
    authority(hostname, port),
    allowed,
    () => begin({ hostname, port }),
  );
}

async function tokenCommand(args: string[]): Promise<number> {
  const { userId, privileges, ttlSeconds } = tokenRequest(args);
  const settings = settingsOf();
  const key = await signingKey(settings);
  if (key.kind !== "secret") {
    throw new UsageError("Credentials are made by whoever holds the private key, not here");
  }
  const { jwtIssuer: issuer, jwtAudience: audience } = settings;
  console.log(
    await mintCredential({
      secret: key.secret,
      userId,
      privileges,
      ttlSeconds,
      issuer,
      audience,
    }),
  );
  return 0;
}

async function scanCommand(args: string[]): Promise<number> {
  const { paths, format, skip } = scanRequest(args);
  const { scanFileTimeoutS } = settingsOf();
  const startedAt = Date.now();
  const files = await scanLocal(await localFiles(paths), skip, scanFileTimeoutS * 1000);
  const made = report({
    files,
    startTime: startedAt / 1000,
    duration: (Date.now() - startedAt) / 1000,
    skip,
  });
  const color = Deno.stdout.isTerminal();
  const width = color ? Deno.consoleSize().columns : 100;
  console.log(reportAs(format, made, { color, width }));
  return exitCode(made);
}

/** Scans files under leases of this process, with a bar on a terminal that shows how far it is. */
async function scanLocal(
  targets: readonly ScanTarget[],
  skip: readonly string[],
  timeoutMs: number,
): Promise<FileOutcome[]> {
  const host = hostCapacity(".", complain);
  const { signal } = new AbortController();
  const bar = new ProgressBar(targets, progressScreen());
  try {
    return await scanFiles(targets, {
      leases: new LeasePool(host),
      concurrency: host.stats().CPUCores,
      signal,
      scan: (path, onProgress) =>
        scanInSandbox({ path, name: nameOf(path), skip, signal, timeoutMs, onProgress }),
      onProgress: (done) => bar.show(done),
    });
  } finally {
    bar.clear();
  }
}

/** Where progress is drawn: stderr, where that is a terminal. */
function progressScreen(): ProgressScreen | undefined {
  if (!Deno.stderr.isTerminal()) return undefined;
  return {
    write: (text) => Deno.stderr.writeSync(new TextEncoder().encode(text)),
    columns: () => Deno.consoleSize().columns,
  };
}

async function capacityCommand(args: string[]): Promise<number> {
  const { json, watch } = options(args, {
    json: { type: "boolean", default: false },
    watch: { type: "boolean", default: false },
  });
  const settings = settingsOf();
  const host = hostCapacity(settings.dataDir, complain);
  // On a terminal each overview takes the place of the one before.
  const clear = watch && !json && Deno.stdout.isTerminal() ? "\x1b[H\x1b[J" : "";
  for (;;) {
    const overview = await overviewOf(settings, host);
    const text = json
      ? JSON.stringify(overview, undefined, watch ? 0 : 2)
      : overviewText(overview, { bars: watch });
    console.log(clear + text.trimEnd());
    if (!watch) return 0;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** What the server of these settings tells, or this process itself where none runs. */
async function overviewOf(settings: Settings, host: HostCapacity): Promise<CapacityOverview> {
  const { dataDir, jwtPublicKey, jwksUrl, jwtIssuer: issuer, jwtAudience: audience } = settings;
  // Where others hold the key no credential can be made, and so no server be asked.
  const secret = jwtPublicKey === undefined && jwksUrl === undefined
    ? settings.jwtSecret ?? await keptSecret(dataDir)
    : undefined;
  const privileges = ["capacity.view"];
  const token = secret &&
    await mintCredential({ secret, userId: 1, privileges, ttlSeconds: 60, issuer, audience });
  const origin = `http://${authority(settings.host, settings.port)}`;
  return token && await askCapacity(origin, token) || await withSettingContext(
    "STRONGROOM_DATA_DIR",
    dataDir,
    "a directory that is there",
    () => capacityOverview(host),
  );
}

function configCommand(args: string[]): number {
  options(args, {});
  const settings = settingsOf();
  for (const { variable, value, isDefault } of describeSettings(settings, environment)) {
    printSetting(variable, value, isDefault);
  }
  const { origins } = hostCapacity(settings.dataDir, complain);
  for (const { variable, setting, source } of origins) {
    printSetting(variable, String(setting), source === "default");
  }
  return 0;
}

function printSetting(variable: string, value: string, isDefault: boolean): void {
  console.log(`${variable}=${value}${isDefault ? "  # default" : ""}`);
}

function permissionsCommand(args: string[]): number {
  options(args, {});
  // The modules of a thread count as files that it reads.
  const modules = ["./core", "./schemas", "./storage"].map((folder) =>
    fileURLToPath(new URL(folder, import.meta.url))
  );
  console.log(permissionFlags(settingsOf(), modules).join(" "));
  return 0;
}

function environment(variable: string): string | undefined {
  return Deno.env.get(variable);
}

function settingsOf(): Settings {
  return readSettings(environment);
}

/** The host, with the tunables that are in force for it; `warn` is told of bad ones (C 13). */
function hostCapacity(dataDir: string, warn: (message: string) => void): HostCapacity {
  const { tunables, origins } = readTunables(environment, getHostSize());
  for (const { complaint } of origins) {
    if (complaint !== undefined) warn(complaint);
  }
  return { stats: () => getStats(dataDir), tunables, origins };
}

/** Says on the terminal what is wrong, and goes on. */
function complain(message: string): void {
  console.error(`strongroom: ${message}`);
}

function logOf({ logLevel, logFormat }: Settings): Log {
  const format = logFormat ?? (Deno.stderr.isTerminal() ? "text" : "json");
  return new Log({ level: logLevel, format, write: (line) => console.error(line) });
}

async function verifierOf(settings: Settings, log: Log): Promise<VerifyCredential> {
  const { jwtIssuer: issuer, jwtAudience: audience, jwtPublicKey = "" } = settings;
  const key = await signingKey(settings, log);
  if (key.kind !== "publicKey") return await credentialVerifier({ key, issuer, audience });
  const allowed = "a PEM file with an RSA key of 2048 bits or more, or a P-256 or Ed25519 key";
  return await withSettingContext(
    "STRONGROOM_JWT_PUBLIC_KEY",
    jwtPublicKey,
    allowed,
    () => credentialVerifier({ key, issuer, audience }),
  );
}

async function signingKey(settings: Settings, log?: Log): Promise<SigningKey> {
  const { dataDir, jwtSecret: configured, jwtPublicKey, jwksUrl } = settings;
  if (configured !== undefined) return { kind: "secret", secret: configured };
  if (jwksUrl !== undefined) return { kind: "jwks", url: jwksUrl };
  if (jwtPublicKey !== undefined) {
    const pem = await withSettingContext(
      "STRONGROOM_JWT_PUBLIC_KEY",
      jwtPublicKey,
      "a file",
      () => Deno.readTextFile(jwtPublicKey),
    );
    return { kind: "publicKey", pem };
  }
  const { secret, made } = await jwtSecret(dataDir);
  if (made) {
    log?.info(
      "Made a secret for credentials; get one with: strongroom token --user 1 --admin " +
        "(deno task cli token --user 1 --admin)",
    );
  }
  return { kind: "secret", secret };
}

/** The name of the first signal to stop; from then on another one ends the process. */
function stopSignal(): Promise<Deno.Signal> {
  const { promise, resolve } = Promise.withResolvers<Deno.Signal>();
  let stopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(signal, () => {
      if (stopping) Deno.exit(130);
      stopping = true;
      resolve(signal);
    });
  }
  return promise;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
