/**
 * The command line. It wires the parts together and is the only place that reads the environment.
 * @module
 */

import { fileURLToPath } from "node:url";
import { parseArgs, type ParseArgsConfig, type ParseArgsOptionsConfig } from "node:util";
import * as v from "valibot";
import { PRIVILEGES } from "./core/caller.ts";
import {
  capacityOverview,
  getHostSize,
  getStats,
  type HostCapacity,
  LeasePool,
  overviewText,
  readTunables,
} from "./core/capacity/mod.ts";
import {
  credentialVerifier,
  mintCredential,
  type SigningKey,
  type VerifyCredential,
} from "./core/credentials.ts";
import { EventBus } from "./core/events.ts";
import { Log } from "./core/log.ts";
import { nameOf } from "./core/paths.ts";
import { exitCode } from "./core/scan/exit_code.ts";
import { ScanJobs } from "./core/scan/jobs.ts";
import { ProgressBar, type ProgressScreen } from "./core/scan/progress_bar.ts";
import { type FileOutcome, reportOf } from "./core/scan/report.ts";
import { reportSarif } from "./core/scan/report_sarif.ts";
import { reportText } from "./core/scan/report_text.ts";
import type { Report } from "./core/scan/report_types.ts";
import { scanFiles, type ScanTarget } from "./core/scan/scan_files.ts";
import { selectionOf, skippedScanners } from "./core/scan/selection.ts";
import type { Tree } from "./core/tree/changes.ts";
import { recover } from "./core/tree/recover.ts";
import type { CapacityOverview } from "./schemas/capacity.ts";
import { BASE_PATH, createApp } from "./routes/app.ts";
import { askCapacity } from "./routes/ask_capacity.ts";
import { Underway } from "./routes/underway.ts";
import { serve } from "./routes/server.ts";
import { TimeToLive, UserId } from "./schemas/credentials.ts";
import { describeSettings, readSettings, type Settings } from "./schemas/settings.ts";
import { jwtSecret, keptSecret } from "./storage/jwt_secret.ts";
import { localFiles } from "./storage/local_files.ts";
import { SandboxScanner, scanInSandbox } from "./storage/scan_sandbox.ts";
import { ReportThread } from "./storage/report_thread.ts";
import { Storage } from "./storage/storage.ts";

const USAGE = `strongroom, a file strongroom for people who work with model files

Usage:
  strongroom serve
      Serves until SIGTERM or SIGINT; a second signal ends it at once.
  strongroom token --user ID (--privileges P,… | --admin) [--ttl 1h]
      Prints a credential. Privileges: ${PRIVILEGES.join(", ")}
  strongroom scan PATH… [--format json|text|sarif] [--scanners ID,…]
      Says what is dangerous in model files: a report on stdout. Exit code 0: nothing; 1: something;
      2: not all could be scanned.
  strongroom capacity [--json] [--watch]
      Prints how much the host carries now, and what the server runs. Redrawn each second with --watch.
  strongroom config
      Prints every setting, its value and where it is from.
  strongroom permissions
      Prints the permissions that the settings need, as flags for deno run.

Settings are environment variables that begin with STRONGROOM_; strongroom config lists them.
`;

/** Something the person at the command line can put right; told in one line. */
class UsageError extends Error {}

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
  await blaming(
    "STRONGROOM_DATA_DIR",
    settings.dataDir,
    "a directory that can be made",
    () => Deno.mkdir(settings.dataDir, { recursive: true, mode: 0o700 }),
  );
  await using storage = await Storage.open(settings.dataDir);
  storage.keepTemporaryFiles();
  const { records, blobs } = storage;
  await recover({ records, blobs });
  const events = new EventBus();
  const underway = new Underway();
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
    verify: await verifierOf(settings, log),
    findFault: () => storage.fault(tunables.diskCriticalMB),
    capacity: { ...host, leases, instances: () => jobs.instances },
    scans: { records, store: records.scans, jobs, maxQueued: settings.maxQueuedScans },
    log,
    underway,
    corsOrigins: settings.corsOrigins,
    openMetrics: settings.metrics === "open",
    validateReport: reports.validate,
  });
  await jobs.resume();
  const place = authority(settings.host, settings.port);
  const allowed = "a host of this machine and a port that is free";
  const server = await blaming(
    "STRONGROOM_HOST and _PORT",
    place,
    allowed,
    () => serve(app, { hostname: settings.host, port: settings.port, events, underway, log }),
  );
  const { hostname, port } = server.address;
  log.info("Serving", { url: `http://${authority(hostname, port)}${BASE_PATH}`, pid: Deno.pid });
  log.info("Stopping", { signal: await stopSignal() });
  await jobs.stop();
  const finished = await server.stop();
  log.info("Stopped", { finished });
  return 0;
}

async function tokenCommand(args: string[]): Promise<number> {
  const { user, privileges = "", admin, ttl } = options(args, {
    user: { type: "string" },
    privileges: { type: "string" },
    admin: { type: "boolean" },
    ttl: { type: "string", default: "1h" },
  });
  const userId = v.safeParse(UserId, user);
  if (!userId.success) {
    throw new UsageError(`--user must be an id from 1 to 2^53 − 1, not "${user}"`);
  }
  const ttlSeconds = v.safeParse(TimeToLive, ttl);
  if (!ttlSeconds.success) {
    throw new UsageError(`--ttl must be such as 90s, 15m, 1h or 30d, not "${ttl}"`);
  }
  const held = privileges.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const unknown = held.find((name) => !PRIVILEGES.some((known) => known === name));
  if (unknown !== undefined) throw new UsageError(`Unknown privilege "${unknown}" in --privileges`);
  if (admin) held.push("resources.admin");
  if (held.length === 0) throw new UsageError("--privileges or --admin is needed");
  const settings = settingsOf();
  const key = await signingKey(settings);
  if (key.kind !== "secret") {
    throw new UsageError("Credentials are made by whoever holds the private key, not here");
  }
  const { jwtIssuer: issuer, jwtAudience: audience } = settings;
  console.log(
    await mintCredential({
      secret: key.secret,
      userId: userId.output,
      privileges: held,
      ttlSeconds: ttlSeconds.output,
      issuer,
      audience,
    }),
  );
  return 0;
}

async function scanCommand(args: string[]): Promise<number> {
  const { values, positionals: paths } = parsedArgs({
    args,
    options: {
      format: { type: "string", default: "json" },
      scanners: { type: "string" },
    },
    strict: true,
    allowPositionals: true,
  });
  const format = v.safeParse(v.picklist(["json", "text", "sarif"]), values.format);
  if (!format.success) throw new UsageError(`No format "${values.format}": json, text or sarif`);
  if (paths.length === 0) throw new UsageError("The path of a file or directory is needed");
  const skip = values.scanners === undefined ? [] : skippedScanners(values.scanners.split(","));
  const { scanFileTimeoutS } = settingsOf();
  const startedAt = Date.now();
  const files = await scanLocal(await localFiles(paths), skip, scanFileTimeoutS * 1000);
  const report = reportOf({
    files,
    startTime: startedAt / 1000,
    duration: (Date.now() - startedAt) / 1000,
    ...selectionOf(skip),
  });
  console.log(reportAs(format.output, report));
  return exitCode(report);
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

function reportAs(format: "json" | "text" | "sarif", report: Report): string {
  switch (format) {
    case "json":
      return JSON.stringify(report, undefined, 2);
    case "sarif":
      return JSON.stringify(reportSarif(report), undefined, 2);
    case "text": {
      const color = Deno.stdout.isTerminal();
      return reportText(report, { color, width: color ? Deno.consoleSize().columns : 100 })
        .trimEnd();
    }
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
  return token && await askCapacity(origin, token) || await blaming(
    "STRONGROOM_DATA_DIR",
    dataDir,
    "a directory that is there",
    () => capacityOverview(host),
  );
}

function configCommand(args: string[]): number {
  options(args, {});
  for (const { variable, value, isDefault } of describeSettings(settingsOf(), environment)) {
    printSetting(variable, value, isDefault);
  }
  const { origins } = hostCapacity(settingsOf().dataDir, complain);
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
  const { host, port, dataDir, jwtPublicKey, jwksUrl } = settingsOf();
  const jwksHost = jwksUrl && new URL(jwksUrl).host;
  // The modules of a thread count as files that it reads.
  const readable = ["./core", "./schemas", "./storage"].map((folder) =>
    fileURLToPath(new URL(folder, import.meta.url))
  );
  if (jwtPublicKey !== undefined) readable.push(jwtPublicKey);
  const flags = [
    `--allow-net=${[authority(host, port), ...jwksHost ? [jwksHost] : []].join()}`,
    `--allow-read=${[...readable, dataDir].join()}`,
    `--allow-write=${dataDir}`,
    "--allow-env=STRONGROOM_*",
    "--allow-sys=statfs,loadavg,systemMemoryInfo",
  ];
  for (const path of [dataDir, jwtPublicKey ?? ""]) {
    // The one would end the flag, the other begin another path in it.
    if (/[\s,]/.test(path)) {
      throw new UsageError(`No white space and no comma can be in a path, as in "${path}"`);
    }
  }
  console.log(flags.join(" "));
  return 0;
}

function options<Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  return parsedArgs({ args, options, strict: true, allowPositionals: false }).values;
}

function parsedArgs<Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Host and port as they stand in a URL; an IPv6 address has brackets there. */
function authority(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
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

/** Has a failure name the setting that it comes from, its value and what is allowed (C 13). */
async function blaming<T>(
  setting: string,
  value: string,
  allowed: string,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message =
      `Bad setting ${setting}: "${value}" is not allowed, only ${allowed} (${reason})`;
    throw new UsageError(message, { cause: error });
  }
}

async function verifierOf(settings: Settings, log: Log): Promise<VerifyCredential> {
  const { jwtIssuer: issuer, jwtAudience: audience, jwtPublicKey = "" } = settings;
  const key = await signingKey(settings, log);
  if (key.kind !== "publicKey") return await credentialVerifier({ key, issuer, audience });
  const allowed = "a PEM file with an RSA key of 2048 bits or more, or a P-256 or Ed25519 key";
  return await blaming(
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
    const pem = await blaming(
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
